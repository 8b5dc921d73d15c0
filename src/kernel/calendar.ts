/** Calendar times in UTC: ISO 8601 texts to Unix milliseconds and back. */
import type { UnixMillis } from './time.js';

/** `2026-01-01T00:00:00.000Z` */
export function isoTime(at: UnixMillis): string {
  return new Date(at).toISOString();
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

const UTC = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?Z$/;

/** Parses `2026-03-02T06:00Z`, `2026-03-02T06:00:00Z` or `2026-03-02T06:00:00.000Z`; undefined for any other text. */
export function parseUtc(text: string): UnixMillis | undefined {
  const parts = UTC.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  return utcTime({ year, month, day, hour, minute, second, milli: milliOf(parts[7] ?? '') });
}

/** Like {@link parseUtc}; a date alone, such as `2026-03-02`, means its first moment. */
export function parseUtcOrDate(text: string): UnixMillis | undefined {
  return parseUtc(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text);
}
