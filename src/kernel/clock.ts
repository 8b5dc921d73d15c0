/**
 * What code may know about time, in three widths: model code gets a Clock, code at the edge an EdgeClock,
 * and only the runner a DrivenClock.
 */
import type { Instant, Millis, UnixMillis } from './time.js';

/** A thing that will happen; cancelling one that has happened, or twice, does nothing. */
export interface Alarm {
  cancel(): void;
}

/** Ends a hold; calling it twice does nothing. */
export type Release = () => void;

/** All that code inside the simulation may know about time. */
export interface Clock {
  /** Milliseconds since the world began. */
  readonly now: Instant;
  /** The same moment as a calendar time. */
  readonly wall: UnixMillis;
  /** Calls `action` once, `delay` from now. Alarms due together run in the order in which they were set. */
  after(delay: Millis, what: string, action: () => void): Alarm;
}

/** Code at the edge may also keep time still while the outside world answers. */
export interface EdgeClock extends Clock {
  /** Virtual time does not advance until the release is called. In real time a hold only counts. */
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
