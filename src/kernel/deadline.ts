/** Limits the real time of an exchange with another program, which could continue it without an end. */
import type { Clock } from './clock.js';
import { formatDuration, type Millis } from './time.js';

interface Limit {
  readonly clock: Pick<Clock, 'after'>;
  readonly limit: Millis;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work`, and aborts its signal after `limit`, or when `signal` is aborted.
 * @param clock real time
 * @param what names the result in the reason of the signal: `the answer`
 */
export async function within<T>(
  { clock, limit, what, signal }: Limit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const late = new Error(`${what} was not complete after ${formatDuration(limit)}`);
  const alarm = clock.after(limit, what, () => end.abort(late));
  const stop = () => end.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await work(end.signal);
  } finally {
    alarm.cancel();
    signal?.removeEventListener('abort', stop);
  }
}
