/** The Terminal that is the real one, with Node's line editor. */
import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import type { Terminal, TerminalOptions } from './host.js';

/** Lines that the arrow keys bring back. They are kept in memory only: what is typed at a shell may be secret. */
const HISTORY = 1000;

/** @param interrupt called for Ctrl-C, which is no signal while the line editor reads the keys */
export function processTerminal(
  { stdin, stdout }: NodeJS.Process,
  { prompt, complete }: TerminalOptions,
  interrupt: () => void,
): Terminal | undefined {
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const editor = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    historySize: HISTORY,
    removeHistoryDuplicates: true,
    prompt,
    completer: (line: string, done: (error: Error | null, result: [string[], string]) => void) => {
      const begun = /\S*$/.exec(line)?.[0] ?? '';
      complete(line).then(
        (words) => done(null, [words.length === 1 ? words.map((word) => `${word} `) : [...words], begun]),
        () => done(null, [[], begun]),
      );
    },
  });
  editor.on('SIGINT', interrupt);
  let closed = false;
  editor.on('close', () => {
    closed = true;
    // The prompt must not stand in front of what comes next.
    stdout.write('\n');
  });
  async function* lines(): AsyncIterable<string> {
    editor.prompt();
    for await (const line of editor) {
      yield line;
      if (!closed) editor.prompt();
    }
  }
  return {
    lines: lines(),
    print: (lines) => {
      const text = lines.map((line) => `${line}\n`).join('');
      if (text === '') return;
      if (closed) return void stdout.write(text);
      moveCursor(stdout, 0, -editor.getCursorPos().rows);
      cursorTo(stdout, 0);
      clearScreenDown(stdout);
      stdout.write(text);
      // The editor would draw a line of several rows further up, where it has been; Node has no other way to tell it.
      Object.assign(editor, { prevRows: 0 });
      editor.prompt(true);
    },
    prompt: (text) => editor.setPrompt(text),
    close: () => editor.close(),
  };
}
