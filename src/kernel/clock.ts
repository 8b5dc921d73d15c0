/**
 * What code may know about time, in three widths: model code gets a Clock, code at the edge an EdgeClock,
 * and only the runner a DrivenClock.
 */
import type { Instant, Millis, UnixMillis } from './time.js';

/** Calendar time at which a simulated world begins by default: 2026-01-01T00:00:00Z. */
export const DEFAULT_START: UnixMillis = 1_767_225_600_000;

/** A thing that will happen; cancelling one that has happened, or twice, does nothing. */
export interface Alarm {
  cancel(): void;
}

/**
 * What happens at an alarm: a function is called, anything else is woken. Who waits most of the time, once a device of a
 * fleet, rather wants to be woken: a closure is larger than the alarm.
 */
export type Action = (() => void) | { wake(): void };

/** Ends a hold; calling it twice does nothing. */
export type Release = () => void;

/** All that code inside the simulation may know about time. */
export interface Clock {
  /** Milliseconds since the world began. */
  readonly now: Instant;
  /** The same moment as a calendar time. */
  readonly wall: UnixMillis;
  /** Performs `action` once, `delay` from now. Alarms due together run in the order in which they were set. */
  after(delay: Millis, what: string, action: Action): Alarm;
}

/** Code at the edge may also keep time still while the outside world answers. */
export interface EdgeClock extends Clock {
  /** Virtual time does not advance until the release is called. Real time does not wait for anybody. */
  hold(reason: string): Release;
}

/** Only the runner lets time pass. */
export interface DrivenClock extends EdgeClock {
  /** Lets time pass until `work` settles, and settles like it. */
  attend<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass up to and including `deadline`. */
  runUntil(deadline: Instant): Promise<void>;
  /** Ends a `runUntil` or `attend` that is under way: they reject with the reason. */
  stop(reason: Error): void;
  /** Number of alarms that have not happened yet. */
  readonly waiting: number;
}

/** What a clock does when an alarm is due. */
export function perform(action: Action): void {
  if (typeof action === 'function') action();
  else action.wake();
}
