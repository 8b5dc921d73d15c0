import { expect, it } from 'vitest';
import type { Command } from '../../../src/device/shell/command.js';
import { commandHelp } from '../../../src/device/shell/help.js';

it('a command without sub-commands has one line', () => {
  expect(commandHelp({ word: 'send', help: 'Send now.' })).toEqual(['send - Send now.']);
});

it('sub-commands are printed in two columns, in their own order', () => {
  const group: Command = {
    word: 'info',
    help: 'Facts.',
    children: [
      { word: 'show', help: 'All.' },
      { word: 'fw-name', help: 'Name.' },
    ],
  };
  expect(commandHelp(group)).toEqual(['info - Facts.', 'Subcommands:', '  show     : All.', '  fw-name  : Name.']);
});

it('a long text is broken at a space, and continues below its start', () => {
  // "  w  : " leaves 73 columns. Ten words of six characters with nine spaces between them fit: 69 characters.
  const text = Array.from({ length: 12 }, () => 'abcdef').join(' ');
  const lines = commandHelp({ word: 'g', help: 'G.', children: [{ word: 'w', help: text }] });
  expect(lines.slice(2)).toEqual([`  w  : ${text.slice(0, 69)}`, `       ${text.slice(70)}`]);
});

it('a text that exactly fills the line is not broken, and one more character breaks it', () => {
  const fits = `${'x'.repeat(70)} yz`;
  const wrapped = (help: string) => commandHelp({ word: 'g', help: 'G.', children: [{ word: 'w', help }] }).slice(2);
  expect(wrapped(fits)).toEqual([`  w  : ${fits}`]);
  expect(wrapped(`${fits}z`)).toEqual([`  w  : ${'x'.repeat(70)}`, '       yzz']);
});

it('a word that is longer than a line is continued on the next line', () => {
  const lines = commandHelp({ word: 'w', help: 'x'.repeat(100) });
  expect(lines).toEqual([`w - ${'x'.repeat(76)}`, `    ${'x'.repeat(24)}`]);
});
