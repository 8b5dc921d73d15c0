/**
 * What a downlink waited for: its whole life, from the API to its last station, split among five causes without gap or
 * overlap.
 *
 *   asleep    the device's radio was silent until it woke for the next report or poll
 *   radio     from waking to the first contact: attaching, connecting, looking for a network from one vain waking to the next;
 *             and everything lost to repetitions
 *   transfer  packets going to and fro
 *   service   the cloud between a datagram and its answer
 *   device    the device at work: running commands, saving, rebooting, until it wakes its radio again
 *
 * A cursor walks through the device's events; every event charges the time since the cursor to the cause that held
 * until then. That is why the parts always sum to the whole. Two causes are only known afterwards: a wake tells that
 * the device slept since its last sign of life, and a repetition that the wait before it was lost. The trace has no
 * event for going to sleep, because a device cannot tell the moment: its modem decides. The last sign of life stands
 * for it, which counts an exchange that left no trace (a poll that found nothing) as sleep.
 *
 * The time of the service is known last of all: the cloud tells how long it took when its answer leaves, after it has told
 * what it stored or offered in that time. So that part is moved from transfer to service afterwards, also for a downlink
 * whose last station lies within it.
 */
import type { Instant, Millis } from '../../kernel/time.js';

export const WAIT_CAUSES = ['asleep', 'radio', 'transfer', 'service', 'device'] as const;
export type WaitCause = (typeof WAIT_CAUSES)[number];

/** Whole milliseconds by cause. */
export type Waits = Readonly<Record<WaitCause, Millis>>;

/** A time without change of cause. */
export interface WaitStretch {
  readonly cause: WaitCause;
  /** Since the downlink was queued. */
  readonly from: Millis;
  readonly until: Millis;
}

/** `queued`: nobody knows yet whether the device sleeps. */
type Phase = 'queued' | 'radio' | 'transfer' | 'device';

/**
 * The account of one downlink. Times are rounded to whole milliseconds when they come in, so that the sums are exact
 * also in real time, where clocks have fractions.
 */
export class WaitAccount {
  readonly #queuedAt: Instant;
  /** When a stretch ended, and the index of its cause, by turns. */
  readonly #course: number[] = [];
  readonly #parts: Record<WaitCause, Millis> = { asleep: 0, radio: 0, transfer: 0, service: 0, device: 0 };
  #cursor: Instant;
  /** The parts as they stood at the last station, and when that was. */
  #settled: Record<WaitCause, Millis> = { ...this.#parts };
  #settledAt: Instant;
  /** The last stretch that was charged to transfer. */
  #transferFrom = 0;
  #transferUntil = 0;
  /** When the device was last known to be awake. */
  #lastSign: Instant;
  #phase: Phase = 'queued';
  /** Nothing has come of the last waking, unless there was a sign since. */
  #inVain = false;
  #delivered = false;
  #executed = false;
  /** The device has begun to tell what came of it. */
  #answering = false;

  constructor(queuedAt: Instant) {
    this.#queuedAt = Math.round(queuedAt);
    this.#cursor = this.#queuedAt;
    this.#lastSign = this.#cursor;
    this.#settledAt = this.#cursor;
  }

  /** The parts up to the last station. */
  get waits(): Waits {
    return this.#settled;
  }

  /** The course of the waits up to the last station; the lengths by cause are the {@link waits}. */
  get stretches(): readonly WaitStretch[] {
    const stretches: WaitStretch[] = [];
    let from = 0;
    for (let i = 0; i < this.#course.length; i += 2) {
      const until = Math.min(this.#course[i] ?? 0, this.#settledAt) - this.#queuedAt;
      const cause = WAIT_CAUSES[this.#course[i + 1] ?? 0];
      if (until > from && cause !== undefined) stretches.push({ cause, from, until });
      from = Math.max(from, until);
    }
    return stretches;
  }

  /** A station is reached: the downlink's time is known up to here. */
  settle(): void {
    this.#settled = { ...this.#parts };
    this.#settledAt = this.#cursor;
  }

  /** The device wakes its radio. @param polls for a poll, which leaves no trace when it finds nothing */
  wake(at: Instant, polls: boolean): void {
    if (this.#phase !== 'device' && !this.#searches) this.#sleptUntil(at);
    this.#enter('radio', at);
    this.#inVain = !polls;
    this.#answering ||= this.#executed;
  }

  /** What the radio was woken for, a poll, has come to nothing. */
  pollFailed(): void {
    this.#inVain = true;
  }

  /** The cloud has heard of the device, or the device of the cloud. */
  contact(at: Instant): void {
    if (this.#phase === 'radio') this.#enter('transfer', at);
    this.#sign(at);
  }

  /** The device's first packet since the downlink was queued. */
  firstContact(at: Instant): void {
    this.#enter('transfer', at);
    this.#sign(at);
  }

  /** The first datagram of an uplink goes out. */
  uplinkSent(at: Instant): void {
    // Before the execution it is the report that brings the first contact: the radio is not done before the cloud hears it.
    if (this.#executed) {
      this.#answering = true;
      this.#enter('transfer', at);
    }
    this.#sign(at);
  }

  /** A datagram goes out again after `waited` in vain. */
  repeat(at: Instant, waited: Millis): void {
    if (this.#phase !== 'device') {
      this.#charge(at - waited, this.#cause());
      this.#charge(at, 'radio');
    }
    this.#sign(at);
  }

  /** The cloud answers a datagram that came `took` ago. */
  served(at: Instant, took: Millis): void {
    this.servedBefore(at, took);
    if (this.#phase === 'transfer' || this.#phase === 'radio') {
      this.#charge(at - took, this.#cause());
      this.#charge(at, 'service');
    }
    this.#sign(at);
  }

  /** The same for a downlink that has come to its end meanwhile: no more than its own time changes hands. */
  servedBefore(at: Instant, took: Millis): void {
    const from = Math.max(Math.round(at - took), this.#transferFrom);
    moveToService(this.#parts, this.#transferUntil - from);
    moveToService(this.#settled, Math.min(this.#transferUntil, this.#settledAt) - from);
    if (from >= this.#transferUntil) return;
    this.#serviceTook(from, this.#transferUntil);
    this.#transferUntil = from;
  }

  /** The device (re)starts. */
  boot(at: Instant): void {
    if (this.#phase === 'queued') this.#sleptUntil(at);
    this.#enter('device', at);
  }

  received(at: Instant): void {
    this.#enter('transfer', at);
    this.#sign(at);
  }

  /** The cloud knows that it was received. */
  delivered(at: Instant): void {
    this.#delivered = true;
    // Its answer may already be on the way when only a later packet confirms the delivery.
    if (this.#answering) this.#charge(at, this.#cause());
    else this.#enter('device', at);
    this.#sign(at);
  }

  executed(at: Instant): void {
    this.#executed = true;
    if (this.#delivered) this.#enter('device', at);
    else this.#charge(at, this.#cause());
  }

  /** Any other station: the time until here is charged to what held. */
  station(at: Instant): void {
    this.#charge(at, this.#cause());
    this.#sign(at);
  }

  /** It was woken before, and no datagram has left since: it looks for its network, and does not sleep. */
  get #searches(): boolean {
    return this.#phase === 'radio' && this.#inVain && this.#lastSign < this.#cursor;
  }

  /** It turns out that the device was silent since its last sign of life. */
  #sleptUntil(at: Instant): void {
    this.#charge(this.#lastSign, this.#cause());
    this.#charge(at, 'asleep');
  }

  /** Charges the time until `at` to the present phase, and begins the next. */
  #enter(phase: Phase, at: Instant): void {
    this.#charge(at, this.#cause());
    this.#phase = phase;
  }

  /** The cause of the present phase. A queued downlink that gets to know the device awake has waited for the radio. */
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
    if (this.#course.at(-1) === index) this.#course[this.#course.length - 2] = whole;
    else this.#course.push(whole, index);
  }

  /** In the course, what was transfer from `from` to `until` becomes service. */
  #serviceTook(from: Instant, until: Instant): void {
    for (let i = this.#course.length - 2; i >= 0; i -= 2) {
      if (this.#course[i] !== until || this.#course[i + 1] !== TRANSFER) continue;
      const begins = i === 0 ? this.#queuedAt : (this.#course[i - 2] ?? 0);
      if (from > begins) this.#course.splice(i, 2, from, TRANSFER, until, SERVICE);
      else this.#course[i + 1] = SERVICE;
      return;
    }
  }

  #sign(at: Instant): void {
    this.#lastSign = Math.max(this.#lastSign, Math.round(at));
  }
}

const TRANSFER = WAIT_CAUSES.indexOf('transfer');
const SERVICE = WAIT_CAUSES.indexOf('service');

function moveToService(parts: Record<WaitCause, Millis>, time: Millis): void {
  if (time <= 0) return;
  parts.transfer -= time;
  parts.service += time;
}
