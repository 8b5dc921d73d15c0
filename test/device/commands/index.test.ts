import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMAND_GROUPS } from '../../../src/device/commands/groups.js';
import { buildShell } from '../../../src/device/commands/index.js';
import type { Command } from '../../../src/device/shell/command.js';
import { COMMAND_WORDS } from '../../../src/profile/command-words.js';
import { modules } from '../config/specs.js';
import { shellDevice } from '../shell/shell-device.js';

it('COMMAND_GROUPS has a group for every word that a profile may name, except help; each group makes the command of its word', () => {
  expect([...Object.keys(COMMAND_GROUPS), 'help'].sort()).toEqual([...COMMAND_WORDS].sort());
  for (const [word, make] of Object.entries(COMMAND_GROUPS)) expect(make(() => true).word).toBe(word);
});

it('the command cloud has neither spool nor config in a device type without the module cloud', () => {
  const shell = buildShell(['cloud'], []);
  expect(shell.run(shellDevice(), 'cloud spool count').lines[0]).toBe('command not found: spool');
  expect(shell.run(shellDevice(), 'cloud config show').lines[0]).toBe('command not found: config');
});

it('no line makes a command throw', () => {
  const words = new Set(
    Object.values(COMMAND_GROUPS).flatMap((make) => walk(make(() => true)).map((each) => each.word)),
  );
  const word = fc.oneof(
    fc.constantFrom(...words),
    fc.constantFrom('*', '0', '-1', '99999999999', '""', 'addr'),
    fc.string(),
  );
  const shell = buildShell(COMMAND_WORDS, modules());
  const host = shellDevice({ spooled: 1, channels: [{ mode: 'disabled' }] });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (line) => {
      const { code, lines } = shell.run(host, line.join(' '));
      expect(Number.isInteger(code)).toBe(true);
      expect(
        lines.every((printed) => !/[\r\n]/.test(printed)),
        line.join(' '),
      ).toBe(true);
    }),
  );
});

describe.each(Object.entries(COMMAND_GROUPS))('%s', (word, make) => {
  const root = make(() => true);

  it('is registered under its own word', () => {
    expect(root.word).toBe(word);
  });

  it('has a help text of one plain line for every command, and each can be run or has sub-commands', () => {
    for (const command of walk(root)) {
      expect(command.help, command.word).toMatch(/^[ -~]+$/);
      expect(command.run !== undefined || (command.children?.length ?? 0) > 0, command.word).toBe(true);
    }
  });

  it('has no sub-command twice', () => {
    for (const command of walk(root)) {
      const words = (command.children ?? []).map((child) => child.word);
      expect(new Set(words).size).toBe(words.length);
    }
  });
});

function walk(command: Command): readonly Command[] {
  return [command, ...(command.children ?? []).flatMap(walk)];
}
