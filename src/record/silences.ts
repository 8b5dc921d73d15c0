/** The intervals of recorded devices, and the times in which a device was silent although a report was due. */
import type { IntervalChange, Intervals, SituationFault } from '../explain/situation.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { TraceEvent } from '../trace/events.js';
import { findMedian } from './median.js';
import type { RecordedUplink } from './recording.js';
import { measureGaps } from './reports.js';

/** A device is silent if a report is missing for this many intervals: one interval, plus jitter and some repetitions. */
const SILENT = 1.5;
/** A poll reaches the cloud at most so long after it was due: the radio has to wake up. */
const WAKE: Millis = seconds(10);
/** Number of reports that a typical interval needs. */
const ENOUGH = 3;

/** What is known of a device from its uplinks. */
export interface RecordedIntervals extends Intervals {
  /** The report interval at a time; undefined if it is not known. */
  readonly reportEveryAt: (at: Instant) => Millis | undefined;
  /** The poll interval at a time; 0 if polls are off or not known. */
  readonly pollEveryAt: (at: Instant) => Millis;
  /** What configuration messages contain, in order. */
  readonly reported: readonly IntervalChange[];
}

/**
 * The intervals at the beginning. The report interval is the typical interval of the reports before the first configuration
 * message; with too few such reports, it is the interval in that message. The poll interval is the one in that message.
 * @param uplinks with times of the device
 */
export function findIntervals(uplinks: readonly RecordedUplink[]): RecordedIntervals {
  const reported = uplinks.flatMap(({ at, reportEvery, pollEvery }): readonly IntervalChange[] =>
    reportEvery === null && pollEvery === null
      ? []
      : [
          {
            at,
            ...(reportEvery !== null && { reportEvery: seconds(reportEvery) }),
            ...(pollEvery !== null && { pollEvery: seconds(pollEvery) }),
          },
        ],
  );
  const [first] = reported;
  const reports = uplinks.filter(({ type, at }) => type === 'data' && at < (first?.at ?? Number.POSITIVE_INFINITY));
  const typical = reports.length < ENOUGH ? undefined : findMedian(measureGaps(reports));
  const initial = typical ?? first?.reportEvery ?? undefined;
  return {
    reportEvery: initial ?? null,
    pollEvery: first?.pollEvery ?? 0,
    reportEveryAt: (at) => latest(reported, at, 'reportEvery') ?? initial,
    pollEveryAt: (at) => latest(reported, at, 'pollEvery') ?? first?.pollEvery ?? 0,
    reported,
  };
}

function latest(reported: readonly IntervalChange[], at: Instant, which: keyof Intervals): Millis | undefined {
  return reported.findLast((change) => change.at <= at && change[which] !== undefined)?.[which] ?? undefined;
}

/**
 * Times in which a report was due and no message came. Each begins with the last contact of the device: the recording does not
 * show when the fault began.
 * @param signs when the device was in contact with the cloud, in order
 * @param length of the recording
 */
export function findSilence(
  serial: number,
  signs: readonly Instant[],
  intervals: RecordedIntervals,
  length: Millis,
): { readonly fault: SituationFault; readonly missing: readonly TraceEvent[] } | undefined {
  if (signs.length === 0) {
    const fault = makeSilence('silence of the device in the whole recording', serial, [{ from: 0, until: null }]);
    return { fault, missing: [makeMissingReport(0, serial)] };
  }
  const silent = signs.flatMap((at, i) => {
    const next = signs[i + 1];
    const every = intervals.reportEveryAt(at) ?? 0;
    const due = every > 0 && (next ?? length) - at > every * SILENT;
    return due
      ? [{ window: { from: at + 1, until: next ?? null }, missing: makeMissingReport(at + every, serial) }]
      : [];
  });
  if (silent.length === 0) return undefined;
  const windows = silent.map(({ window }) => window);
  const fault = makeSilence('silence of the device, although a report was due', serial, windows);
  return { fault, missing: silent.map(({ missing }) => missing) };
}

/** A time in which a downlink waited that the device could have fetched by a poll. */
export interface RecordedWait {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * Times in which a downlink waited, polls were due, and none fetched it. A poll that finds no downlink leaves no message, so only
 * a waiting downlink shows that polls are missing. The parameters are those of {@link findSilence}.
 */
export function findMissingPolls(
  serial: number,
  signs: readonly Instant[],
  intervals: RecordedIntervals,
  { length, waits }: { readonly length: Millis; readonly waits: readonly RecordedWait[] },
): ReturnType<typeof findSilence> {
  const silent = signs.flatMap((at, i) => {
    const next = signs[i + 1] ?? length;
    const waited = waits.filter(({ from, until }) => from < next && until >= next);
    const since = Math.max(at, Math.min(next, ...waited.map(({ from }) => from)));
    const [every, reports] = [intervals.pollEveryAt(since), intervals.reportEveryAt(at) ?? 0];
    const isReportDue = reports > 0 && next - at > reports * SILENT;
    if (every <= 0 || isReportDue || next - since <= every * SILENT + WAKE) return [];
    const missing: TraceEvent = { kind: 'device.wake', at: since + every, serial, why: 'poll' };
    return [{ window: { from: since + 1, until: signs[i + 1] ?? null }, missing }];
  });
  if (silent.length === 0) return undefined;
  const name = 'silence of the device: polls were due, and none fetched the downlink';
  const windows = silent.map(({ window }) => window);
  return { fault: makeSilence(name, serial, windows), missing: silent.map(({ missing }) => missing) };
}

/** A report that was due and did not arrive: an exchange that failed. */
function makeMissingReport(at: Instant, serial: number): TraceEvent {
  return { kind: 'device.wake', at, serial, why: 'report' };
}

function makeSilence(name: string, serial: number, windows: SituationFault['windows']): SituationFault {
  return {
    name,
    what: name,
    whom: '',
    serials: [[serial, serial]],
    effect: 'blocks',
    sign: null,
    windows,
    on: 'datagrams',
  };
}
