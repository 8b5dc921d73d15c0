/**
 * What a downlink waited for: the time from the API to its last stage, split among five causes without gaps or overlaps.
 *
 *   asleep    the radio was off until the device woke it for the next report or poll
 *   radio     from waking the radio to the first contact (attach, connect, search for a network), and the time lost to
 *             repetitions
 *   transfer  packets travel between device and cloud
 *   service   the cloud processes a datagram
 *   device    the device runs commands, saves or reboots, until it wakes its radio again
 *
 * A cursor moves through the events of the device. Each event charges the time since the cursor to the current cause, so the
 * parts always sum to the whole. The parts are cut off at the last stage; if another cloud is read through its API, the event
 * of this stage may come after later events of the device.
 *
 * Two causes become known only afterwards. A wake shows that the device has slept since its last activity, and a repetition
 * shows that the time before it was lost. The trace has no event for falling asleep, because the modem alone decides when it
 * sleeps. So sleep counts from the last activity, and an exchange without events, such as a poll that finds nothing, counts as
 * sleep.
 *
 * The time of the service becomes known last: the cloud first emits the events for the messages that it stores and offers, and
 * then `cloud.took` with the processing time. So this time is moved from `transfer` to `service` afterwards, also for a
 * downlink whose last stage was reached during the processing.
 */
import type { Instant, Millis } from '../../kernel/time.js';

export const WAIT_CAUSES = ['asleep', 'radio', 'transfer', 'service', 'device'] as const;
export type WaitCause = (typeof WAIT_CAUSES)[number];

/** Time by cause, in whole milliseconds. */
export type Waits = Readonly<Record<WaitCause, Millis>>;

/** A period with one cause. */
export interface WaitStretch {
  readonly cause: WaitCause;
  /** `from` and `until` count from the time at which the downlink was queued. */
  readonly from: Millis;
  readonly until: Millis;
}

/** `queued`: it is not known yet whether the device sleeps. */
type Phase = 'queued' | 'radio' | 'transfer' | 'device';

/** The waits of a downlink, rounded to whole milliseconds first: sums are exact in real time, too. */
export class WaitAccount {
  readonly #queuedAt: Instant;
  /** Two numbers for each stretch: the end of the stretch, and the index of its cause. */
  readonly #timeline: number[] = [];
  readonly #parts: Record<WaitCause, Millis> = { asleep: 0, radio: 0, transfer: 0, service: 0, device: 0 };
  #cursor: Instant;
  /** The parts at the last stage, and the time of that stage. */
  #settled: Record<WaitCause, Millis> = { ...this.#parts };
  #settledAt: Instant;
  /** Begin and end of the last stretch that was charged to `transfer`. */
  #transferFrom = 0;
  #transferUntil = 0;
  #lastActive: Instant;
  #phase: Phase = 'queued';
  /** Whether the last wake has led to no exchange. Valid only until the next activity of the device. */
  #inVain = false;
  #delivered = false;
  #executed = false;
  /** The device has begun to send its answer. */
  #answering = false;

  constructor(queuedAt: Instant) {
    this.#queuedAt = Math.round(queuedAt);
    this.#cursor = this.#queuedAt;
    this.#lastActive = this.#cursor;
    this.#settledAt = this.#cursor;
  }

  /** The parts up to the last stage. */
  get waits(): Waits {
    return this.#settled;
  }

  /** The waits up to the last stage in chronological order. {@link waits} has their sums by cause. */
  get stretches(): readonly WaitStretch[] {
    return this.stretchesUntil(this.#settledAt);
  }

  /**
   * The waits until `end` in chronological order. After the last activity of the device, which may come before `end`, the
   * device counts as asleep unless it is busy or searches for its network.
   */
  stretchesUntil(end: Instant): readonly WaitStretch[] {
    const last = Math.round(end);
    const awake = this.#phase === 'device' || this.#searches;
    const timeline = [
      ...this.#timeline,
      ...[Math.max(this.#cursor, awake ? last : this.#lastActive), WAIT_CAUSES.indexOf(this.#cause())],
      ...[Math.max(this.#cursor, last), ASLEEP],
    ];
    const stretches: WaitStretch[] = [];
    let from = 0;
    for (let i = 0; i < timeline.length; i += 2) {
      const until = Math.min(timeline[i] ?? 0, last) - this.#queuedAt;
      const cause = WAIT_CAUSES[timeline[i + 1] ?? 0];
      if (until > from && cause !== undefined) stretches.push({ cause, from, until });
      from = Math.max(from, until);
    }
    return stretches;
  }

  /** The downlink has reached a stage. @param at time of its last stage so far: the waits until then are final */
  settle(at: Instant): void {
    this.#settledAt = Math.round(at);
    // The event of the stage may come after later events of the device.
    this.#settled = this.#settledAt < this.#cursor ? sumStretches(this.stretches) : { ...this.#parts };
  }

  /** The device wakes its radio. @param polls true for a poll, which causes no event if it finds nothing */
  wake(at: Instant, polls: boolean): void {
    if (this.#phase !== 'device' && !this.#searches) this.#noteSleep(at);
    this.#enter('radio', at);
    this.#inVain = !polls;
    this.#answering ||= this.#executed;
  }

  /** The poll for which the radio was woken has failed. */
  pollFailed(): void {
    this.#inVain = true;
  }

  /** The cloud has received a packet from the device, or the device one from the cloud. */
  takeContact(at: Instant): void {
    if (this.#phase === 'radio') this.#enter('transfer', at);
    this.#noteActivity(at);
  }

  /** The first packet of the device since the downlink was queued. */
  takeFirstContact(at: Instant): void {
    this.#enter('transfer', at);
    this.#noteActivity(at);
  }

  /** The device sends the first datagram of an uplink. */
  takeUplink(at: Instant): void {
    // Before the execution, this uplink is the report that leads to the first contact: `radio` lasts until the cloud receives
    // the report.
    if (this.#executed) {
      this.#answering = true;
      this.#enter('transfer', at);
    }
    this.#noteActivity(at);
  }

  /** The device repeats a datagram after waiting `waited` for an answer. */
  repeat(at: Instant, waited: Millis): void {
    if (this.#phase !== 'device') {
      this.#charge(at - waited, this.#cause());
      this.#charge(at, 'radio');
    }
    this.#noteActivity(at);
  }

  /** The cloud answers a datagram that it received `took` ago. */
  takeServed(at: Instant, took: Millis): void {
    this.takeServedBefore(at, took);
    if (this.#phase === 'transfer' || this.#phase === 'radio') {
      this.#charge(at - took, this.#cause());
      this.#charge(at, 'service');
    }
    this.#noteActivity(at);
  }

  /** Like {@link takeServed}, for a closed downlink: only time up to its last stage is moved to `service`. */
  takeServedBefore(at: Instant, took: Millis): void {
    const from = Math.max(Math.round(at - took), this.#transferFrom);
    moveToService(this.#parts, this.#transferUntil - from);
    moveToService(this.#settled, Math.min(this.#transferUntil, this.#settledAt) - from);
    if (from >= this.#transferUntil) return;
    this.#noteService(from, this.#transferUntil);
    this.#transferUntil = from;
  }

  /** The device (re)starts. */
  boot(at: Instant): void {
    if (this.#phase === 'queued') this.#noteSleep(at);
    this.#enter('device', at);
  }

  takeReceived(at: Instant): void {
    this.#enter('transfer', at);
    this.#noteActivity(at);
  }

  /** The cloud knows that the device received the downlink. */
  delivered(at: Instant): void {
    this.#delivered = true;
    // The answer may already be on its way when a later packet confirms the delivery.
    if (this.#answering) this.#charge(at, this.#cause());
    else this.#enter('device', at);
    this.#noteActivity(at);
  }

  executed(at: Instant): void {
    this.#executed = true;
    if (this.#delivered) this.#enter('device', at);
    else this.#charge(at, this.#cause());
  }

  /** The downlink has reached any other stage: charges the time until `at` to the current cause. */
  takeStage(at: Instant): void {
    this.#charge(at, this.#cause());
    this.#noteActivity(at);
  }

  /** Whether the radio woke and sent nothing since: the device searches for its network. */
  get #searches(): boolean {
    return this.#phase === 'radio' && this.#inVain && this.#lastActive < this.#cursor;
  }

  /** Charges the time from the last activity of the device until `at` to `asleep`. */
  #noteSleep(at: Instant): void {
    this.#charge(this.#lastActive, this.#cause());
    this.#charge(at, 'asleep');
  }

  /** Charges the time until `at` to the current phase, and begins the next. */
  #enter(phase: Phase, at: Instant): void {
    this.#charge(at, this.#cause());
    this.#phase = phase;
  }

  /** The cause of this phase. In `queued`, it is `radio`: the device is awake. */
  #cause(): WaitCause {
    return this.#phase === 'queued' ? 'radio' : this.#phase;
  }

  #charge(until: Instant, cause: WaitCause): void {
    const whole = Math.round(until);
    if (whole <= this.#cursor) return;
    this.#parts[cause] += whole - this.#cursor;
    if (cause === 'transfer') {
      if (this.#transferUntil !== this.#cursor) this.#transferFrom = this.#cursor;
      this.#transferUntil = whole;
    }
    this.#cursor = whole;
    const index = WAIT_CAUSES.indexOf(cause);
    if (this.#timeline.at(-1) === index) this.#timeline[this.#timeline.length - 2] = whole;
    else this.#timeline.push(whole, index);
  }

  /** Relabels the part of the timeline from `from` to `until` from `transfer` to `service`. */
  #noteService(from: Instant, until: Instant): void {
    for (let i = this.#timeline.length - 2; i >= 0; i -= 2) {
      if (this.#timeline[i] !== until || this.#timeline[i + 1] !== TRANSFER) continue;
      const begins = i === 0 ? this.#queuedAt : (this.#timeline[i - 2] ?? 0);
      if (from > begins) this.#timeline.splice(i, 2, from, TRANSFER, until, SERVICE);
      else this.#timeline[i + 1] = SERVICE;
      return;
    }
  }

  #noteActivity(at: Instant): void {
    this.#lastActive = Math.max(this.#lastActive, Math.round(at));
  }
}

const ASLEEP = WAIT_CAUSES.indexOf('asleep');
const TRANSFER = WAIT_CAUSES.indexOf('transfer');
const SERVICE = WAIT_CAUSES.indexOf('service');

export function sumStretches(stretches: readonly WaitStretch[]): Record<WaitCause, Millis> {
  const parts = { asleep: 0, radio: 0, transfer: 0, service: 0, device: 0 };
  for (const { cause, from, until } of stretches) parts[cause] += until - from;
  return parts;
}

function moveToService(parts: Record<WaitCause, Millis>, time: Millis): void {
  if (time <= 0) return;
  parts.transfer -= time;
  parts.service += time;
}
