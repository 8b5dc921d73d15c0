/** The reports of a device, and the intervals in its configuration messages. */
import { type Millis, seconds } from '../kernel/time.js';
import type { RecordedUplink } from './recording.js';

export function findReports(own: readonly RecordedUplink[]): readonly RecordedUplink[] {
  return own.filter(({ type }) => type === 'data');
}

/** Times from each report to the next. */
export function measureGaps(reports: readonly RecordedUplink[]): readonly Millis[] {
  return reports.slice(1).map(({ at }, i) => at - (reports[i]?.at ?? at));
}

/** Report interval in a configuration message; null if it contains none. */
export function getConfigured({ reportEvery }: RecordedUplink): Millis | null {
  return reportEvery === null || reportEvery === 0 ? null : seconds(reportEvery);
}

/** Poll interval in a configuration message; 0 if polls are off; null if it contains none. */
export function pollIn({ pollEvery }: RecordedUplink): Millis | null {
  return pollEvery === null ? null : seconds(pollEvery);
}
