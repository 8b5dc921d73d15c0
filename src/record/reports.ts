/** What the reports of a device tell of its rhythm. */
import { type Millis, seconds } from '../kernel/time.js';
import { median } from './median.js';
import type { RecordedUplink } from './recording.js';

/** The reports among the uplinks of a device. */
export function reportsIn(own: readonly RecordedUplink[]): readonly RecordedUplink[] {
  return own.filter(({ type }) => type === 'data');
}

/** From each report to the next. */
export function gapsOf(reports: readonly RecordedUplink[]): readonly Millis[] {
  return reports.slice(1).map(({ at }, i) => at - (reports[i]?.at ?? at));
}

/** The middle gap; undefined when it has not reported twice, or not at two times. */
export function periodOf(reports: readonly RecordedUplink[]): Millis | undefined {
  const period = median(gapsOf(reports));
  return period === undefined || period < 1 ? undefined : period;
}

/** The report interval that its last configuration told; null: none did. */
export function configuredIn(own: readonly RecordedUplink[]): Millis | null {
  const told = own.findLast(({ reportEvery }) => reportEvery !== null && reportEvery > 0)?.reportEvery ?? null;
  return told === null ? null : seconds(told);
}
