/** Three interfaces of a clock: model code gets a Clock, code with I/O an EdgeClock, and only the runner a DrivenClock. */
import type { Instant, Millis, UnixMillis } from './time.js';

/** Calendar time at which a simulated world begins by default: 2026-01-01T00:00:00Z. */
export const DEFAULT_START: UnixMillis = 1_767_225_600_000;

/** A scheduled action. `cancel` has no effect if the action was already cancelled or has run. */
export interface Alarm {
  cancel(): void;
}

/** An alarm's function, or an object with `wake`, for code that exists once a device: a closure takes more memory. */
export type Action = (() => void) | { wake(): void };

/** Runs the actions of its alarms itself, for example to catch their errors. */
export interface AlarmOwner {
  run(action: Action): void;
}

/** Ends a hold; a second call has no effect. */
export type Release = () => void;

/** Time for code inside the simulation. */
export interface Clock {
  /** Milliseconds since the world began. */
  readonly now: Instant;
  /** The same moment as calendar time. */
  readonly wall: UnixMillis;
  /**
   * Runs `action` once, `delay` from now; `what` names it in errors. Alarms due together run in the order in which they were
   * set.
   * @param owner runs the action. Default: the clock runs it, and an error ends the time of the clock
   */
  after(delay: Millis, what: string, action: Action, owner?: AlarmOwner): Alarm;
}

/** For code with I/O, which holds virtual time while it waits for the outside world. */
export interface EdgeClock extends Clock {
  /** Stops virtual time until the release is called; real time cannot be stopped. `reason` names the hold in errors. */
  hold(reason: string): Release;
}

/** Lets time pass; only for the runner. */
export interface DrivenClock extends EdgeClock {
  /** Lets time pass until `work` settles, and returns its result or error. */
  attend<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass up to and including `deadline`. */
  runUntil(deadline: Instant): Promise<void>;
  /** Makes a pending `runUntil` or `attend` reject with the reason. */
  stop(reason: Error): void;
  /** Number of pending alarms. */
  readonly waiting: number;
}

/** Runs the action of an alarm. @param owner runs the action itself, if there is one */
export function perform(action: Action, owner?: AlarmOwner): void {
  if (owner !== undefined) owner.run(action);
  else if (typeof action === 'function') action();
  else action.wake();
}
