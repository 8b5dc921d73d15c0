/** Calendar times as the API writes them. */
import type { UnixMillis } from '../kernel/time.js';

export function isoTime(time: UnixMillis): string {
  return new Date(time).toISOString();
}

/** Reads `2026-03-02`, `2026-03-02T06:00Z` or `2026-03-02T06:00:00.000Z`, always UTC; undefined when the text is none. */
export function parseTime(text: string): UnixMillis | undefined {
  const [, date, time = '00:00'] =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)Z)?$/.exec(text) ?? [];
  const moment = date === undefined ? Number.NaN : Date.parse(`${date}T${time}Z`);
  // The engine would take the 31st of a shorter month for the next one's first.
  return Number.isFinite(moment) && isoTime(moment).startsWith(date ?? ' ') ? moment : undefined;
}
