/**
 * Limits the load on a service that has other users: limits concurrent requests and requests a second, and obeys
 * `Retry-After`.
 */
import PQueue from 'p-queue';
import { ApiError, type Gate } from '../../client/client.js';
import type { Clock } from '../../kernel/clock.js';
import { type Millis, seconds } from '../../kernel/time.js';

export interface Pace {
  /** Maximum number of concurrent requests. */
  readonly atOnce: number;
  /** Limit of requests a second; null for no limit. */
  readonly perSecond: number | null;
}

/** A request that was rejected this many times is not repeated again, and fails. */
const MOST_TRIES = 20;

/**
 * A request that is answered with 429, or with 503 and a `Retry-After`, was not processed. It is repeated after the demanded
 * time; after a 429, this is at least 1 s. Meanwhile the queue is paused.
 */
export function paced({ atOnce, perSecond }: Pace, clock: Pick<Clock, 'after'>): Gate {
  const queue = new PQueue({
    concurrency: atOnce,
    ...(perSecond !== null && {
      interval: 1000 / Math.min(1, perSecond),
      intervalCap: Math.max(1, perSecond),
      strict: true,
    }),
  });
  const rest = (delay: Millis) =>
    new Promise<void>((resolve) => clock.after(delay, 'the rate limit of the cloud', resolve));
  // A request that waits for its repetition still counts as one of the concurrent requests.
  const untilTaken = async <T>(request: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await request();
      } catch (error) {
        const delay = laterBy(error);
        if (delay === undefined || tries === MOST_TRIES) throw error;
        queue.pause();
        await rest(delay);
        queue.start();
      }
    }
  };
  return (request) => queue.add(() => untilTaken(request));
}

function laterBy(error: unknown): Millis | undefined {
  if (!(error instanceof ApiError) || (error.status !== 429 && error.status !== 503)) return undefined;
  if (error.status === 429) return Math.max(error.retryAfter ?? 0, seconds(1));
  return error.retryAfter;
}
