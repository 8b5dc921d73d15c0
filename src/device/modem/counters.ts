/** The counters of a modem since boot, for `lte metrics` (shell S-25). */
import type { Millis, UnixSeconds } from '../../kernel/time.js';

export class ModemCounters {
  /** Attach attempts, failed ones, and the start of the last on the device's clock, never corrected. */
  attaches = 0;
  failed = 0;
  lastAt: UnixSeconds | undefined;
  /** Total length of all attempts, successful or not. */
  duration: Millis = 0;
  lastDuration: Millis = 0;
  /** Length of the radio connections, without the time until they were established. */
  connected: Millis = 0;
  lastConnected: Millis = 0;

  attaching(now: UnixSeconds): void {
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
