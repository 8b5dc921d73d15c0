/**
 * Whether the service answers requests. The event stream does not show this: an open stream stays open while the service
 * answers every request with 503.
 */
import { signal } from '@preact/signals';

export const isAnswering = signal(true);
/** Whether the run behind the service is over: what the pages show stays, and nothing more is requested. */
export const isOver = signal(false);
/** Number of times that the service has begun to answer again. */
export const recoveries = signal(0);

/** Time until the next request to a service that does not answer, in ms: the first one, and the longest. */
export const AGAIN = 2_000;
const LONGEST_AGAIN = 8_000;
/** Time within which even a busy service answers a cheap request, in ms. */
const CHEAP = 10_000;

let isAsking = false;

/** Waits before a request is sent again. @param failures how many requests have failed in a row, from 1 */
export function pauseAfter(failures: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseLength(failures)));
}

/** @returns in ms @param failures as {@link pauseAfter} @param first the pause after the first failure, in ms */
export function pauseLength(failures: number, first = AGAIN): number {
  return Math.min(LONGEST_AGAIN, first * 2 ** Math.min(failures - 1, 10));
}

/** Called after a sign that the service does not answer. Sends a request, and repeats it until the service answers. */
export async function doubtService(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  for (let failures = 1; !isOver.peek() && !(await answers()); failures++) {
    isAnswering.value = false;
    await pauseAfter(failures);
  }
  isAsking = false;
  if (isOver.peek()) return;
  if (!isAnswering.value) recoveries.value++;
  isAnswering.value = true;
}

/**
 * A cheap request that reads the store. Without a valid session, its answer is 401. The path is relative to the page, which may
 * be below the root of a proxy.
 */
async function answers(): Promise<boolean> {
  try {
    const options = { credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(CHEAP) } as const;
    return (await fetch('v2/spaces?limit=1', options)).status < 500;
  } catch {
    return false;
  }
}
