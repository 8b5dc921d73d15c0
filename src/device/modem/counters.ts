/** The counters of a modem since boot, for `lte metrics` (firmware shell, 5.2). */
import type { Instant, Millis } from '../../kernel/time.js';

export class ModemCounters {
  /** Number of attach attempts, number of those that failed, and start of the last one. */
  attaches = 0;
  failed = 0;
  lastAt: Instant | undefined;
  /** Total length of all attempts, successful or not. */
  duration: Millis = 0;
  lastDuration: Millis = 0;
  connected: Millis = 0;
  lastConnected: Millis = 0;

  attaching(now: Instant): void {
    this.attaches++;
    this.lastAt = now;
  }

  attachEnded(duration: Millis, found: boolean): void {
    if (!found) this.failed++;
    this.lastDuration = duration;
    this.duration += duration;
  }

  connectedFor(duration: Millis): void {
    this.lastConnected = duration;
    this.connected += duration;
  }
}
