/** Texts from files, devices and other clouds cannot control the terminal. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Host, TerminalOptions } from '../../src/cli/host.js';
import { makeSafeHost } from '../../src/cli/safe-host.js';
import { ApiError } from '../../src/client/errors.js';
import { printable, printableTexts } from '../../src/kernel/printable.js';
import { writeRecording } from '../../src/record/write.js';
import { writeCsvRow } from '../../src/report/csv-row.js';
import { downlink, recording, uplink } from '../record/fixtures.js';
import { ghostfleet } from '../support/host.js';

const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-terminals-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** Sets the title of the terminal, clears the screen, and writes from right to left. */
const EVIL = '\u001b]0;owned\u0007\u001b[2J\u202eevil';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the output must not contain these characters
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;

const scenario = join(folder, 'evil.yaml');
const text = JSON.stringify(EVIL);
writeFileSync(
  scenario,
  [
    `name: evil\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n`,
    `setup: [{ variable: { name: evil, value: ${text} } }, { tag: { name: ${text} } }]\n`,
    `steps: [{ at: 10s, shell: ${text}, unknown: true }]\n`,
  ].join(''),
);

describe('the output of', () => {
  it.each([['plan'], ['validate'], ['run'], ['run', '--json']])(
    '%s %s contains no control characters from a scenario',
    async (...args) => {
      const { out, err } = await ghostfleet([args[0] ?? '', scenario, ...args.slice(1)]);
      expect(out + err).not.toMatch(CONTROL);
    },
  );

  it.each(['compare', 'diverge', 'explain', 'validate', 'plan'])(
    '%s escapes the name of a file that cannot be read',
    async (command) => {
      const { exit, err } = await ghostfleet([
        command,
        EVIL,
        ...(command === 'compare' || command === 'diverge' ? [EVIL] : []),
      ]);
      expect(err).not.toMatch(CONTROL);
      expect([exit, err]).toEqual([2, expect.stringContaining('\\u001b[2J')]);
    },
  );

  it('a run contains the colours of the program, and no colours from texts', async () => {
    const written: string[] = [];
    const output = { write: (words: string) => written.push(words), isTerminal: true, columns: 80 };
    // The cast is safe because safeHost is used only for its outputs.
    const host = makeSafeHost({ out: output, err: output } as unknown as Host);
    host.out.write('\u001b[32mname\u001b[0m\n');
    host.out.write(`\u001b[32m${printable(EVIL)}\u001b[0m\n`, 'styled');
    expect(written).toEqual([
      '\\u001b[32mname\\u001b[0m\n',
      '\u001b[32m\\u001b]0;owned\\u0007\\u001b[2J\\u202eevil\u001b[0m\n',
    ]);
  });
});

it('invisible characters are escaped, except the selector of an emoji', () => {
  const invisible = [
    '\u034f',
    '\u115f',
    '\u17b4',
    '\u180b',
    '\u2065',
    '\u3164',
    '\ufe00',
    '\ufff0',
    '\u{e0000}',
    '\u{e0100}',
  ];
  for (const each of invisible) expect(printable(`a${each}`)).toMatch(/^a\\u/);
  expect(printable('\u2600\ufe0f ok')).toBe('\u2600\ufe0f ok');
  expect(printable('\u2600\ufe0f\ufe0fx\ufe0f')).toBe('\u2600\ufe0f\\ufe0fx\\ufe0f');
});

it('a terminal offers no words with control characters, and its prompt has none', async () => {
  const opened: TerminalOptions[] = [];
  const prompts: string[] = [];
  const bare = { prompt: (words: string) => prompts.push(words) };
  const terminal = (options: TerminalOptions) => {
    opened.push(options);
    return bare;
  };
  // The cast is safe because safeHost is used only for its terminal.
  const host = makeSafeHost({ terminal } as unknown as Host);
  host.terminal({ prompt: EVIL, complete: async () => ['lte', EVIL] })?.prompt(EVIL);
  expect([opened[0]?.prompt, ...prompts]).toEqual([printable(EVIL), printable(EVIL)]);
  expect(await opened[0]?.complete('l')).toEqual(['lte']);
});

it('results are escaped as a whole, including their keys', () => {
  expect(printableTexts({ [EVIL]: [{ name: EVIL, count: 1, at: null }] })).toEqual({
    [printable(EVIL)]: [{ name: printable(EVIL), count: 1, at: null }],
  });
});

it('a text in a result adds no line to its report', () => {
  const answer = { failure: 'no answer\n✓ all expectations met', 'a\nb': ['c\td'] };
  expect(printableTexts(answer)).toEqual({ failure: 'no answer\\n✓ all expectations met', 'a\\nb': ['c\\td'] });
});

it('messages of another cloud are printed on one line', () => {
  const error = new ApiError(400, { message: `first\nsecond${EVIL}` }, 'GET', '/v2/spaces');
  expect(error.message).toContain('first\\nsecond\\u001b]0;');
});

it.each(['replay', 'fit', 'explain'])(
  '%s prints the reason why a recording of another author is incomplete on one line',
  async (command) => {
    const file = join(folder, 'cut.jsonl');
    const cut = `x\nPASS: all within 1s\u2028PASS\r\nPASS${EVIL}`;
    writeFileSync(file, writeRecording(recording([uplink(1000)], [downlink(2000, 3000)], { cut })));
    const { out, err } = await ghostfleet([command, file]);
    expect(out + err).not.toMatch(CONTROL);
    expect((out + err).split(/[\n\u2028]/).filter((line) => line.startsWith('PASS'))).toEqual([]);
    if (command === 'replay') expect(out).toContain('the recording is incomplete: x\\nPASS');
  },
);

describe('a cell of a CSV table', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['+cmd|x', "'+cmd|x"],
    ['-2+3', "'-2+3"],
    ['\t=1', "'\t=1"],
    ['=a,"b"', '"\'=a,""b"""'],
    ['=a\u202e', "'=a\\u202e"],
  ])('that would start a formula is written as text: %j', (cell, expected) => {
    expect(writeCsvRow([cell])).toBe(`${expected}\r\n`);
  });

  it.each([-5, '-5', '+1.5', '-1e-7', '-.5', '-3%', 'a=b', ''])(
    'that would start no formula is unchanged: %j',
    (cell) => {
      expect(writeCsvRow([cell])).toBe(`${cell}\r\n`);
    },
  );
});
