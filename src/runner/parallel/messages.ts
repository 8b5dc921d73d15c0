/** The messages between a run and its threads. All of them are plain data. */
import { type ExitCode, GhostfleetError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Millis } from '../../kernel/time.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { TraceEvent } from '../../trace/events.js';
import type { TransportName } from '../targets/embedded.js';
import type { End } from '../world/end.js';
import type { PlainProfiles } from '../world/plan-profiles.js';

/** Maximum number of windows (see {@link Task.window}) by which a thread may be ahead of the slowest thread. */
export const WINDOWS_AHEAD = 3;

/** The task of a thread. */
export interface Task {
  /** A part of the plan of the run. */
  readonly plan: Plan;
  /** The device types of the plan, by name. */
  readonly profiles: PlainProfiles;
  readonly transport: TransportName;
  /** Where the cloud of the part keeps its data: the path of a file of its own, or `memory`. */
  readonly db: string;
  /**
   * Length of a window in simulated time. After each window, the thread sends its events, and waits if it is too far ahead.
   */
  readonly window: Millis;
}

/** From a run to a thread. */
export type Answer =
  /** The part may finish one more window. */
  | { readonly kind: 'permit' }
  /** Whether all parts were at rest at the last check. */
  | { readonly kind: 'rest'; readonly all: boolean };

/** An event with its line of the event log, without the line feed. */
export interface Logged {
  readonly event: TraceEvent;
  readonly line: string;
}

/**
 * Events of a part, in order. A part in a thread of its own sends them as text: one line for each event, each with a line feed
 * at its end.
 */
export type Lines = string | readonly Logged[];

/** The last events of a part, and how it ended. */
export interface PartEnd {
  readonly kind: 'end';
  readonly lines: Lines;
  readonly end: End;
  readonly simulatedMs: Millis;
}

/** From a part to its run. */
export type Report =
  /** The events of a window. */
  | { readonly kind: 'window'; readonly lines: Lines }
  /**
   * The scenario has ended. The part reports whether it is at rest, asks whether all parts are at rest, and waits for the
   * answer.
   */
  | { readonly kind: 'rest'; readonly isAtRest: boolean }
  | PartEnd
  /** The cloud or the fleet of the part could not be set up. */
  | { readonly kind: 'failed'; readonly error: Failure }
  | { readonly kind: 'log'; readonly level: keyof Log; readonly fields: object; readonly message: string };

/** An error as plain data, because messages between threads or processes lose the class of an error. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exit: ExitCode;
  readonly hint: string | undefined;
}

export function failureOf({ code, message, exit, hint }: GhostfleetError): Failure {
  return { code, message, exit, hint };
}

export function errorOf({ code, message, exit, hint }: Failure): GhostfleetError {
  return new GhostfleetError(code, message, exit, hint);
}
