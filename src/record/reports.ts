/** Report period of a device, measured and configured, and its configured poll interval. */
import { type Millis, seconds } from '../kernel/time.js';
import { median } from './median.js';
import type { RecordedUplink } from './recording.js';

/** The reports among the uplinks of a device. */
export function reportsIn(own: readonly RecordedUplink[]): readonly RecordedUplink[] {
  return own.filter(({ type }) => type === 'data');
}

/** Times from each report to the next. */
export function gapsOf(reports: readonly RecordedUplink[]): readonly Millis[] {
  return reports.slice(1).map(({ at }, i) => at - (reports[i]?.at ?? at));
}

/** Median gap; undefined with fewer than two reports, or when the gap is 0. */
export function periodOf(reports: readonly RecordedUplink[]): Millis | undefined {
  const period = median(gapsOf(reports));
  return period === undefined || period < 1 ? undefined : period;
}

/** Report interval of its last configuration; null when no configuration contains one. */
export function configuredIn(own: readonly RecordedUplink[]): Millis | null {
  const configured = own.findLast(({ reportEvery }) => reportEvery !== null && reportEvery > 0)?.reportEvery ?? null;
  return configured === null ? null : seconds(configured);
}

/** Poll interval of its last configuration; 0 if polls are off; null when no configuration contains one. */
export function pollIn(own: readonly RecordedUplink[]): Millis | null {
  const configured = own.findLast(({ pollEvery }) => pollEvery !== null)?.pollEvery ?? null;
  return configured === null ? null : seconds(configured);
}
