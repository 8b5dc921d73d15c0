/** When the receiver scans (behaviour B-22). */
import { type Millis, seconds } from '../../kernel/time.js';
import type { ScanSpec } from '../../profile/profile.js';
import type { DeviceConfig } from '../config/device-config.js';

const DAY = 86_400;
/** More days than there are between two monthly scans: from one 31st to the next it can be 61 days. */
const DAYS_AHEAD = 63;

/**
 * Delay until the next scan; Infinity for never.
 * @param now Unix seconds of the device
 * @param last when the last scheduled scan began, Unix seconds; undefined before the first
 */
export function untilScan(scan: ScanSpec, config: DeviceConfig, now: number, last: number | undefined): Millis {
  const number = ({ module, name }: ScanSpec['every']) => config.number(module, name);
  const mode = config.text(scan.mode.module, scan.mode.name);
  // Every second, the firmware checks whether more than the interval has passed. After a boot, this is the case at once.
  if (mode === 'interval') return last === undefined ? 0 : seconds(Math.max(0, last + number(scan.every) + 1 - now));
  if (mode === 'off') return Number.POSITIVE_INFINITY;
  const midnight = now - (now % DAY);
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead++) {
    const day = new Date(1000 * (midnight + ahead * DAY));
    // The firmware counts Sunday as 7, so a setting of 0 never matches.
    if (mode === 'weekly' && (day.getUTCDay() || 7) !== number(scan.weekday)) continue;
    if (mode === 'monthly' && day.getUTCDate() !== number(scan.day)) continue;
    const begins = midnight + ahead * DAY + 3600 * number(scan.hour);
    // A scan may begin at any second of the minute, but only once.
    if (now >= begins + 60 || (last !== undefined && last >= begins)) continue;
    return seconds(Math.max(0, begins - now));
  }
  return Number.POSITIVE_INFINITY;
}

/** When the last start was due; intervals also count from a start that the firmware dropped. See {@link untilScan}. */
export function lastStart(
  scan: ScanSpec,
  config: DeviceConfig,
  now: number,
  last: number | undefined,
): number | undefined {
  if (last === undefined || untilScan(scan, config, now, last) > 0) return last;
  if (config.text(scan.mode.module, scan.mode.name) !== 'interval') return now;
  const every = config.number(scan.every.module, scan.every.name) + 1;
  return last + every * Math.floor((now - last) / every);
}
