/** Writes a recording as JSON Lines: a header, then devices, then uplinks and downlinks in chronological order, then values. */
import { isoTime } from '../kernel/calendar.js';
import type { Recording } from './recording.js';

/** Version of the format; raised when an older reader would misunderstand a file. */
export const VERSION = 1;

export function writeRecording({ from, until, speed, cut, devices, uplinks, downlinks, values }: Recording): string {
  const header = {
    kind: 'recording',
    version: VERSION,
    from: isoTime(from),
    until: isoTime(until),
    speed,
    cut,
    devices: devices.length,
    uplinks: uplinks.length,
    downlinks: downlinks.length,
  };
  const events = [
    ...uplinks.map((uplink) => ({ kind: 'uplink', ...dropNulls(uplink) })),
    ...downlinks.map((downlink) => ({ kind: 'downlink', ...downlink })),
  ].sort((a, b) => a.at - b.at);
  const lines: readonly object[] = [
    header,
    ...devices.map((device) => ({ kind: 'device', ...device })),
    ...events,
    ...values.map((range) => ({ kind: 'values', ...range })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Removes fields that are null: only messages of type `config` have intervals, and those of type `session` a version. */
function dropNulls<T extends object & { readonly at: number }>(entry: T): T {
  // The cast is safe for the record: a missing field is read as null again.
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)) as T;
}
