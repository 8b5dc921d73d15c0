/** What command handlers answer with, in the wordings that the firmware uses everywhere (firmware shell, 1.2 and 5). */
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

/** A sensor or a module that does not answer. */
export function noAnswer(): CommandResult {
  return failed(EIO);
}

/** Runs `use` on what a sensor shows; one that shows nothing fails the command. */
export function withReading<T>(reading: T | undefined, use: (reading: T) => CommandResult): CommandResult {
  return reading === undefined ? noAnswer() : use(reading);
}

/** Handler of a group that has one: prints its help, and complains about a word that is no command of the group. */
export const groupHelp: Handler = (_host, args, command) =>
  args.length === 0
    ? ok(...commandHelp(command))
    : refused(EINVAL, `command not found: ${args[0]}`, ...commandHelp(command));
