/** A recording as a file: JSON Lines, first a header, then devices, then what happened in the order of its time. */
import { isoTime } from './iso.js';
import type { Recording } from './recording.js';

/** The version of the form, raised whenever a reader of the one before would misunderstand it. */
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
    ...uplinks.map((uplink) => ({ kind: 'uplink', ...withoutNulls(uplink) })),
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

/** Only messages of one type tell intervals. */
function withoutNulls<T extends object & { readonly at: number }>(entry: T): T {
  // Because what is left out is read as null again.
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)) as T;
}
