/** The counters behind `cloud metrics` and the downlink watchdog; they live in RAM (firmware shell, 5.1). */
import type { Seconds } from '../../kernel/time.js';
import type { CloudMetrics, DeviceTime } from '../shell/host.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export type CloudCounters = Mutable<CloudMetrics>;

export function zeroCounters(): CloudCounters {
  return {
    uplinkCount: 0,
    uplinkFragments: 0,
    uplinkBytes: 0,
    uplinkLast: undefined,
    uplinkErrors: 0,
    uplinkErrorLast: undefined,
    downlinkCount: 0,
    downlinkFragments: 0,
    downlinkBytes: 0,
    downlinkLast: undefined,
    downlinkErrors: 0,
    downlinkErrorLast: undefined,
    pollCount: 0,
    pollLast: undefined,
    uplinkDataCount: 0,
    uplinkDataLast: undefined,
    downlinkDataCount: 0,
    downlinkDataLast: undefined,
    shellCount: 0,
    shellLast: undefined,
  };
}

/** Counts an uplink message of `bytes`, in fragments of at most `fragmentSize`. */
export function countUplink(
  c: CloudCounters,
  bytes: number,
  fragmentSize: number,
  data: boolean,
  now: DeviceTime,
): void {
  c.uplinkCount++;
  c.uplinkFragments += Math.ceil(bytes / fragmentSize);
  c.uplinkBytes += bytes;
  c.uplinkLast = now;
  if (!data) return;
  c.uplinkDataCount++;
  c.uplinkDataLast = now;
}

/** Counts a downlink message of `bytes`, in fragments of at most `fragmentSize`. */
export function countDownlink(c: CloudCounters, bytes: number, fragmentSize: number, now: DeviceTime): void {
  c.downlinkCount++;
  c.downlinkFragments += Math.ceil(bytes / fragmentSize);
  c.downlinkBytes += bytes;
  c.downlinkLast = now;
}

/** Moves all stored times by the seconds by which the clock was set (firmware behaviour, 5.5). */
export function shiftTimes(c: CloudCounters, seconds: Seconds): void {
  for (const time of TIMES) {
    const then = c[time];
    if (then !== undefined) c[time] = then + seconds;
  }
}

const TIMES = [
  'uplinkLast',
  'uplinkErrorLast',
  'downlinkLast',
  'downlinkErrorLast',
  'pollLast',
  'uplinkDataLast',
  'downlinkDataLast',
  'shellLast',
] as const;
