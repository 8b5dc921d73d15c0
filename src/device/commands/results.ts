/** Results of command handlers, with the firmware's common texts (shell S-5, S-6). */
import type { Millis } from '../../kernel/time.js';
import { EINVAL, EIO, OK } from '../../protocol/errno.js';
import type { CommandResult, Handler } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';

/** Success. */
export function ok(...lines: readonly string[]): CommandResult {
  return { code: OK, lines };
}

/** Result of a rejected parameter or value: the firmware prints the reason and returns 0 (shell S-14). */
export function rejected(...lines: readonly string[]): CommandResult {
  return { code: OK, lines, rejected: true };
}

/** Success: the given lines, then `command succeeded`. */
export function succeeded(...lines: readonly string[]): CommandResult {
  return { code: OK, lines: [...lines, 'command succeeded'] };
}

/** Failure with only these lines. */
export function refused(code: number, ...lines: readonly string[]): CommandResult {
  return { code, lines };
}

/** Failure: the given lines, then `command failed`. */
export function failed(code: number, ...lines: readonly string[]): CommandResult {
  return { code, lines: [...lines, 'command failed'] };
}

/** Prints these lines now and continues with `go` after `wait`. */
export function later(lines: readonly string[], wait: Millis, go: () => CommandResult): CommandResult {
  return { code: OK, lines, rest: { wait, go } };
}

/**
 * Prints the lines of `round`, `times` times (at least once) with `every` between two rounds, then ends with the result of
 * `done`. Rounds count from 1. If `round` returns a result instead of lines, the command ends with this result.
 */
export function rounds(
  times: number,
  every: Millis,
  round: (n: number) => readonly string[] | CommandResult,
  done: () => CommandResult,
): CommandResult {
  const from = (n: number): CommandResult => {
    const lines = round(n);
    if ('code' in lines) return lines;
    return n < times ? later(lines, every, () => from(n + 1)) : prepend(lines, done());
  };
  return from(1);
}

/** The result with these lines before its own. */
export function prepend(lines: readonly string[], result: CommandResult): CommandResult {
  return { ...result, lines: [...lines, ...result.lines] };
}

/** Result if a sensor or a module does not answer. */
export function noAnswer(): CommandResult {
  return failed(EIO);
}

/** Runs `use` on a reading; the command fails if the reading is undefined. */
export function withReading<T>(reading: T | undefined, use: (reading: T) => CommandResult): CommandResult {
  return reading === undefined ? noAnswer() : use(reading);
}

/** Handler of a command group: prints its help; for an unknown word, an error and the help. */
export const groupHelp: Handler = (_host, args, command) =>
  args.length === 0
    ? ok(...commandHelp(command))
    : refused(EINVAL, `command not found: ${args[0]}`, ...commandHelp(command));
