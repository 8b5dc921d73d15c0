/** The header `Retry-After` of HTTP responses. */
import { hours, type Millis, seconds, type UnixMillis } from './time.js';

type Header = string | readonly string[] | undefined;

/** Longest wait that a response can demand: a day. A longer one counts as this. */
const LONGEST = hours(24);

/**
 * The wait that a response demands by `Retry-After`, as seconds or as a date (RFC 9110, 10.2.3); undefined without a valid
 * header; at most a day. A date is compared with the date of the response, so the clocks need not agree.
 * @param headers their names in lower case
 * @param now used if the response has no date; undefined: a date is then ignored
 */
export function retryAfter(headers: Readonly<Record<string, Header>>, now?: UnixMillis): Millis | undefined {
  const { 'retry-after': wait, date } = headers;
  if (typeof wait !== 'string') return undefined;
  if (/^\d+$/.test(wait)) return Math.min(LONGEST, seconds(Number(wait)));
  // `Date.parse` alone would also take numbers such as 1.5 for dates.
  const until = /^[A-Z][a-z]+,? /.test(wait) ? Date.parse(wait) : Number.NaN;
  const sent = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  const from = Number.isNaN(sent) ? now : sent;
  return Number.isNaN(until) || from === undefined ? undefined : Math.min(LONGEST, Math.max(0, until - from));
}
