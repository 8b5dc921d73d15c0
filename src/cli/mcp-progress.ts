/** Notifications of progress: a client gives a call up after a minute without an answer, unless it gets one of these. */
import type { Alarm, Clock } from '../kernel/clock.js';
import { seconds } from '../kernel/time.js';

const EVERY = seconds(10);

/** The part of a request that asks for notifications. */
interface Asked {
  /** Undefined: the client wants none. */
  readonly token: string | number | undefined;
  readonly notify: (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;
}

/** Notifies the client every 10 s while `work` goes on. `progress` is the number of notifications. @param clock real time */
export async function withProgress<T>(
  { token, notify }: Asked,
  clock: Pick<Clock, 'after'>,
  work: () => Promise<T>,
): Promise<T> {
  if (token === undefined) return work();
  let progress = 0;
  const wait = (): Alarm =>
    clock.after(EVERY, 'the progress of a tool', () => {
      alarm = wait();
      // A client that is gone needs none.
      notify({ method: 'notifications/progress', params: { progressToken: token, progress: ++progress } }).catch(
        () => {},
      );
    });
  let alarm = wait();
  try {
    return await work();
  } finally {
    alarm.cancel();
  }
}
