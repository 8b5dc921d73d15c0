/** The line at the bottom of a terminal. */
import { describe, expect, it } from 'vitest';
import { LineEditor } from '../../web/src/pages/terminal/line-editor.js';

const [UP, LEFT, RIGHT, ENTER, TAB] = ['\x1b[A', '\x1b[D', '\x1b[C', '\r', '\t'];
const [BACK, DELETE] = ['\x7f', '\x1b[3~'];

function editorOf({ columns = 80, words = [] as readonly string[], history = [] as string[], line = '' } = {}) {
  const entered: string[] = [];
  let output = '';
  const editor = new LineEditor({
    ...{
      history,
      typed: { line },
      columns: () => columns,
      enter: (line) => entered.push(line),
      complete: async () => words,
    },
    write: (text) => {
      output += text;
    },
  });
  editor.ask('> ');
  /** The text in the last row. */
  const row = () => output.slice(output.lastIndexOf('\x1b[K') + 3);
  return { editor, entered, row, history };
}

describe('a line of a terminal', () => {
  it('is recalled with the arrow keys, even if it was entered in another terminal', () => {
    const { editor, entered, row } = editorOf({ history: ['info show'] });
    editor.type('help');
    editor.type(ENTER);
    for (const key of [UP, UP]) editor.type(key);
    expect([entered, row()]).toEqual([['help'], '> info show']);
  });

  it('begins with what was typed before the terminal was closed', () => {
    const { editor, row } = editorOf({ line: 'info sh' });
    editor.type('o');
    expect(row()).toBe('> info sho');
  });

  it('shows the part around the cursor if it is longer than the row', () => {
    const { editor, row } = editorOf({ columns: 11 });
    editor.type('0123456789');
    expect(row()).toBe('> 23456789');
    for (let n = 0; n < 10; n++) editor.type(LEFT);
    expect(row()).toBe('> 01234567\r> ');
  });

  it('stays when a button enters another line, and when the prompt changes', () => {
    const { editor, entered, row, history } = editorOf();
    editor.type('info sh');
    editor.submit('.battery 5%');
    expect([entered, history, row()]).toEqual([['.battery 5%'], ['.battery 5%'], '> info sh']);
    editor.ask('remote> ');
    expect(row()).toBe('remote> info sh');
  });

  it.each([
    ['info\tshow\r', 'info show'],
    ['\tinfo show\t\r', ' info show '],
    ['app config\t\tmode "a\tb"\n', 'app config  mode "a b"'],
    ['info\v\fshow\r', 'info  show'],
  ])('has blanks for the white space of pasted text: %j', (pasted, line) => {
    const { editor, entered } = editorOf({ words: ['completed'] });
    editor.type(pasted);
    expect(entered).toEqual([line]);
  });

  it('is completed as far as all completions agree', async () => {
    const { editor, row } = editorOf({ words: ['interval-report', 'interval-sample'] });
    editor.type('app config int');
    editor.type(TAB);
    await expect.poll(row).toBe('> app config interval-');
  });

  it('is completed by whole characters', async () => {
    const { editor, row } = editorOf({ words: ['orchard-🍎', 'orchard-🍊'] });
    editor.type('.select or');
    editor.type(TAB);
    await expect.poll(row).toBe('> .select orchard-');
  });

  describe.each([
    ['🙂', 2],
    ['👩‍👩‍👧', 10],
    ['🇨🇿', 4],
    ['e\u0301', 3],
    ['字', 2],
  ])('with the character %s', (character, widest) => {
    it('loses all of it by one Backspace, and by one Delete', () => {
      const { editor, entered } = editorOf();
      for (const key of [`a${character}`, BACK, ENTER]) editor.type(key);
      for (const key of [`${character}b`, '\x1b[H', DELETE, ENTER]) editor.type(key);
      expect(entered).toEqual(['a', 'b']);
    });

    it('moves the cursor over all of it, and shows the cursor behind what is before it', () => {
      const { editor, entered, row } = editorOf();
      for (const key of [`a${character}b`, LEFT, LEFT]) editor.type(key);
      expect(row()).toBe(`> a${character}b\r> a`);
      for (const key of ['x', RIGHT, 'y', ENTER]) editor.type(key);
      expect(entered).toEqual([`ax${character}yb`]);
    });

    it('never shows a part of it, and never more than a row', () => {
      const { editor, row } = editorOf({ columns: 12 });
      editor.type(character.repeat(20));
      const shown = row().slice('> '.length);
      const times = shown.length / character.length;
      expect(shown).toBe(character.repeat(times));
      expect(times).toBe(Math.floor(9 / widest));
    });
  });
});
