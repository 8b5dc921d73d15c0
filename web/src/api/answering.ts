/**
 * Whether the service answers requests. The stream of events does not say so: one that was open before stays open while
 * every request is answered with 503.
 */
import { signal } from '@preact/signals';

export const isAnswering = signal(true);
/** Counts how often the service has begun to answer again. */
export const recoveries = signal(0);

/** Time until a service that does not answer is asked again, in ms. */
export const AGAIN = 2_000;

let isAsking = false;

/** Finds out whether the service answers, after a sign that it does not; then asks until it does. */
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

/** A cheap request that reads the store. Without a valid session, its answer is 401. */
async function answers(): Promise<boolean> {
  try {
    const options = { credentials: 'same-origin', cache: 'no-store' } as const;
    return (await fetch(`${location.origin}/v2/spaces?limit=1`, options)).status < 500;
  } catch {
    return false;
  }
}
