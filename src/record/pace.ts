/** Devices whose time passes faster than real time: those of a run with `--speed`. */
import type { Millis } from '../kernel/time.js';
import { groupByDevice } from './group.js';
import { findMedian } from './median.js';
import type { RecordedUplink, Recording } from './recording.js';
import { findAlike, findRegimes } from './regimes.js';
import { findReports, measureGaps } from './reports.js';

/** Number of alike intervals in a row that show that a device reports regularly. */
const REGULAR = 3;

/** Converts a recording to the time of its devices. At a speed of 1, the recording stays as it is. */
export function convertToDeviceTime(recording: Recording): Recording {
  const { from, until, speed, uplinks, downlinks } = recording;
  const stretched = (at: number | null) => (at === null ? null : Math.round(at * speed));
  return {
    ...recording,
    speed: 1,
    until: from + Math.round((until - from) * speed),
    uplinks: uplinks.map((uplink) => ({ ...uplink, at: Math.round(uplink.at * speed) })),
    downlinks: downlinks.map((downlink) => ({
      ...downlink,
      at: Math.round(downlink.at * speed),
      scheduled: stretched(downlink.scheduled),
      ended: stretched(downlink.ended),
    })),
  };
}

/**
 * Median over all devices of the configured report interval divided by the measured one; undefined if no device has both. Only
 * regular reports count: the first report after a boot, and reports that a person requests, say nothing about the interval.
 */
export function findPace(recording: Recording): number | undefined {
  const paces = [...groupByDevice(convertToDeviceTime(recording).uplinks).values()].flatMap((own) => {
    const last = findRegimes(own, [])?.at(-1);
    if (last === undefined || last.configured === null) return [];
    const period = findRegularInterval(own.filter(({ at }) => at >= last.from));
    return period === undefined ? [] : [last.configured / period];
  });
  return findMedian(paces);
}

/** Median of the longest row of alike intervals between two boots; undefined if no row has {@link REGULAR} intervals. */
function findRegularInterval(own: readonly RecordedUplink[]): Millis | undefined {
  const lives: RecordedUplink[][] = [[]];
  for (const uplink of own) {
    if (uplink.type === 'session') lives.push([]);
    lives.at(-1)?.push(uplink);
  }
  const rows = lives.flatMap((life) => {
    const gaps = measureGaps(findReports(life));
    return gaps.map((_, i) => gaps.slice(i, i + findAlike(i, gaps)));
  });
  const longest = rows.reduce((best, row) => (row.length > best.length ? row : best), []);
  return longest.length < REGULAR ? undefined : findMedian(longest);
}
