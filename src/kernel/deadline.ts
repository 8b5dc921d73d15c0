/** Limits the real time of an exchange with another program, which could continue it without an end. */
import type { Clock } from './clock.js';
import { formatDuration, type Millis } from './time.js';

/**
 * Runs `work`, and aborts its signal after `limit`.
 * @param clock real time
 * @param what names the result in the reason of the signal: `the answer`
 */
export async function within<T>(
  { clock, limit, what }: { readonly clock: Pick<Clock, 'after'>; readonly limit: Millis; readonly what: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const late = new Error(`${what} was not complete after ${formatDuration(limit)}`);
  const alarm = clock.after(limit, what, () => end.abort(late));
  try {
    return await work(end.signal);
  } finally {
    alarm.cancel();
  }
}
