/** Sends reports: their intervals, event reports, and the spool (timing T-3, behaviour B-17 to B-20, B-27). */
import { between, type Draws } from '../../kernel/random.js';
import { hours, type Instant, type Millis, type UnixSeconds } from '../../kernel/time.js';
import type { Profile } from '../../profile/profile.js';
import type { ContactReason } from '../../trace/events.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Policy } from '../family/index.js';
import type { DeviceFacts } from '../hardware/hardware.js';
import type { Spool, SpooledMessage } from '../hardware/spool.js';
import type { CloudThread } from './cloud-thread.js';

const RATE_WINDOW = hours(1);

/** The parts of the firmware that reports need. */
export interface ReporterHost {
  readonly profile: Profile;
  readonly policy: Policy;
  readonly config: DeviceConfig;
  readonly draws: Draws;
  readonly spool: Spool;
  readonly cloud: CloudThread;
  readonly now: Instant;
  /** Unix seconds on the device's clock at `at`, with fractions. */
  readExactTime(at: Instant): UnixSeconds;
  /** Builds the complete message of a report. */
  encode(): Uint8Array;
  /** Discards the collected windows and events. */
  clear(): void;
  /** A report has been sent or given up. */
  noteReported(): void;
  readonly facts: DeviceFacts;
}

export class Reporter {
  readonly #host: ReporterHost;
  /** Whether a report is being sent. It blocks the work queue (timing T-4). */
  sending = false;
  /** Numbers of the uplinks that are only in RAM: a reset loses them. */
  #unsent: readonly number[] = NOTHING;
  /** Start of the hour for which event reports are counted; undefined before the first event. */
  #windowStart: Instant | undefined;
  #reportsInWindow = 0;
  /** Whether an event report is planned. The planned report will include all further events. */
  #eventWaits = false;

  constructor(host: ReporterHost) {
    this.#host = host;
  }

  /** Time until the next regular report; undefined when regular reports are off. */
  readInterval(): Millis | undefined {
    const { profile, config, draws } = this.#host;
    const { reportEvery, jitter } = profile.timing;
    const every = reportEvery ? config.number(reportEvery.module, reportEvery.name) * 1000 : 0;
    if (every === 0) return undefined;
    return Math.round(every * (1 + jitter * between(draws, -1, 1)));
  }

  /** Delay of an event's report; undefined if a planned report includes it, or the hour's limit is reached. */
  readEventDelay(): Millis | undefined {
    const { profile, config, now } = this.#host;
    const { eventDelay, eventRate } = profile.timing;
    if (eventDelay === undefined || eventRate === undefined || this.#eventWaits) return undefined;
    if (this.#windowStart === undefined || now - this.#windowStart >= RATE_WINDOW) {
      this.#windowStart = now;
      this.#reportsInWindow = 0;
    }
    // The firmware compares with "<=", so one report more than the rate is allowed.
    if (this.#reportsInWindow > config.number(eventRate.module, eventRate.name)) return undefined;
    this.#reportsInWindow++;
    this.#eventWaits = true;
    return config.number(eventDelay.module, eventDelay.name) * 1000;
  }

  /** An event report could not start because another report is being sent: the next report contains its event. */
  mergeEvent(): void {
    this.#eventWaits = false;
  }

  /** Sends a report; `done` is called when the work queue continues. */
  report(why: ContactReason, done: () => void): void {
    const { config, profile } = this.#host;
    if (why === 'event') this.#eventWaits = false;
    const message = this.#host.encode();
    const { mode } = profile.timing;
    if (mode && config.text(mode.module, mode.name) !== 'lte') {
      // Without LTE, no report is sent, but the data are cleared.
      this.#host.clear();
      this.#host.noteReported();
      return done();
    }
    this.sending = true;
    const uplink = this.#host.facts.made('data', message);
    this.#unsent = [...this.#unsent, uplink];
    this.send({ uplink, message }, why, (ok) => {
      if (ok || profile.timing.onSendFailure === 'drop') this.#host.clear();
      this.#host.noteReported();
      this.sending = false;
      done();
    });
  }

  /** The device loses its RAM. */
  halt(why: string): void {
    for (const uplink of this.#unsent) this.#host.facts.dropped(uplink, 'data', why);
    this.#unsent = NOTHING;
  }

  /**
   * Sends the new message, then the spooled ones, oldest first (timing T-26 to T-30). Firmware versions differ in two
   * parameters of the profile: without a send timeout, the wait for the lock and for datagrams has no limit; without a spool, a
   * message that fails is lost.
   */
  private send(report: Report, why: ContactReason, done: (ok: boolean) => void): void {
    const { cloud } = this.#host;
    let deadline = this.#host.now + this.readTimeout();
    const left = () => Math.max(0, deadline - this.#host.now);
    const granted = () => {
      if (!this.#host.policy.transfers.lockCounts) deadline = this.#host.now + this.readTimeout();
      const spooled = this.store(report);
      cloud.sendData(report.uplink, report.message, left(), why, (ok) => {
        if (ok) this.noteSent(report, spooled);
        else if (!spooled) this.drop(report, 'not sent in time');
        if (!ok || !spooled) return ended(ok);
        this.drain(left, why, () => ended(true));
      });
    };
    const ended = (ok: boolean) => {
      // `done` comes first: if it starts another report, that report already waits for the lock when the lock is released.
      done(ok);
      cloud.unlock();
    };
    cloud.lock(left(), granted, () => {
      this.drop(report, 'another exchange holds the cloud lock');
      done(false);
    });
  }

  /** Sends the spooled messages. Even after the deadline, the modem attempts each message, for up to 30 s. */
  private drain(left: () => Millis, why: ContactReason, done: () => void): void {
    const { cloud, spool } = this.#host;
    const { oldest } = spool;
    if (oldest === undefined) return done();
    cloud.sendData(oldest.uplink, oldest.message, left(), why, (ok) => {
      if (!ok) return done();
      spool.remove(oldest);
      this.drain(left, why, done);
    });
  }

  /** Stores the report in flash, so that it survives a reboot. Returns undefined if the device has no spool. */
  private store(report: Report): SpooledMessage | undefined {
    const { spoolSize } = this.#host.profile.timing;
    const capacity = spoolSize ? this.#host.config.number(spoolSize.module, spoolSize.name) : 0;
    if (capacity === 0) return undefined;
    this.forgetUnsent(report);
    const { now, spool } = this.#host;
    const { uplink, message } = report;
    const spooled = { uplink, message, stored: this.#host.readExactTime(now) };
    for (const lost of spool.add(spooled, capacity)) this.drop(lost, 'spool full');
    return spooled;
  }

  private noteSent(report: Report, spooled: SpooledMessage | undefined): void {
    this.forgetUnsent(report);
    if (spooled) this.#host.spool.remove(spooled);
  }

  private drop(report: Report, why: string): void {
    this.forgetUnsent(report);
    if (report.uplink >= 0) this.#host.facts.dropped(report.uplink, 'data', why);
  }

  private forgetUnsent({ uplink }: Report): void {
    const left = this.#unsent.filter((other) => other !== uplink);
    this.#unsent = left.length === 0 ? NOTHING : left;
  }

  private readTimeout(): Millis {
    const { sendTimeout } = this.#host.profile.timing;
    return sendTimeout
      ? this.#host.config.number(sendTimeout.module, sendTimeout.name) * 1000
      : Number.POSITIVE_INFINITY;
  }
}

type Report = Pick<SpooledMessage, 'uplink' | 'message'>;

/** One empty list for all devices. */
const NOTHING: readonly number[] = [];
