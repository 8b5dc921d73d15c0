/** Bare timers, with which benchmarks compare the lateness of a fleet in real time. */
import type { Millis } from '../src/kernel/time.js';
import { Distribution } from '../src/trace/distribution.js';

/** Steps per millisecond in which lateness is recorded. */
export const MICROSECONDS = 1000;

/**
 * Measures the lateness of timers that do nothing.
 * @param dues due times of the timers, counted from now, ascending
 */
export function bareLoop(dues: readonly Millis[]): Promise<Distribution> {
  return new Promise((resolve) => {
    const late = new Distribution(MICROSECONDS);
    const began = performance.now();
    let next = 0;
    const fire = () => {
      for (;;) {
        const due = dues[next];
        if (due === undefined) return resolve(late);
        const wait = due - (performance.now() - began);
        if (wait > 0) return setTimeout(fire, Math.ceil(wait));
        late.record(-wait);
        next++;
      }
    };
    fire();
  });
}
