/**
 * The shell: splits a line into words, finds the command and runs it (shell S-3 to S-5).
 *
 * A shell belongs to a profile, not to a device: it has no state, and the caller passes the device with each line. A line can
 * have several errors; the checks run in the order of the firmware, word by word, so that the shell reports the same error.
 */
import { Buffer } from 'node:buffer';
import { EINVAL, ENOEXEC, ENOMEM, HELP_PRINTED, OK } from '../../protocol/errno.js';
import type { Command, CommandResult } from './command.js';
import { commandHelp, rootHelp } from './help.js';
import type { ShellHost } from './host.js';
import { splitWords } from './words.js';

/** Longest command line in bytes. */
const LINE_MAX = 255;
/** Maximum number of words in a line, including those of the command. */
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
    const found = this.find(line);
    return 'command' in found ? found.command.run(host, found.args, found.command) : found;
  }

  /** The command of a line with its arguments; the result of the line if the shell itself rejects or answers it. */
  find(line: string): FoundCommand | CommandResult {
    if (tooLong(line)) return { code: ENOMEM, lines: [] };
    const { words, unclosed } = splitWords(line);
    if (words.length === 0) return { code: ENOEXEC, lines: [] };

    const open = unclosed === undefined ? undefined : words.length - 1;
    const stop = words.slice(0, WORDS_MAX).findIndex((word, i) => i === open || (i > 0 && HELP_OPTIONS.has(word)));
    const searched = words.slice(0, stop < 0 ? WORDS_MAX : stop);
    const path = commandPath(this.#roots, searched);
    const printed = path.length === 0 ? searched.slice(0, 1).map((word) => `${word}: command not found`) : [];
    const fail = (text: string): CommandResult => ({ code: ENOEXEC, lines: [...printed, text] });
    const deepest = path.at(-1);
    if (stop === open) return fail(`not terminated: ${unclosed}`);
    if (stop >= 0) return deepest ? helpOf(deepest) : fail('Please specify a subcommand.');
    if (words.length > WORDS_MAX) return fail('Too many arguments in the command.');
    if (!deepest) return { code: ENOEXEC, lines: printed };

    const at = path.findLastIndex(isRunnable);
    const command = path[at];
    if (!command || !isRunnable(command)) {
      return { ...helpOf(deepest), ...(path.length < words.length && { rejected: true }) };
    }
    const args = words.slice(at + 1);
    const [min, max] = command.args ?? [0, WORDS_MAX];
    if (args.length < min || args.length > max) {
      return { code: EINVAL, lines: [`${command.word}: wrong parameter count`, ...commandHelp(command)] };
    }
    return { command, args };
  }
}

/** Options that print the help of the command before them. */
const HELP_OPTIONS: ReadonlySet<string> = new Set(['-h', '--help']);

/** Matches the first words of a line to commands: returns the root command first, then its subcommands down to the deepest. */
function commandPath(roots: readonly Command[], words: readonly string[]): readonly Command[] {
  const path: Command[] = [];
  let candidates = roots;
  for (const word of words) {
    const found = candidates.find((command) => command.word === word);
    if (!found) break;
    path.push(found);
    candidates = found.children ?? [];
  }
  return path;
}

/** A command that can be run, and the words after it. */
interface FoundCommand {
  readonly command: RunnableCommand;
  readonly args: readonly string[];
}

type RunnableCommand = Command & Required<Pick<Command, 'run'>>;

function isRunnable(command: Command): command is RunnableCommand {
  return command.run !== undefined;
}

/** Codes with which the shell and the commands reject a line. After any other error code, the command was executed and failed. */
const REJECTIONS: ReadonlySet<number> = new Set([EINVAL, ENOEXEC, ENOMEM]);

/** Whether a line was rejected instead of executed: an unknown command or option, a wrong number of words, an invalid value. */
export function isRejected({ code, rejected }: CommandResult): boolean {
  return rejected === true || REJECTIONS.has(code);
}

/** Whether a line is longer than a device accepts. */
export function tooLong(line: string): boolean {
  return line.length > LINE_MAX || Buffer.byteLength(line) > LINE_MAX;
}

function helpOf(command: Command): CommandResult {
  return { code: HELP_PRINTED, lines: commandHelp(command) };
}

/**
 * A line as a terminal passes it to the shell: without control characters (also TAB) and letters like "é". The lines of
 * downlinks don't pass the terminal and keep them (`shell_execute_cmd`).
 */
export function typable(line: string): string {
  return line.replace(/[^ -~]/g, '');
}
