/** The peer of whatever has to be punctual. */
import type { Millis } from '../src/kernel/time.js';
import { Distribution } from '../src/trace/distribution.js';

/** Units of a millisecond in which lateness is counted. */
export const MICROSECONDS = 1000;

/**
 * Measures how late a loop of timers is if they do nothing.
 * @param dues moments of the timers, sorted, counted from now
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
