/**
 * The time of the service. The clock of this machine may differ from it, so the difference is taken from the `Date` headers of
 * answers.
 */
import { signal } from '@preact/signals';

/** Precision of a `Date` header, in ms. */
const SECOND = 1000;

/** Limits of the difference between the clocks, in ms. */
let least = Number.NEGATIVE_INFINITY;
let most = Number.POSITIVE_INFINITY;
/** The difference, in ms: 0 if the limits permit it. */
const offset = signal(0);
/** Time by which events are later than the headers say, in ms: a service in virtual time may have a clock of its own. */
let ahead = 0;

/** Unix time in ms, never earlier than that of the latest event. */
export function serviceTime(): number {
  return Date.now() + offset.value + ahead;
}

/**
 * Called for the head of an answer.
 * @param date its `Date` header
 * @param sent time of this machine at which the request was sent, in Unix ms
 */
export function dated(date: string | null, sent: number): void {
  const there = Date.parse(date ?? '');
  const [low, high] = [there - Date.now(), there + SECOND - sent];
  // The date is missing or invalid, or the clock of this machine was set back during the request: no limits follow.
  if (!(low <= high)) return;
  if (low > most || high < least) {
    // One of the clocks was set.
    [least, most, ahead] = [low, high, 0];
  } else {
    [least, most] = [Math.max(least, low), Math.min(most, high)];
  }
  offset.value = least <= 0 && most >= 0 ? 0 : (least + most) / 2;
}

/** Called for an event: {@link serviceTime} will not be earlier. @param time in Unix ms */
export function seenAt(time: number): void {
  ahead += Math.max(0, time - serviceTime());
}
