/** A device's intervals over a recording. Without a decoded configuration message, a change shows only in its reports. */
import type { Millis } from '../kernel/time.js';
import { findMedian } from './median.js';
import { mayAnswer, type RecordedDownlink, type RecordedUplink } from './recording.js';
import { findReports, getConfigured, measureGaps, pollIn } from './reports.js';

/** A time in which a device had the same intervals. It ends where the next one begins. */
export interface Regime {
  readonly from: Millis;
  /** Median time between reports. If there are too few of them, the configured one. */
  readonly period: Millis;
  /** Configured report interval; null if no message contains it. */
  readonly configured: Millis | null;
  /** Configured poll interval; 0 if polls are off; null if no message contains it. */
  readonly poll: Millis | null;
  /** When the configuration that began this time was queued; null if no downlink led to it. */
  readonly queuedAt: Millis | null;
  /** Whether a configuration message began this time. Otherwise only the times of the reports show the change. */
  readonly announced: boolean;
}

/** Number of reports that a measured interval needs. */
const ENOUGH = 3;
/** Intervals that differ by at most this share are the same: most devices vary their interval by a fifth. */
const ALIKE = 0.35;
/** A change that no message shows makes the interval at least this number of times longer or shorter. */
const CHANGED = 1.5;
/** Number of alike intervals in a row that show such a change. They must also last for twice the interval before. */
const IN_A_ROW = 4;

/** In order, the first one from the beginning of the recording; undefined if the device has not reported twice. */
export function findRegimes(
  own: readonly RecordedUplink[],
  downlinks: readonly RecordedDownlink[],
): readonly [Regime, ...Regime[]] | undefined {
  const reports = findReports(own);
  const typical = findMedian(measureGaps(reports));
  if (typical === undefined || typical < 1) return undefined;
  const spans = findSpans(own, reports);
  const regimes = spans.flatMap((span, i) => {
    const until = spans[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    const within = reports.filter(({ at }) => at >= span.from && at < until);
    const measured = within.length < ENOUGH ? undefined : findMedian(measureGaps(within));
    const period = measured ?? span.configured ?? typical;
    const queuedAt = span.message === null ? null : (findConfig(downlinks, span.from)?.at ?? null);
    const { from, configured, poll } = span;
    const first: Regime = { from, period, configured, poll, queuedAt, announced: true };
    return splitShifted(first, within);
  });
  return regimes as [Regime, ...Regime[]];
}

/** The configuration downlink before a change. It may have no answer: a device that rejects a line sets the others. */
function findConfig(downlinks: readonly RecordedDownlink[], changed: Millis): RecordedDownlink | undefined {
  return downlinks.findLast((each) => each.type === 'config' && mayAnswer(changed, each));
}

/** The time between two changes that configuration messages show. */
interface Span {
  readonly from: Millis;
  readonly configured: Millis | null;
  readonly poll: Millis | null;
  /** Number of the message; null for the beginning of the recording. */
  readonly message: number | null;
}

function findSpans(own: readonly RecordedUplink[], reports: readonly RecordedUplink[]): readonly Span[] {
  const spans: Span[] = [{ from: 0, configured: null, poll: null, message: null }];
  for (const uplink of own) {
    const last = spans.at(-1) as Span;
    const configured = getConfigured(uplink) ?? last.configured;
    const poll = pollIn(uplink) ?? last.poll;
    if (configured === last.configured && poll === last.poll) continue;
    const next: Span = { from: uplink.at, configured, poll, message: uplink.n };
    const before = reports.filter(({ at }) => at >= last.from && at < uplink.at);
    if (isOver(last, uplink.at, before)) spans.push(next);
    // The message only shows which intervals the device already has, for example after a restart.
    else spans[spans.length - 1] = { ...next, from: last.from, message: last.message };
  }
  const [first, second] = spans;
  if (first !== undefined && second !== undefined && isSameAlready(first, second, reports)) {
    return [{ ...second, from: 0, message: null }, ...spans.slice(2)];
  }
  // The recording does not show the poll interval before its first configuration message.
  return first === undefined || second === undefined
    ? spans
    : [{ ...first, poll: first.poll ?? second.poll }, ...spans.slice(1)];
}

/** Whether a span was long enough to be one: the configuration messages of one start follow each other at once. */
function isOver({ from, configured, message }: Span, until: Millis, reports: readonly RecordedUplink[]): boolean {
  if (message === null && configured === null) return reports.length >= ENOUGH;
  return reports.length > 1 || until - from >= (configured ?? 0);
}

/** Whether the device reported before its first configuration message as that message says. */
function isSameAlready(first: Span, { from, configured }: Span, reports: readonly RecordedUplink[]): boolean {
  if (first.configured !== null || configured === null) return false;
  const measured = findMedian(measureGaps(reports.filter(({ at }) => at < from)));
  return measured !== undefined && Math.abs(measured - configured) <= ALIKE * configured;
}

/** `first`, and the times after changes that only the reports show. @param reports within the time of `first` */
function splitShifted(first: Regime, reports: readonly RecordedUplink[]): readonly Regime[] {
  const gaps = measureGaps(reports);
  const regimes = [first];
  let { period } = first;
  for (let i = 0; i < gaps.length; ) {
    const run = findAlike(i, gaps);
    const mean = findMedian(gaps.slice(i, i + run)) ?? period;
    const lasts = gaps.slice(i, i + run).reduce((sum, gap) => sum + gap, 0);
    const ratio = Math.max(mean, period) / Math.min(mean, period);
    const isChange = run >= IN_A_ROW && ratio >= CHANGED && lasts >= 2 * period;
    // The median of the whole time may be that of a later interval.
    if (isChange && i === 0) regimes[0] = { ...first, period: mean };
    else if (isChange) {
      const from = reports[i]?.at ?? first.from;
      regimes.push({ ...first, from, period: mean, configured: null, queuedAt: null, announced: false });
    }
    if (isChange) period = mean;
    i += run < IN_A_ROW ? 1 : run;
  }
  return regimes;
}

/** Number of intervals from `index` on that are alike. */
export function findAlike(index: number, gaps: readonly Millis[]): number {
  const usual = findMedian(gaps.slice(index, index + IN_A_ROW)) ?? 0;
  let end = index;
  while (end < gaps.length && Math.abs((gaps[end] ?? 0) - usual) <= ALIKE * usual) end++;
  return end - index;
}
