/** Requests that are sent again until the service answers them. */
import { ApiError } from '../../../src/client/client.js';
import { pauseAfter } from './answering.js';

/** Whether the same request may succeed later. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  return error instanceof Error && error.name === 'ConnectionError';
}

interface Patience {
  /** Called with each failure after which the request is sent again. */
  readonly failed: (error: unknown) => void;
  /** Whether the caller has stopped waiting for the answer. */
  readonly isOver: () => boolean;
}

/** @throws the error of a request that would fail again, or that failed when the caller had stopped waiting */
export async function untilAnswered<T>(request: () => Promise<T>, { failed, isOver }: Patience): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await request();
    } catch (error) {
      if (isOver() || !isOutage(error)) throw error;
      failed(error);
      await pauseAfter(failures);
    }
  }
}
