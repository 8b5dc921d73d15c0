/**
 * The time of the service. The clock of this machine may differ from it, so the difference is taken from the `Date` headers of
 * answers; a run that has another speed than real time says so in `X-Speed`.
 */
import { signal } from '@preact/signals';

/** Precision of a `Date` header, in ms. */
const SECOND = 1000;

/** Longest time between two answers, in ms. After it, the run may have ended: its time no longer passes at its speed. */
const LONGEST_PAUSE = 20_000;

/** Limits of the difference between the clocks, in ms. */
let least = Number.NEGATIVE_INFINITY;
let most = Number.POSITIVE_INFINITY;
/** The difference, in ms: 0 if the limits permit it. */
const offset = signal(0);
/** Time by which events are later than the headers say, in ms: a service in virtual time may have a clock of its own. */
let ahead = 0;
/** Simulated seconds per second of this machine, and the time of this machine since when. */
let [speed, since] = [1, 0];

/** Unix time in ms, never earlier than that of the latest event. */
export function serviceTime(): number {
  const passed = Math.min(Math.max(0, Date.now() - since), LONGEST_PAUSE);
  return Date.now() + offset.value + ahead + (speed - 1) * passed;
}

/**
 * Called for the head of an answer.
 * @param date its `Date` header
 * @param sent time of this machine at which the request was sent, in Unix ms
 * @param pace its `X-Speed` header; null: real time
 */
export function dated(date: string | null, sent: number, pace: string | null = null): void {
  const there = Date.parse(date ?? '');
  const [low, high] = [there - Date.now(), there + SECOND - sent];
  // The date is missing or invalid, or the clock of this machine was set back during the request: no limits follow.
  if (!(low <= high)) return;
  [speed, since] = [Number(pace ?? 1), Date.now()];
  if (speed !== 1 || low > most || high < least) {
    // Earlier limits hold no longer, or one of the clocks was set.
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
