/**
 * What a shell command is: plain data with a function at the leaves. A profile's commands form one tree, built once and
 * shared by all its devices; everything that belongs to a device comes in through the {@link ShellHost}.
 */
import type { Millis } from '../../kernel/time.js';
import type { BootCause } from '../../trace/events.js';
import type { ShellHost } from './host.js';

/** A word of the command line, with what lies below it. */
export interface Command {
  readonly word: string;
  readonly help: string;
  /** Least and most words after this one; left out when the handler counts for itself (firmware shell, 1.2). */
  readonly args?: readonly [min: number, max: number];
  /** Left out for a pure group: called alone, it prints its help. */
  readonly run?: Handler;
  /** In the order in which help lists them. */
  readonly children?: readonly Command[];
}

/** Does the work of a command; `args` are the words after the command's own. Never throws for bad words. */
export type Handler = (host: ShellHost, args: readonly string[], command: Command) => CommandResult;

/** What a command line has led to. */
export interface CommandResult {
  /** 0, 1 (help was printed) or a negative errno, see errno.ts. */
  readonly code: number;
  /** What was printed, without line ends. */
  readonly lines: readonly string[];
  /** Set when the firmware must restart at once; `lines` are then discarded. */
  readonly reboot?: BootCause;
  /** The command is not over yet: `lines` are what it has printed so far, and `code` is 0. */
  readonly rest?: Rest;
  /**
   * Printed by the application when the command has returned. A terminal shows it; what the cloud catches of a command
   * ends with the command (firmware shell, 7.1, asynchronous text).
   */
  readonly afterwards?: readonly string[];
}

/**
 * The part of a command that comes later: a scan, a measurement, another line each second. The caller of the command calls
 * `go` when `wait` is over, unless the device has restarted meanwhile. The shell itself knows no clock.
 */
export interface Rest {
  readonly wait: Millis;
  readonly go: () => CommandResult;
}
