/** Timestamps of the API (cloud C-8). */
import { isoTime, milliOf, utcTime } from '../kernel/calendar.js';
import { days, type UnixMillis } from '../kernel/time.js';

/** `2026-07-01` or, in the basic format, `20260701`. */
const DATE = /(?<year>\d{4})(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)/;
/** `14`, `14:05`, `14:05:30`, `14:05:30.250`, and the same without colons. */
const TIME = /(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?/;
/** `Z`, `+02`, `+0200`, `+02:00`, and the same with `-`. */
const ZONE = /Z|(?<sign>[+\- ])(?<hours>\d\d)(?::?(?<minutes>\d\d))?/;
const FORM = new RegExp(`^${DATE.source}(?:[T ]${TIME.source}(?:${ZONE.source})?)?$`, 'i');

/**
 * Parses a date, or a date and a time, of ISO 8601 in the extended or the basic format. Seconds may have any fraction. `Z` or
 * an offset may follow; without them the time is UTC (`Date.parse` would read local time). The time 24:00 is the end of the
 * day. A space before the offset is a `+` decoded from a query string. Returns undefined if the text is not such a time.
 */
export function parseTimestamp(text: string): UnixMillis | undefined {
  const parts = FORM.exec(text.trim())?.groups;
  if (!parts) return undefined;
  const field = (name: string) => Number(parts[name] ?? 0);
  const [minute, second, fraction] = [field('minute'), field('second'), field('fraction')];
  const isEndOfDay = field('hour') === 24 && minute === 0 && second === 0 && fraction === 0;
  const local = utcTime({
    year: field('year'),
    month: field('month'),
    day: field('day'),
    hour: isEndOfDay ? 0 : field('hour'),
    minute,
    second,
    milli: milliOf(parts.fraction ?? ''),
  });
  const [offsetHours, offsetMinutes] = [field('hours'), field('minutes')];
  if (local === undefined || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (parts.sign === '-' ? -1 : 1);
  return local - offset + (isEndOfDay ? days(1) : 0);
}

/** Like `isoTime`; null for an event that has not happened. */
export function isoTimeOrNull(at: UnixMillis | null): string | null {
  return at === null ? null : isoTime(at);
}
