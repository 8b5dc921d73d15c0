/** Work that is repeated while a service runs, such as maintenance. */
import type { Alarm, EdgeClock } from './clock.js';
import { type Millis, millis } from './time.js';

/**
 * Repeats `work` until the returned function is called; this function waits for work in progress. Simulated time stands still
 * while the work is done.
 * @param what names the work in errors, such as `the deletion of old messages`
 * @param work returns the pause until its next repetition. It must not fail
 * @param first delay of the first time. Default: 0
 */
export function repeatWork(
  clock: EdgeClock,
  what: string,
  work: () => Promise<Millis>,
  first: Millis = millis(0),
): () => Promise<void> {
  let isStopped = false;
  let next: Alarm | undefined;
  let inProgress = Promise.resolve();
  const workAfter = (delay: Millis) => {
    next = clock.after(delay, what, () => {
      const release = clock.hold(what);
      inProgress = work()
        .then((pause) => {
          if (!isStopped) workAfter(pause);
        })
        .finally(release);
    });
  };
  workAfter(first);
  return () => {
    isStopped = true;
    next?.cancel();
    return inProgress;
  };
}
