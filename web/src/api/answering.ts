/**
 * Whether the service answers requests. The event stream does not show this: an open stream stays open while the service
 * answers every request with 503.
 */
import { signal } from '@preact/signals';

export const isAnswering = signal(true);
/** Number of times that the service has begun to answer again. */
export const recoveries = signal(0);

/** Time until the next request to a service that does not answer, in ms. */
export const AGAIN = 2_000;
/** Time within which even a busy service answers a cheap request, in ms. */
const CHEAP = 10_000;

let isAsking = false;

/** Called after a sign that the service does not answer. Sends a request, and repeats it until the service answers. */
export async function doubtService(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  while (!(await answers())) {
    isAnswering.value = false;
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
  if (!isAnswering.value) recoveries.value++;
  isAnswering.value = true;
  isAsking = false;
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
