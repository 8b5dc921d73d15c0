/**
 * The shell: splits a line into words, finds the command and runs it (firmware shell, 1.1 and 1.2).
 *
 * A shell belongs to a profile, not to a device: it has no state, and the caller passes the device with each line. A line can
 * have several errors; the checks run in the order of the firmware, word by word, so that the same one is reported.
 */
import { Buffer } from 'node:buffer';
import type { Command, CommandResult } from './command.js';
import { EINVAL, ENOEXEC, ENOMEM, HELP_PRINTED, OK } from './errno.js';
import { commandHelp, rootHelp } from './help.js';
import type { ShellHost } from './host.js';
import { splitWords } from './words.js';

/** Longest command line in bytes. */
const LINE_MAX = 255;
/** Most words in a line, including those of the command. */
const WORDS_MAX = 20;

export class Shell {
  readonly #roots: readonly Command[];

  /** Root commands, in alphabetical order. */
  get commands(): readonly Command[] {
    return this.#roots;
  }

  /** `roots` are the commands of the device type; `help` is built in. */
  constructor(roots: readonly Command[]) {
    const help: Command = {
      word: 'help',
      help: 'List all commands.',
      args: [0, 0],
      run: () => ({ code: OK, lines: rootHelp(this.#roots) }),
    };
    this.#roots = [...roots, help].sort((a, b) => (a.word < b.word ? -1 : 1));
  }

  /** Runs one line. Never throws. */
  run(host: ShellHost, line: string): CommandResult {
    if (tooLong(line)) return { code: ENOMEM, lines: [] };
    const { words, unclosed } = splitWords(typable(line));
    if (words.length === 0) return { code: ENOEXEC, lines: [] };

    const printed: string[] = [];
    const fail = (text: string): CommandResult => ({ code: ENOEXEC, lines: [...printed, text] });
    let candidates: readonly Command[] = this.#roots;
    /** The deepest command found so far, and the deepest one with a handler. */
    let deepest: Command | undefined;
    let runnable: Command | undefined;
    let args: readonly string[] = [];
    for (const [i, word] of words.slice(0, WORDS_MAX).entries()) {
      if (unclosed !== undefined && i === words.length - 1) return fail(`not terminated: ${unclosed}`);
      if (i > 0 && (word === '-h' || word === '--help')) {
        return deepest ? helpOf(deepest) : fail('Please specify a subcommand.');
      }
      const found = candidates.find((command) => command.word === word);
      if (!found) {
        if (i === 0) printed.push(`${word}: command not found`);
        candidates = [];
        continue;
      }
      candidates = found.children ?? [];
      deepest = found;
      if (found.run) {
        runnable = found;
        args = words.slice(i + 1);
      }
    }
    if (words.length > WORDS_MAX) return fail('Too many arguments in the command.');
    if (!deepest) return { code: ENOEXEC, lines: printed };
    if (!runnable?.run) return helpOf(deepest);
    const [min, max] = runnable.args ?? [0, WORDS_MAX];
    if (args.length < min || args.length > max) {
      return { code: EINVAL, lines: [`${runnable.word}: wrong parameter count`, ...commandHelp(runnable)] };
    }
    return runnable.run(host, args, runnable);
  }
}

/** Whether a line is longer than a device accepts. */
export function tooLong(line: string): boolean {
  return line.length > LINE_MAX || Buffer.byteLength(line) > LINE_MAX;
}

function helpOf(command: Command): CommandResult {
  return { code: HELP_PRINTED, lines: commandHelp(command) };
}

/** The firmware ignores all characters except printable ASCII: control characters, including TAB, and other letters. */
function typable(line: string): string {
  return line.replace(/[^ -~]/g, '');
}
