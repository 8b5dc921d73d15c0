/** What a run and its threads tell each other. All of it is plain data. */
import { type ExitCode, GhostfleetError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Millis } from '../../kernel/time.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { TransportName } from '../targets/embedded.js';
import type { End } from '../world/end.js';
import type { PlainProfiles } from '../world/plan-profiles.js';

/** Windows that a thread may finish before the others have finished the first of them. */
export const WINDOWS_AHEAD = 3;

/** The task of a thread. */
export interface Task {
  /** A part of the plan of the run. */
  readonly plan: Plan;
  /** The device types of the plan, by name. */
  readonly profiles: PlainProfiles;
  readonly transport: TransportName;
  /** After this much simulated time, the thread passes on its events and waits until it may go on. */
  readonly window: Millis;
}

/** From a thread to its run. (The other way, every message allows one more window.) */
export type Report =
  /** The events of a window, as lines of the event log. */
  | { readonly kind: 'window'; readonly lines: string }
  /** The last events, and how the part ended. */
  | { readonly kind: 'end'; readonly lines: string; readonly end: End; readonly simulatedMs: Millis }
  /** The world could not be built. */
  | { readonly kind: 'failed'; readonly error: Failure }
  | { readonly kind: 'log'; readonly level: keyof Log; readonly fields: object; readonly message: string };

/** An error without its class, which no message between threads or processes keeps. */
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
