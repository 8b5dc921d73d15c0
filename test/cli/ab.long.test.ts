/** Further tests beside ab.test.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { file, folder, KEYS, useClouds } from './ab-support.js';

const { apis, ab } = useClouds();

describe('ghostfleet ab', () => {
  it('ends with what is known after Ctrl-C, and says that this is not all', async () => {
    const markdown = join(folder, 'partial.md');
    const words = ['--runs', '20', '--markdown', markdown];
    const { exit, out, err } = await ab(words, { interruptOn: /seed 4 against B/ });
    expect([exit, err]).toEqual([130, expect.stringContaining('interrupted by SIGINT')]);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      / not finished: so far \D+ \(interrupted; [34] of 20 pairs of runs count\)/,
    );
    expect(readFileSync(markdown, 'utf8')).toMatch(/^### short: not finished: so far /);
  });

  it('compares nothing if too few pairs have ended', async () => {
    const { exit, out, err } = await ab(['--runs', '20'], { interruptOn: /seed 1 against B/ });
    expect([exit, out]).toEqual([130, '']);
    expect(err).toMatch(/[01] of 20 pairs of runs count: too few to compare, which needs 3\n/);
  });
});

it('run --seeds runs one after another against another cloud, with the key in the environment', async () => {
  const started: (readonly string[])[] = [];
  const target = ['--target', apis()[1], '--api-key', KEYS.GHOSTFLEET_API_KEY];
  const words = ['run', file, '--seeds', '2', ...target, '--link', 'http', '--speed', '20', '--json'];
  const { exit, out } = await ghostfleet(words, { started: (args) => void started.push(args) });
  expect(exit).toBe(0);
  expect(JSON.parse(out).passed).toBe(2);
  expect(started.flat()).not.toContain(KEYS.GHOSTFLEET_API_KEY);
});
