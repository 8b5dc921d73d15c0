import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/device/shell/command.js';
import { Shell, typable } from '../../../src/device/shell/shell.js';
import { shellDevice } from './shell-device.js';

/** A command that prints its arguments. Of the two groups below, only `handled` has a handler. */
const echo: Command = {
  word: 'echo',
  help: 'Print the arguments.',
  run: (_host, args) => ({ code: 0, lines: args }),
};
const one: Command = { ...echo, word: 'one', help: 'Take one.', args: [1, 1] };
const group: Command = { word: 'group', help: 'A group.', children: [echo, one] };
const handled: Command = {
  word: 'handled',
  help: 'A group that runs.',
  run: (_host, args) => ({ code: 7, lines: ['handled', ...args] }),
  children: [one],
};
const shell = new Shell([handled, group, echo]);

const GROUP_HELP = ['group - A group.', 'Subcommands:', '  echo  : Print the arguments.', '  one   : Take one.'];
const ONE_HELP = 'one - Take one.';

const host = shellDevice();
const run = (line: string) => shell.run(host, line);

describe('dispatch', () => {
  it('the longest chain of known words runs, the rest are arguments', () => {
    expect(run('group echo one "two three"')).toEqual({ code: 0, lines: ['one', 'two three'] });
  });

  it('a word after a command with a handler is an argument if the command has no such sub-command', () => {
    expect(run('handled two one')).toEqual({ code: 7, lines: ['handled', 'two', 'one'] });
  });

  it('an empty line does nothing', () => {
    expect(run('').lines).toEqual([]);
    expect(run('   ').lines).toEqual([]);
  });

  it('letters outside of ASCII and control characters reach the command', () => {
    expect(run('écho one')).toEqual({ code: -8, lines: ['écho: command not found'] });
    expect(run('echo\tžluťoučký \x07')).toEqual({ code: 0, lines: ['žluťoučký', '\x07'] });
  });

  it('a terminal drops them', () => {
    expect(typable('ec\tho\x1b žluťoučký')).toBe('echo luouk');
  });
});

describe('an invalid line', () => {
  it('with an unknown first word prints an error that names the word', () => {
    expect(run('reboot now')).toEqual({ code: -8, lines: ['reboot: command not found'] });
  });

  it('with a group without handler, alone or before an unknown word, prints the help of the group', () => {
    expect(run('group')).toEqual({ code: 1, lines: GROUP_HELP });
    expect(run('group foo bar')).toEqual({ code: 1, lines: GROUP_HELP, rejected: true });
  });

  it('with too few or too many arguments prints an error and the help', () => {
    expect(run('group one')).toEqual({ code: -22, lines: ['one: wrong parameter count', ONE_HELP] });
    expect(run('group one a b')).toEqual({ code: -22, lines: ['one: wrong parameter count', ONE_HELP] });
  });

  it('with an unclosed quotation mark is not run', () => {
    expect(run('echo "a b')).toEqual({ code: -8, lines: ['not terminated: "'] });
    expect(run(`echo 'a "b" c`)).toEqual({ code: -8, lines: ["not terminated: '"] });
  });

  it('is a line with more than 20 words', () => {
    const words = (n: number) => ['echo', ...Array.from({ length: n - 1 }, () => 'x')].join(' ');
    expect(run(words(20)).lines).toHaveLength(19);
    expect(run(words(21))).toEqual({ code: -8, lines: ['Too many arguments in the command.'] });
  });

  it('is a line with more than 255 bytes', () => {
    const line = (length: number) => `echo ${'x'.repeat(length - 5)}`;
    expect(run(line(255))).toEqual({ code: 0, lines: ['x'.repeat(250)] });
    expect(run(line(256))).toEqual({ code: -12, lines: [] });
    // Each ž has two bytes: 5 + 2 × 126 = 257.
    expect(run(`echo ${'ž'.repeat(126)}`)).toEqual({ code: -12, lines: [] });
  });
});

describe('help', () => {
  it('lists the root commands in alphabetical order below a hint', () => {
    const { code, lines } = run('help');
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/-h or --help/);
    expect(lines.slice(1)).toEqual([
      '',
      'Available commands:',
      '  echo     : Print the arguments.',
      '  group    : A group.',
      '  handled  : A group that runs.',
      '  help     : List all commands.',
    ]);
  });

  it('takes no argument', () => {
    expect(run('help echo')).toEqual({
      code: -22,
      lines: ['help: wrong parameter count', 'help - List all commands.'],
    });
  });

  it.each(['-h', '--help'])('%s shows the help of the command before it, whatever follows', (option) => {
    expect(run(`group ${option}`)).toEqual({ code: 1, lines: GROUP_HELP });
    expect(run(`group one ${option}`)).toEqual({ code: 1, lines: [ONE_HELP] });
    expect(run(`group one a ${option} "`)).toEqual({ code: 1, lines: [ONE_HELP] });
  });

  it('of an unknown command does not exist', () => {
    expect(run('foo -h')).toEqual({ code: -8, lines: ['foo: command not found', 'Please specify a subcommand.'] });
  });
});

it('no text makes the shell throw', () => {
  const pieces = fc.constantFrom('group', 'one', 'echo', 'handled', 'help', '-h', '"', "'", '\\', ' ', 'ž', 'x', '\0');
  const line = fc.oneof(
    fc.string(),
    fc.array(pieces).map((list) => list.join(' ')),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(line, (text) => {
      const { code, lines } = run(text);
      expect(Number.isInteger(code)).toBe(true);
      expect(lines.every((printed) => typeof printed === 'string')).toBe(true);
    }),
  );
});
