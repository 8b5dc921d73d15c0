/** What command handlers answer with, in the wordings that the firmware uses everywhere (firmware shell, 1.2 and 5). */
import type { Millis } from '../../kernel/time.js';
import type { CommandResult, Handler } from '../shell/command.js';
import { EINVAL, EIO, OK } from '../shell/errno.js';
import { commandHelp } from '../shell/help.js';

/** Success. */
export function ok(...lines: readonly string[]): CommandResult {
  return { code: OK, lines };
}

/** Success, and says so. */
export function succeeded(...lines: readonly string[]): CommandResult {
  return { code: OK, lines: [...lines, 'command succeeded'] };
}

/** Failure with these lines and nothing else. */
export function refused(code: number, ...lines: readonly string[]): CommandResult {
  return { code, lines };
}

/** Failure, and says so after the lines. */
export function failed(code: number, ...lines: readonly string[]): CommandResult {
  return { code, lines: [...lines, 'command failed'] };
}

/** Prints these lines now; after `wait` the command goes on. */
export function later(lines: readonly string[], wait: Millis, go: () => CommandResult): CommandResult {
  return { code: OK, lines, rest: { wait, go } };
}

/**
 * Prints what `round` returns, a number of times (at least once) and `every` so often, then ends as `done` says. Rounds
 * count from 1. A round that fails, ends the command.
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

/** A sensor or a module that does not answer. */
export function noAnswer(): CommandResult {
  return failed(EIO);
}

/** Runs `use` on what a sensor shows; one that shows nothing fails the command. */
export function withReading<T>(reading: T | undefined, use: (reading: T) => CommandResult): CommandResult {
  return reading === undefined ? noAnswer() : use(reading);
}

/** Handler of a command group: prints its help; for an unknown word, an error and the help. */
export const groupHelp: Handler = (_host, args, command) =>
  args.length === 0
    ? ok(...commandHelp(command))
    : refused(EINVAL, `command not found: ${args[0]}`, ...commandHelp(command));
