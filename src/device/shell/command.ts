/**
 * Shell commands: a tree of plain data with functions at the leaves. It is built once for each profile and shared by all its
 * devices. Commands reach the device through the {@link ShellHost} only.
 */
import type { Millis } from '../../kernel/time.js';
import type { BootCause } from '../../trace/events.js';
import type { ShellHost } from './host.js';

/** A word of the command line, with its subcommands. */
export interface Command {
  readonly word: string;
  readonly help: string;
  /** Minimum and maximum number of words after this one; undefined if the handler checks the number itself (shell S-5). */
  readonly args?: readonly [min: number, max: number];
  /** Undefined for a group, which prints its help. */
  readonly run?: Handler;
  /** Subcommands, in the order of the help. */
  readonly children?: readonly Command[];
}

/** Runs a command; `args` are the words after the command's own. Never throws for invalid words. */
export type Handler = (host: ShellHost, args: readonly string[], command: Command) => CommandResult;

/** Result of a command line. */
export interface CommandResult {
  /** 0, 1 (the shell printed help) or a negative errno (errno.ts). */
  readonly code: number;
  /** Printed lines, without line ends. */
  readonly lines: readonly string[];
  /** Set when the line was rejected although `code` is that of success or of a help text (shell S-5, S-14). */
  readonly rejected?: true;
  /** Set when the firmware must restart at once; `lines` are then discarded. */
  readonly reboot?: BootCause;
  /** Set while the command is still running: `lines` are its output so far, and `code` is 0. */
  readonly rest?: Rest;
  /**
   * Printed by the application after the command has returned. A terminal shows it; the capture for the cloud ends with the
   * command (shell S-42).
   */
  readonly afterwards?: readonly string[];
}

/**
 * The rest of a running command: a scan, a measurement, another line each second. The caller calls `go` after `wait`, unless
 * the device has restarted in the meantime. The shell itself has no clock.
 */
export interface Rest {
  readonly wait: Millis;
  readonly go: () => CommandResult;
}
