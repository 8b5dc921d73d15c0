/** Formats events and devices for a console. */
import type { TraceEvent } from '../trace/events.js';
import type { Candidate } from './member.js';

/** An event of a device as a log line: `+12.3s  uplink.acked  uplink=4 type=data`; numbers are rounded. */
export function logLine(event: TraceEvent, from?: string): string {
  const { kind, at, ...rest } = event;
  const details = Object.entries(rest)
    .filter(([key]) => key !== 'serial')
    .map(([key, value]) => `${key}=${typeof value === 'number' ? Math.round(value) : value}`);
  const who = from === undefined ? [] : [from];
  return `${`+${(at / 1000).toFixed(1)}s`.padEnd(10)}${[...who, kind.padEnd(19), ...details].join(' ')}`.trimEnd();
}

/** Shows a line faintly, to distinguish log lines from answers. */
export function faint(line: string, isFaint: boolean): string {
  return !isFaint ? line : `\u001b[2m${line}\u001b[22m`;
}

/** A table of devices, with a header. */
export function listed(devices: readonly Candidate[]): readonly string[] {
  const rows = devices.map((device) => [
    device.name,
    String(device.serial),
    device.profile,
    device.fw,
    `${device.battery}%`,
    device.state,
    device.tags.join(','),
  ]);
  const table = [['name', 'serial', 'profile', 'fw', 'battery', 'state', 'tags'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
