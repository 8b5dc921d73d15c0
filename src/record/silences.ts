/** The intervals of recorded devices, and the times in which a device was silent although a report was due. */
import type { IntervalChange, Intervals, SituationFault } from '../explain/situation.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { TraceEvent } from '../trace/events.js';
import { findMedian } from './median.js';
import type { RecordedUplink } from './recording.js';
import { measureGaps } from './reports.js';

/** A device is silent if a report is missing for this many intervals: one interval, plus jitter and some repetitions. */
const SILENT = 1.5;
/** Number of reports that a typical interval needs. */
const ENOUGH = 3;

/** What is known of a device from its uplinks. */
export interface RecordedIntervals extends Intervals {
  /** The report interval at a time; undefined if it is not known. */
  readonly reportEveryAt: (at: Instant) => Millis | undefined;
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
    reportEveryAt: (at) => latest(reported, at) ?? initial,
    reported,
  };
}

function latest(reported: readonly IntervalChange[], at: Instant): Millis | undefined {
  return reported.findLast((change) => change.at <= at && change.reportEvery !== undefined)?.reportEvery ?? undefined;
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
