/** The line at the bottom of a terminal. */
import { describe, expect, it } from 'vitest';
import { LineEditor } from '../../web/src/pages/terminal/line-editor.js';

const [UP, LEFT, ENTER, TAB] = ['\x1b[A', '\x1b[D', '\r', '\t'];

function editorOf({ columns = 80, words = [] as readonly string[], history = [] as string[] } = {}) {
  const entered: string[] = [];
  let output = '';
  const editor = new LineEditor({
    ...{ history, columns: () => columns, enter: (line) => entered.push(line), complete: async () => words },
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

  it('shows the part around the cursor if it is longer than the row', () => {
    const { editor, row } = editorOf({ columns: 11 });
    editor.type('0123456789');
    expect(row()).toBe('> 23456789');
    for (let n = 0; n < 10; n++) editor.type(LEFT);
    expect(row()).toBe('> 01234567\x1b[8D');
  });

  it('stays when a button enters another line, and when the prompt changes', () => {
    const { editor, entered, row, history } = editorOf();
    editor.type('info sh');
    editor.submit('.battery 5%');
    expect([entered, history, row()]).toEqual([['.battery 5%'], ['.battery 5%'], '> info sh']);
    editor.ask('remote> ');
    expect(row()).toBe('remote> info sh');
  });

  it('is completed as far as all completions agree', async () => {
    const { editor, row } = editorOf({ words: ['interval-report', 'interval-sample'] });
    editor.type('app config int');
    editor.type(TAB);
    await expect.poll(row).toBe('> app config interval-');
  });
});
