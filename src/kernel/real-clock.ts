/**
 * Real time, optionally faster: with `speed` 60 a simulated hour passes in a minute. The clock can be paused, and its speed can
 * be changed.
 *
 * All alarms share one heap and one Node timer. The timer is armed for the earliest alarm, in hops of at most 2^31-1 ms,
 * because Node runs a timer with a longer delay at once.
 */
import { AlarmHeap } from './alarm-heap.js';
import { type Action, type Alarm, type AlarmOwner, type DrivenClock, perform, type Release } from './clock.js';
import type { Pace } from './pace.js';
import { realTimers } from './real-timers.js';
import type { Instant, Millis, UnixMillis } from './time.js';

const LONGEST_TIMER = 2_147_483_647;

const nothing = (): void => {};

interface RealClockOptions {
  /** Simulated milliseconds per real millisecond. Default 1. */
  readonly speed?: number;
  /** Calendar time at which the world begins. Default: now. */
  readonly start?: UnixMillis;
  /** Whether calendar time follows the system's clock and its corrections. Default: `start` plus elapsed time. */
  readonly followsSystem?: boolean;
  /** Whether time stays at 0, and no alarm fires, until {@link RealClock.begin}: for the time in which a world is built. */
  readonly frozen?: boolean;
  /** Called after each change of {@link RealClock.speed}. */
  readonly onSpeed?: (speed: number) => void;
  /** Called for every alarm with the time by which it is late, in real milliseconds. */
  readonly onAlarm?: (lateBy: Millis) => void;
}

export class RealClock implements DrivenClock, Pace {
  #speed: number;
  #paused = false;
  /** Simulated time at the real time `#origin`. */
  #base: Instant = 0;
  #start: UnixMillis;
  readonly #onAlarm: ((lateBy: Millis) => void) | undefined;
  readonly #onSpeed: ((speed: number) => void) | undefined;
  #origin = realTimers.now();
  #frozen: boolean;
  readonly #fixedStart: boolean;
  readonly #followsSystem: boolean;
  readonly #heap = new AlarmHeap();
  readonly #pending = new Map<number, RealAlarm>();
  /** Rejects the pending `attend`s. */
  readonly #interrupts = new Set<(reason: unknown) => void>();
  #nextSlot = 0;
  #timer: NodeJS.Timeout | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #stopped: Error | undefined;

  constructor(options: RealClockOptions = {}) {
    this.#speed = options.speed ?? 1;
    if (!(this.#speed > 0)) throw new RangeError(`speed must be more than 0, not ${this.#speed}`);
    this.#start = options.start ?? realTimers.wall();
    this.#onAlarm = options.onAlarm;
    this.#onSpeed = options.onSpeed;
    this.#frozen = options.frozen ?? false;
    this.#fixedStart = options.start !== undefined;
    this.#followsSystem = options.followsSystem ?? false;
  }

  /** Rounded to microseconds, which keeps traces short. */
  get now(): Instant {
    if (this.#frozen) return 0;
    if (this.#paused) return this.#base;
    return this.#base + Math.round((realTimers.now() - this.#origin) * this.#speed * 1000) / 1000;
  }

  /** Simulated milliseconds per real millisecond. A pause does not change this value. */
  get speed(): number {
    return this.#speed;
  }

  /** Changes the speed from now on. @throws RangeError unless it is more than 0 */
  set speed(speed: number) {
    if (!(speed > 0)) throw new RangeError(`speed must be more than 0, not ${speed}`);
    this.#rebase();
    this.#speed = speed;
    this.#rearm();
    this.#onSpeed?.(speed);
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  /** Stops time until {@link resume}. Meanwhile, only {@link step} runs alarms. */
  pause(): void {
    this.#rebase();
    this.#paused = true;
    this.#rearm();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#origin = realTimers.now();
    this.#paused = false;
    this.#rearm();
  }

  /** Moves paused time to the instant of the next alarms, and performs them. Alarms that they set wait for a further step. */
  step(): void {
    if (!this.#paused) return;
    this.#heap.retain((slot) => this.#pending.has(slot));
    if (this.#pending.size === 0) return;
    this.#base = Math.max(this.#base, this.#heap.nextDue);
    this.#fire();
  }

  #rebase(): void {
    this.#base = this.now;
    this.#origin = realTimers.now();
  }

  #rearm(): void {
    if (this.#pending.size > 0) this.#arm(this.#heap.nextDue);
  }

  /**
   * Time begins to pass.
   * @param ago real time that has passed since time 0
   */
  begin(ago: Millis = 0): void {
    if (!this.#frozen) return;
    this.#origin = realTimers.now() - ago;
    if (!this.#fixedStart) this.#start = realTimers.wall() - Math.round(ago);
    this.#frozen = false;
    if (this.#pending.size > 0) this.#arm(this.#heap.nextDue);
  }

  get wall(): UnixMillis {
    return this.#followsSystem ? realTimers.wall() : Math.floor(this.#start + this.now);
  }

  get waiting(): number {
    return this.#pending.size;
  }

  after(delay: Millis, what: string, action: Action, owner?: AlarmOwner): Alarm {
    if (!(delay >= 0)) throw new RangeError(`an alarm needs a delay of 0 ms or more, not ${delay} (${what})`);
    const alarm = new RealAlarm(this, this.#nextSlot++ % 4_294_967_296, action, owner);
    this.#pending.set(alarm.slot, alarm);
    const due = this.now + delay;
    this.#heap.push(due, alarm.slot);
    if (due < this.#armedFor) this.#arm(due);
    return alarm;
  }

  /** Has no effect: real time cannot be held. */
  hold(): Release {
    return nothing;
  }

  /** Called by the alarm itself. */
  cancel(alarm: RealAlarm): void {
    if (this.#pending.get(alarm.slot) === alarm) this.#pending.delete(alarm.slot);
    if (this.#pending.size === 0) this.#rest();
    else if (this.#heap.isMostlyCancelled(this.#pending.size)) this.#heap.retain((slot) => this.#pending.has(slot));
  }

  stop(reason: Error): void {
    this.#stopped = reason;
    // Time must pass again, because the code that shuts down may wait for alarms.
    this.resume();
    this.#interrupt(reason);
  }

  async attend<T>(work: Promise<T>): Promise<T> {
    let interrupt: (reason: unknown) => void = () => {};
    const interrupted = new Promise<never>((_, reject) => {
      interrupt = reject;
    });
    if (this.#stopped) interrupt(this.#stopped);
    this.#interrupts.add(interrupt);
    try {
      return await Promise.race([work, interrupted]);
    } finally {
      this.#interrupts.delete(interrupt);
    }
  }

  async runUntil(deadline: Instant): Promise<void> {
    let alarm: Alarm | undefined;
    const reached = new Promise<void>((resolve) => {
      alarm = this.after(Math.max(0, deadline - this.now), 'end of runUntil', resolve);
    });
    try {
      await this.attend(reached);
    } finally {
      alarm?.cancel();
    }
  }

  /** Rejects every pending `attend`; false if there is none. */
  #interrupt(reason: unknown): boolean {
    for (const reject of this.#interrupts) reject(reason);
    return this.#interrupts.size > 0;
  }

  #arm(due: Instant): void {
    if (this.#frozen) return;
    realTimers.clearTimeout(this.#timer);
    if (this.#paused) {
      // The alarms wait for `resume`.
      this.#armedFor = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#armedFor = due;
    const wait = Math.ceil(Math.max(0, (due - this.now) / this.#speed));
    this.#timer = realTimers.setTimeout(() => this.#fire(), Math.min(wait, LONGEST_TIMER));
  }

  /** Called when no alarm is pending: drops cancelled alarms, so that they do not keep the process alive. */
  #rest(): void {
    this.#heap.clear();
    realTimers.clearTimeout(this.#timer);
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    // Alarms that are set meanwhile wait for the next round: a chain of alarms without delay must not block sockets and
    // signals.
    this.#armedFor = Number.NEGATIVE_INFINITY;
    const until = this.now;
    const { inserted } = this.#heap;
    try {
      // While the clock is paused, new alarms without delay are due at `until` as well.
      while (this.#heap.nextDue <= until && this.#heap.nextOrder < inserted) this.#performNext();
    } catch (error) {
      if (!this.#interrupt(error)) throw error;
    } finally {
      if (this.#pending.size === 0) this.#rest();
      else this.#arm(this.#heap.nextDue);
    }
  }

  #performNext(): void {
    const due = this.#heap.nextDue;
    const slot = this.#heap.pop();
    const alarm = this.#pending.get(slot);
    this.#pending.delete(slot);
    if (alarm === undefined) return;
    this.#onAlarm?.((this.now - due) / this.#speed);
    perform(alarm.action, alarm.owner);
  }
}

/** Entry of the clock and handle for the caller in one object, because a fleet sets thousands of alarms per second. */
class RealAlarm implements Alarm {
  readonly slot: number;
  readonly action: Action;
  readonly owner: AlarmOwner | undefined;
  readonly #clock: RealClock;

  constructor(clock: RealClock, slot: number, action: Action, owner: AlarmOwner | undefined) {
    this.#clock = clock;
    this.slot = slot;
    this.action = action;
    this.owner = owner;
  }

  cancel(): void {
    this.#clock.cancel(this);
  }
}
