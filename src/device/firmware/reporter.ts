/**
 * When the device reports, and what becomes of a report that does not get through (firmware behaviour, 3.1, 3.3, 3.4 and 6).
 */
import { between, type Draws } from '../../kernel/random.js';
import { hours, type Instant, type Millis } from '../../kernel/time.js';
import type { Profile } from '../../profile/profile.js';
import type { ContactReason } from '../../trace/events.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { DeviceFacts } from '../hardware/hardware.js';
import type { Spool, SpooledMessage } from '../hardware/spool.js';
import type { CloudThread } from './cloud-thread.js';

const RATE_WINDOW = hours(1);

/** The firmware around the reports. */
export interface ReporterHost {
  readonly profile: Profile;
  readonly config: DeviceConfig;
  readonly draws: Draws;
  readonly spool: Spool;
  readonly cloud: CloudThread;
  readonly now: Instant;
  /** Builds the body of a report: the complete message. */
  encode(): Uint8Array;
  /** Forgets windows and events. */
  clear(): void;
  readonly facts: DeviceFacts;
}

export class Reporter {
  readonly #host: ReporterHost;
  /** The work queue stands still while a report is on its way (firmware behaviour, 3.3). */
  sending = false;
  /** Uplinks that would be lost with the RAM. */
  #unsent: readonly number[] = NOTHING;
  #windowStart: Instant = Number.NEGATIVE_INFINITY;
  #reportsInWindow = 0;
  /** An event waits to be reported; further ones go along with it. */
  #eventWaits = false;

  constructor(host: ReporterHost) {
    this.#host = host;
  }

  /** Time until the next regular report; undefined when regular reports are off. */
  interval(): Millis | undefined {
    const { profile, config, draws } = this.#host;
    const { reportEvery, jitter } = profile.timing;
    const every = reportEvery ? config.number(reportEvery.module, reportEvery.name) * 1000 : 0;
    if (every === 0) return undefined;
    return Math.round(every * (1 + jitter * between(draws, -1, 1)));
  }

  /** How long after an event it is reported; undefined when it goes with an earlier one, or there were too many in this hour. */
  eventDelay(): Millis | undefined {
    const { profile, config, now } = this.#host;
    const { eventDelay, eventRate } = profile.timing;
    if (eventDelay === undefined || eventRate === undefined || this.#eventWaits) return undefined;
    if (now - this.#windowStart >= RATE_WINDOW) {
      this.#windowStart = now;
      this.#reportsInWindow = 0;
    }
    // The firmware compares with "<=", so that one report more than the rate passes.
    if (this.#reportsInWindow > config.number(eventRate.module, eventRate.name)) return undefined;
    this.#reportsInWindow++;
    this.#eventWaits = true;
    return config.number(eventDelay.module, eventDelay.name) * 1000;
  }

  /** Sends a report; `done` is called when the work queue goes on. */
  report(why: ContactReason, done: () => void): void {
    const { config, profile, spool } = this.#host;
    if (why === 'event') this.#eventWaits = false;
    const message = this.#host.encode();
    const { mode } = profile.timing;
    if (mode && config.text(mode.module, mode.name) !== 'lte') {
      // Nothing is sent, but the data are gone all the same.
      this.#host.clear();
      return done();
    }
    this.sending = true;
    const uplink = this.#host.facts.made('data', message.length);
    const capacity = this.#capacity();
    const report: SpooledMessage = { uplink, message };
    if (capacity > 0) for (const lost of spool.add(report, capacity)) this.#drop(lost, 'spool full');
    else this.#unsent = [...this.#unsent, uplink];
    this.#send(report, this.#timeout(), why, (ok) => {
      if (ok || profile.timing.onSendFailure === 'drop') this.#host.clear();
      if (!ok && capacity === 0) this.#drop(report, 'not sent in time');
      this.sending = false;
      done();
    });
  }

  /** The device loses its RAM. */
  halt(why: string): void {
    for (const uplink of this.#unsent) this.#host.facts.dropped(uplink, 'data', why);
    this.#unsent = NOTHING;
  }

  /** Sends the newest message, then what the spool still holds, oldest first, within one budget (wire protocol, 8.3). */
  #send(report: SpooledMessage, budget: Millis, why: ContactReason, done: (ok: boolean) => void): void {
    const { cloud, spool } = this.#host;
    const deadline = this.#host.now + budget;
    const sendOldest = (): void => {
      const { oldest } = spool;
      const left = deadline - this.#host.now;
      if (oldest === undefined || left <= 0) return done(true);
      cloud.sendData(oldest.uplink, oldest.message, left, why, (ok) => {
        if (!ok) return done(true);
        spool.remove(oldest);
        sendOldest();
      });
    };
    cloud.sendData(report.uplink, report.message, budget, why, (ok) => {
      if (!ok) return done(false);
      this.#noLongerUnsent(report);
      spool.remove(report);
      sendOldest();
    });
  }

  #drop(report: SpooledMessage, why: string): void {
    this.#noLongerUnsent(report);
    if (report.uplink >= 0) this.#host.facts.dropped(report.uplink, 'data', why);
  }

  #noLongerUnsent({ uplink }: SpooledMessage): void {
    const left = this.#unsent.filter((other) => other !== uplink);
    this.#unsent = left.length === 0 ? NOTHING : left;
  }

  #capacity(): number {
    const { spoolSize } = this.#host.profile.timing;
    return spoolSize ? this.#host.config.number(spoolSize.module, spoolSize.name) : 0;
  }

  #timeout(): Millis {
    const { sendTimeout } = this.#host.profile.timing;
    return sendTimeout
      ? this.#host.config.number(sendTimeout.module, sendTimeout.name) * 1000
      : Number.POSITIVE_INFINITY;
  }
}

/** Of which there is one for all devices. */
const NOTHING: readonly number[] = [];
