/** The Terminal of the real process, with Node's line editor. */
import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import { movesCursor, type Terminal, type TerminalOptions } from './host.js';

/** Maximum number of lines in the history. The history is kept in memory only, because typed lines may contain secrets. */
const HISTORY = 1000;

/** @param interrupt called for Ctrl-C, which the line editor reads as a key press */
export function processTerminal(
  self: NodeJS.Process,
  { prompt, complete }: TerminalOptions,
  interrupt: () => void,
): Terminal | undefined {
  const { stdin, stdout, env } = self;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const editor = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    historySize: HISTORY,
    removeHistoryDuplicates: true,
    prompt,
    completer: (line: string, done: (error: Error | null, result: [string[], string]) => void) => {
      const begun = /(?<!\S)\S*$/.exec(line)?.[0] ?? '';
      complete(line).then(
        (words) => done(null, [words.length === 1 ? words.map((word) => `${word} `) : [...words], begun]),
        () => done(null, [[], begun]),
      );
    },
  });
  editor.on('SIGINT', interrupt);
  // After Ctrl-Z or SIGSTOP, the shell has reset the terminal, and after Ctrl-Z, the editor has paused.
  const resume = () => {
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    editor.prompt(true);
  };
  self.on('SIGCONT', resume);
  editor.on('SIGCONT', resume);
  let closed = false;
  editor.on('close', () => {
    closed = true;
    self.off('SIGCONT', resume);
    // Moves later output off the line of the prompt.
    stdout.write('\n');
  });
  async function* lines(): AsyncIterable<string> {
    editor.prompt();
    for await (const line of editor) {
      // In pasted text, TAB is white space. The shell of a device would drop it, as that of a real one does.
      yield line.replaceAll('\t', ' ');
      if (!closed) editor.prompt();
    }
  }
  return {
    lines: lines(),
    print: (lines) => {
      const text = lines.map((line) => `${line}\n`).join('');
      if (text === '') return;
      if (closed || !movesCursor({ isTerminal: true }, env)) return void stdout.write(text);
      moveCursor(stdout, 0, -editor.getCursorPos().rows);
      cursorTo(stdout, 0);
      clearScreenDown(stdout);
      stdout.write(text);
      // Without this reset, the editor redraws a line of several rows at its old place. Node has no public method that resets
      // `prevRows`.
      Object.assign(editor, { prevRows: 0 });
      editor.prompt(true);
    },
    prompt: (text) => editor.setPrompt(text),
    close: () => editor.close(),
  };
}
