/** Timestamps of the API (cloud API gaps, 2.4). */
import { isoTime, milliOf, utcTime } from '../../kernel/calendar.js';
import type { UnixMillis } from '../../kernel/time.js';

const FORM = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:Z|([+\- ])(\d\d):?(\d\d))?)?$/i;

/**
 * Parses ISO 8601: a date, or a date and a time with any fraction of a second, then `Z`, an offset or nothing. Without
 * an offset the time is UTC; `Date.parse` would read local time. A space before the offset is a `+` decoded from a
 * query string. Returns undefined if the text is not such a time.
 */
export function parseTimestamp(text: string): UnixMillis | undefined {
  const parts = FORM.exec(text.trim());
  if (!parts) return undefined;
  const field = (index: number) => Number(parts[index] ?? 0);
  const [year, month, day, hour, minute, second] = [field(1), field(2), field(3), field(4), field(5), field(6)];
  const local = utcTime({ year, month, day, hour, minute, second, milli: milliOf(parts[7] ?? '') });
  const [offsetHours, offsetMinutes] = [field(9), field(10)];
  if (local === undefined || offsetHours > 23 || offsetMinutes > 59) return undefined;
  return local - (offsetHours * 60 + offsetMinutes) * 60_000 * (parts[8] === '-' ? -1 : 1);
}

/** Like `isoTime`; null for an event that has not happened. */
export function isoTimeOrNull(at: UnixMillis | null): string | null {
  return at === null ? null : isoTime(at);
}
