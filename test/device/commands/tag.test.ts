import { describe, expect, test } from 'vitest';
import { buildShell } from '../../../src/device/commands/index.js';
import { modules } from '../config/specs.js';
import { fakeHost } from '../shell/fake-host.js';

const shell = buildShell(['tag'], modules());
const A = '0000000000aa';
const B = '0000000000bb';

/** Runs the lines on one device and returns the result of the last. */
function session(...lines: readonly string[]) {
  const host = fakeHost();
  let result = shell.run(host, 'tag config show');
  for (const line of lines) result = shell.run(host, line);
  return result;
}

describe('tag config', () => {
  test('show prints parameters and slots, without a closing line', () => {
    expect(session(`tag config devices add ${A}`, 'tag config show')).toEqual({
      code: 0,
      lines: [
        'tag config enabled false',
        'tag config scan-interval 300',
        'tag config scan-duration 12',
        `tag config devices addr 0 ${A}`,
        'tag config devices addr 1 000000000000',
        'tag config devices addr 2 000000000000',
      ],
    });
  });

  test.each([
    ['enabled', 'true', 'false'],
    ['scan-interval', '86400', '300'],
    ['scan-duration', '1', '12'],
  ])('%s is read and written with a closing line', (name, written, before) => {
    const read = `tag config ${name}`;
    expect(session(read).lines).toEqual([`${read} ${before}`, 'command succeeded']);
    expect(session(`${read} ${written}`)).toEqual({ code: 0, lines: ['command succeeded'] });
    expect(session(`${read} ${written}`, read).lines).toEqual([`${read} ${written}`, 'command succeeded']);
  });

  test.each(['enabled yes', 'scan-interval 0', 'scan-interval 86401', 'scan-duration x'])('%s fails', (words) => {
    expect(session(`tag config ${words}`)).toEqual({ code: -22, lines: ['invalid input', 'command failed'] });
  });
});

describe('tag config devices', () => {
  test('add takes the first free slot', () => {
    expect(session(`tag config devices add ${A}`, `tag config devices add ${B}`)).toEqual({
      code: 0,
      lines: [`tag addr ${B} added to slot 1`, 'command succeeded'],
    });
  });

  test('add refuses an address twice, in either case', () => {
    expect(session(`tag config devices add ${A}`, `tag config devices add ${A.toUpperCase()}`)).toEqual({
      code: -17,
      lines: [`tag addr ${A.toUpperCase()} already exists`, 'command failed'],
    });
  });

  test('add fails when all slots are taken', () => {
    const adds = [1, 2, 3, 4].map((n) => `tag config devices add 00000000000${n}`);
    expect(session(...adds)).toEqual({ code: -28, lines: ['no slot available', 'command failed'] });
  });

  test('add does not notice a malformed address, and claims a negative slot', () => {
    expect(session('tag config devices add c0ffee')).toEqual({
      code: 0,
      lines: ['tag addr c0ffee added to slot -22', 'command succeeded'],
    });
    expect(session('tag config devices add c0ffee', 'tag config show')).toEqual(session('tag config show'));
  });

  test('list prints the slots', () => {
    expect(session(`tag config devices add ${A}`, 'tag config devices list').lines).toEqual([
      `tag config devices addr 0 ${A}`,
      'tag config devices addr 1 000000000000',
      'tag config devices addr 2 000000000000',
      'command succeeded',
    ]);
  });

  test.each([
    [A, `tag addr ${A} removed`],
    ['0', 'slot 0 removed'],
  ])('remove %s empties the slot', (what, line) => {
    const add = `tag config devices add ${A}`;
    expect(session(add, `tag config devices remove ${what}`).lines).toEqual([line, 'command succeeded']);
    expect(session(add, `tag config devices remove ${what}`, 'tag config show')).toEqual(session('tag config show'));
  });

  test.each([
    [A, -2, `tag addr ${A} not found`],
    ['3', -22, 'slot 3 out of range'],
    ['-1', -22, 'slot -1 out of range'],
    ['1', -2, 'slot is already empty'],
  ])('remove %s fails', (what, code, line) => {
    expect(session(`tag config devices remove ${what}`)).toEqual({ code, lines: [line, 'command failed'] });
  });

  test('clear empties all slots', () => {
    const lines = [`tag config devices add ${A}`, `tag config devices add ${B}`, 'tag config devices clear'];
    expect(session(...lines).lines).toEqual(['command succeeded']);
    expect(session(...lines, 'tag config show')).toEqual(session('tag config show'));
  });

  test('the lines of the listing are no commands', () => {
    const { code, lines } = session('tag config devices addr 0 000000000000');
    expect([code, lines[0]]).toEqual([-22, 'devices: wrong parameter count']);
  });
});
