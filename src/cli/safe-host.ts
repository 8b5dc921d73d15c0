/**
 * The one place where the program makes its output safe for terminals. Whatever a command prints may contain texts from files,
 * devices and other clouds, so control characters are escaped on the way out. A few texts contain control characters that a
 * command adds on purpose. The command marks them as `styled`, and itself escapes the parts that come from elsewhere.
 */
import { printable, printableLine } from '../kernel/printable.js';
import type { Host, Output, Terminal } from './host.js';

/** The host with outputs that escape control characters. */
export function makeSafeHost(host: Host): Host {
  return {
    ...host,
    out: makeSafeOutput(host.out),
    err: makeSafeOutput(host.err),
    terminal: ({ prompt, complete }) => {
      const terminal = host.terminal({
        prompt: printableLine(prompt),
        // A word that cannot be shown as it is cannot be offered.
        complete: async (line) => (await complete(line)).filter((word) => printableLine(word) === word),
      });
      return terminal && makeSafeTerminal(terminal);
    },
  };
}

function makeSafeOutput(output: Output): Output {
  return {
    write: (text, own) => output.write(own === 'styled' ? text : printable(text)),
    get isTerminal() {
      return output.isTerminal;
    },
    get columns() {
      return output.columns;
    },
  };
}

function makeSafeTerminal(terminal: Terminal): Terminal {
  return {
    ...terminal,
    print: (lines) => terminal.print(lines.map(makeSafeLine)),
    prompt: (text) => terminal.prompt(printableLine(text)),
  };
}

/** Escapes a line. If the codes for faint text enclose the whole line, they are kept. */
function makeSafeLine(line: string): string {
  const inner = FAINT.exec(line)?.[1];
  return inner === undefined ? printable(line) : `\u001b[2m${printable(inner)}\u001b[22m`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: codes of a terminal begin with the control character ESC
const FAINT = /^\u001b\[2m(.*)\u001b\[22m$/su;
