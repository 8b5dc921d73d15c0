/** What a modem counts since boot, for `lte metrics` (firmware shell, 5.2). */
import type { Instant, Millis } from '../../kernel/time.js';

export class ModemCounters {
  /** Attempts to attach, those that have come to nothing, and when the last one began. */
  attaches = 0;
  failed = 0;
  lastAt: Instant | undefined;
  /** Spent on attempts, whatever came of them. */
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
