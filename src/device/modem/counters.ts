/** What a modem counts since boot, for `lte metrics` (firmware shell, 5.2). */
import type { Instant, Millis } from '../../kernel/time.js';

export interface ModemCounters {
  attached: number;
  failed: number;
  duration: Millis;
  lastDuration: Millis;
  lastAt: Instant | undefined;
  connected: Millis;
  lastConnected: Millis;
}

export function zeroCounters(): ModemCounters {
  return {
    attached: 0,
    failed: 0,
    duration: 0,
    lastDuration: 0,
    lastAt: undefined,
    connected: 0,
    lastConnected: 0,
  };
}
