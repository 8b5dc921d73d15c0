/** Back-off as data: a schedule is an iterable of waits, and whoever walks it owns the timer. */
import type { Millis } from './time.js';

/** Waits in milliseconds, in order. When it ends, the user of the schedule gives up. */
export type RetrySchedule = Iterable<Millis>;

/** `first`, then `step` more each time, at most `ceiling`, for ever. */
export function* linearBackoff(first: Millis, step: Millis, ceiling: Millis): Generator<Millis, never> {
  for (let wait = first; ; wait = Math.min(wait + step, ceiling)) yield Math.min(wait, ceiling);
}

/** The given waits, again and again. */
export function* cycle(waits: readonly Millis[]): Generator<Millis, void> {
  if (waits.length === 0) return;
  for (;;) yield* waits;
}

/** The given waits once; then the last `tail` of them again and again (all of them when `tail` is not given). */
export function* thenRepeating(waits: readonly Millis[], tail: number = waits.length): Generator<Millis, void> {
  yield* waits;
  yield* cycle(waits.slice(Math.max(0, waits.length - tail)));
}
