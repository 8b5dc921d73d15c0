/**
 * Units of time. A duration is written `seconds(30)` in code and "30s" in files, never a bare 30000.
 *
 * At run time, the values of all units are plain numbers. A run makes millions of comparisons of times, so wrapper objects
 * would be the most expensive part of the simulation. The type checker keeps the units apart (units.ts).
 */
import type { Flavoured } from './units.js';

/**
 * Milliseconds of simulated time since the start of the simulation. A length of time is accepted as an instant, counted from
 * the start: `runUntil(hours(2))`. An instant is not accepted as a length of time: see {@link sinceStart}.
 */
export type Instant = Flavoured<'ms' | 'ms since start'>;
/** A length of time in milliseconds. */
export type Millis = Flavoured<'ms'>;
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type UnixMillis = Flavoured<'ms since 1970'>;
/** The last time that the protocol can express, 2106-02-07T06:28:15Z: it counts seconds in 32 bits. */
export const LAST_TIME: UnixMillis = 0xffff_ffff * 1000;
/** A length of time in seconds, the unit of devices and of users' files. */
export type Seconds = Flavoured<'s'>;
/** Seconds since 1970-01-01T00:00:00Z, as devices count them. */
export type UnixSeconds = Flavoured<'s since 1970'>;

export const millis = (n: Millis): Millis => n;
export const seconds = (n: Seconds): Millis => n * 1000;
export const minutes = (n: number): Millis => n * 60_000;
export const hours = (n: number): Millis => n * 3_600_000;
export const days = (n: number): Millis => n * 86_400_000;

/** The length of time from the start of the simulation to `instant`. */
export const sinceStart = (instant: Instant): Millis => instant as number;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** For messages: the form of a duration. */
export const DURATION_FORM = 'a duration such as "250ms", "30s", "15m" or "1h30m"';

/** Reads a duration such as "250ms" or "1h30m", large units first, or "0". Undefined for others and above {@link LONGEST}. */
export function parseDuration(text: string): Millis | undefined {
  const length = lengthIn(text);
  return length !== undefined && length <= LONGEST ? length : undefined;
}

/** Like {@link parseDuration}, without a limit. */
export function lengthIn(text: string): Millis | undefined {
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) return undefined;
  let total = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (const [, amount, unit] of trimmed.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    const size = UNITS[unit ?? ''] ?? 0;
    if (size >= smallest) return undefined;
    smallest = size;
    total += Number(amount) * size;
  }
  return Math.round(total);
}

/** Longest duration that is read, about 270 years: later times could not be written. */
export const LONGEST = 100_000 * 86_400_000;

/** Writes a duration in whole milliseconds, in the form that {@link parseDuration} reads: 5400000 becomes "1h30m", 0 "0s". */
export function formatDuration(duration: Millis): string {
  if (duration < 0) return `-${formatDuration(-duration)}`;
  let rest = Math.round(duration);
  if (rest === 0) return '0s';
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = UNITS[unit] ?? 1;
    const amount = Math.floor(rest / size);
    if (amount > 0) text += `${amount}${unit}`;
    rest -= amount * size;
  }
  return text;
}

/**
 * Writes a measured duration to the millisecond, for people: "7m0.698s", "840ms". From one second on, the milliseconds are a
 * fraction of the seconds, unlike in {@link formatDuration}. {@link parseDuration} reads the same number.
 */
export function exactDuration(duration: Millis): string {
  const whole = Math.round(duration);
  const rest = whole % minutes(1);
  if (whole < 1000 || rest % 1000 === 0) return formatDuration(whole);
  return `${whole === rest ? '' : formatDuration(whole - rest)}${rest / 1000}s`;
}

/**
 * Writes a measured duration for people, in the one form of reports, explanations and the console: rounded, in at most two
 * units, without parts that are zero: "0.42ms", "840ms", "12.4s", "21m 05s", "3h", "2d 04h".
 */
export function humanDuration(duration: Millis): string {
  if (duration < 0) return `-${humanDuration(-duration)}`;
  if (duration === 0) return '0s';
  if (duration < 9.95 && !Number.isInteger(duration)) return `${Number(duration.toPrecision(2))}ms`;
  if (duration < 999.5) return `${Math.round(duration)}ms`;
  if (duration < 59_950) return `${Math.round(duration / 100) / 10}s`;
  const whole = Math.round(duration / 1000);
  if (whole < 3600) return inTwoUnits(whole, 60, 'm', 's');
  const minutesTotal = Math.round(whole / 60);
  if (minutesTotal < 1440) return inTwoUnits(minutesTotal, 60, 'h', 'm');
  return inTwoUnits(Math.floor(minutesTotal / 60), 24, 'd', 'h');
}

function inTwoUnits(amount: number, size: number, large: string, small: string): string {
  const rest = amount % size;
  return `${Math.floor(amount / size)}${large}${rest === 0 ? '' : ` ${String(rest).padStart(2, '0')}${small}`}`;
}

/**
 * The same number, as a small integer of the engine if possible: whole milliseconds up to 24 days. A number from a typed array
 * is a double; each field of a device that holds a time derived from it would take a heap object of 16 bytes.
 */
export function unboxed(time: Instant): Instant {
  const small = time | 0;
  return small === time ? small : time;
}
