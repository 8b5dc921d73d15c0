/** `ghostfleet help TOPIC` prints the sections of the pages. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import { FAULT_NAMES } from '../../src/scenario/faults/index.js';
import { FIELD_NAMES } from '../../src/scenario/selector/fields.js';
import { ghostfleet } from '../support/host.js';

async function help(...topic: readonly string[]): Promise<string> {
  const { exit, out, err } = await ghostfleet(['help', ...topic]);
  expect([exit, err]).toEqual([0, '']);
  return out;
}

it('help exit-codes has each exit code of the program, and only these', async () => {
  const codes = [...(await help('exit-codes')).matchAll(/^(\d+)$/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual([...new Set(Object.values(EXIT))].sort((a, b) => a - b));
  expect(await help('exit', 'codes')).toBe(await help('exit-codes'));
});

it('help selectors has each field of selectors', async () => {
  const text = await help('selectors');
  expect(FIELD_NAMES.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  expect(text).not.toContain('## How it works');
});

it('help faults has each fault', async () => {
  const text = await help('faults');
  expect(FAULT_NAMES.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it('help expectations ends where the next section of the page begins', async () => {
  const text = await help('expectations');
  expect(text).toMatch(/^## Expectations\n\n```\nsum comparison sum/);
  expect(text).toContain('### Invariants');
  expect(text).not.toContain('In TypeScript');
});

it.each(['expectations', 'selectors', 'faults', 'exit-codes'])(
  'help %s has neither tables nor targets of links',
  async (topic) => {
    const text = await help(topic);
    expect(text).not.toMatch(/^\|.*\|$/m);
    expect(text).not.toMatch(/\]\(/);
  },
);

it('the pages of the topics are in the package and in the image', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('docs');
  expect(readFileSync('Dockerfile', 'utf8')).toContain('COPY docs docs\n');
});

it('--help names the topics', async () => {
  expect((await ghostfleet(['--help'])).out).toContain('help TOPIC');
});
