/** Limits the real time of waits, and of exchanges with another program, which could continue them without an end. */
import type { Clock } from './clock.js';
import { formatDuration, type Millis } from './time.js';

interface Limit {
  readonly clock: Pick<Clock, 'after'>;
  readonly limit: Millis;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with true after `limit`, or with false when `signal` is aborted. @param what names the wait */
export function pause({ clock, limit, what, signal }: Limit): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const abort = () => {
      alarm.cancel();
      resolve(false);
    };
    const alarm = clock.after(limit, what, () => {
      signal?.removeEventListener('abort', abort);
      resolve(true);
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
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
