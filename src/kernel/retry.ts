/** Retries as data: a schedule is an iterable of tries, without a timer of its own. */

/** Tries in order, such as delays. After the last one, the code that uses the schedule gives up. */
export type RetrySchedule<T> = Iterable<T>;

/** The given tries, again and again. */
export function* cycle<T>(tries: readonly T[]): Generator<T, void> {
  if (tries.length === 0) return;
  for (;;) yield* tries;
}

/** The given tries once; then the last `tail` of them again and again (all of them when `tail` is not given). */
export function* thenRepeating<T>(tries: readonly T[], tail: number = tries.length): Generator<T, void> {
  yield* tries;
  yield* cycle(tries.slice(Math.max(0, tries.length - tail)));
}
