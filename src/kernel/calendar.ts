/** Calendar times: texts in the form of RFC 3339 to Unix milliseconds and back. The API reads more forms (cloud/http/time.ts). */
import type { UnixMillis } from './time.js';

/** The end of the year 9999: later times have no form in RFC 3339. */
const END = 253_402_300_800_000;

/** Whether a time is in the years 1970 to 9999. */
export function isCalendarTime(at: UnixMillis): boolean {
  return at >= 0 && at < END;
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
/** The day of the latest time, and its text. Times of one list or one run are mostly of the same day. */
let day = { at: Number.NaN, text: '' };

/** `2026-01-01T00:00:00.000Z`. A list has some 100,000 of them: with the text of the day, each takes a third of the time. */
export function isoTime(at: UnixMillis): string {
  if (!isCalendarTime(at)) return new Date(at).toISOString();
  const within = Math.floor(at % DAY);
  const start = Math.floor(at) - within;
  if (day.at !== start) day = { at: start, text: new Date(start).toISOString().slice(0, 11) };
  const [hour, minute] = [Math.floor(within / HOUR), Math.floor(within / MINUTE) % 60];
  return `${day.text}${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(Math.floor(within / SECOND) % 60)}.${threeDigits(within % SECOND)}Z`;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

function threeDigits(value: number): string {
  return value < 100 ? `0${twoDigits(value)}` : `${value}`;
}

/** The fields of a calendar time in UTC; `month` is counted from 1. */
interface CalendarFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly milli: number;
}

/** The Unix time of the fields; undefined if no such time exists, as for 30 February or 24:00. */
export function utcTime({ year, month, day, hour, minute, second, milli }: CalendarFields): UnixMillis | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // `Date` converts a day beyond the end of the month to a day of the next month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return date.setUTCHours(hour, minute, second, milli);
}

/** Milliseconds of a decimal fraction of a second. `digits` are the digits after the point; only the first three are used. */
export function milliOf(digits: string): number {
  return Number(digits.slice(0, 3).padEnd(3, '0'));
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):(\d\d))$/i;

/** The form of {@link parseTime}, for messages. */
export const TIME_FORM = 'a time with its zone such as "2026-03-01T06:00:00Z" or "2026-03-01T07:00:00.5+01:00"';

/**
 * Parses a time in the form of RFC 3339; the seconds may be left out. Returns undefined for any other text.
 * @returns whole milliseconds; with `exact`, also the fraction of a millisecond
 */
export function parseTime(text: string, exact = false): UnixMillis | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const digits = parts[7] ?? '';
  const local = utcTime({ year, month, day, hour, minute, second, milli: milliOf(digits) });
  const [hours, minutes] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (local === undefined || hours > 23 || minutes > 59) return undefined;
  const offset = (parts[8] === '-' ? -1 : 1) * (60 * hours + minutes) * 60_000;
  return local - offset + (exact ? Number(`0.${digits.slice(3)}0`) : 0);
}

/** Like {@link parseTime}; a date alone, such as `2026-03-02`, means its first moment in UTC. */
export function parseTimeOrDate(text: string): UnixMillis | undefined {
  return parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text);
}
