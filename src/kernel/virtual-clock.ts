/**
 * Simulated time. Nothing happens between two alarms, so a day passes in seconds; the same alarms run in the same order on
 * every machine.
 *
 * A hold (such as an open request to the real world) stops time. During `attend`, promises can settle before each alarm.
 * Without holds and `attend`, alarms run synchronously one after another; the event loop gets a turn only once in 16,384
 * alarms.
 */
import { AlarmHeap } from './alarm-heap.js';
import {
  type Action,
  type Alarm,
  type AlarmOwner,
  DEFAULT_START,
  type DrivenClock,
  perform,
  type Release,
} from './clock.js';
import { StuckError } from './errors.js';
import { Holds } from './holds.js';
import { endOfTurn, realTimers } from './real-timers.js';
import { formatDuration, type Instant, type Millis, seconds, type UnixMillis, unboxed } from './time.js';

interface VirtualClockOptions {
  /** Calendar time at which the world begins. Default 2026-01-01T00:00:00Z. */
  readonly start?: UnixMillis;
  /** If no hold ends for this long in real time, that is an error, found after twice this at the latest. Default 10 s. */
  readonly holdLimit?: Millis;
  /** More alarms than this at one instant count as an endless loop. Default 10 million. */
  readonly instantLimit?: number;
}

/** After this many alarms, the event loop runs once, for signals to the process (Ctrl-C) and progress lines. */
const STEPS_PER_BREATH = 16_384;

export class VirtualClock implements DrivenClock {
  now: Instant = 0;
  readonly #start: UnixMillis;
  readonly #holdLimit: Millis;
  readonly #instantLimit: number;
  readonly #heap = new AlarmHeap();
  readonly #holds = new Holds();
  /** By slot of the heap. */
  readonly #alarms: (VirtualAlarm | undefined)[] = [];
  readonly #free: number[] = [];
  #waiting = 0;
  #attended = 0;
  #stopped: Error | undefined;
  #atThisInstant = 0;
  #instant: Instant = -1;

  constructor(options: VirtualClockOptions = {}) {
    this.#start = options.start ?? DEFAULT_START;
    this.#holdLimit = options.holdLimit ?? seconds(10);
    this.#instantLimit = options.instantLimit ?? 10_000_000;
  }

  get wall(): UnixMillis {
    return Math.floor(this.#start + this.now);
  }

  get waiting(): number {
    return this.#waiting;
  }

  after(delay: Millis, what: string, action: Action, owner?: AlarmOwner): Alarm {
    if (!(delay >= 0)) throw new RangeError(`an alarm needs a delay of 0 ms or more, not ${delay} (${what})`);
    const slot = this.#free.pop() ?? this.#alarms.length;
    const alarm = new VirtualAlarm(this, what, action, owner);
    this.#alarms[slot] = alarm;
    this.#heap.push(this.now + delay, slot);
    this.#waiting++;
    return alarm;
  }

  hold(reason: string): Release {
    return this.#holds.take(reason);
  }

  stop(reason: Error): void {
    this.#stopped = reason;
    this.#holds.wake();
  }

  async attend<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const done = work.finally(() => {
      settled = true;
      this.#holds.wake();
    });
    // `return done` reports a failure of `work`. If the loop throws first, this failure must not be an unhandled rejection.
    done.catch(() => {});
    this.#attended++;
    const watch = this.#watchHolds();
    try {
      for (;;) {
        await endOfTurn();
        if (settled) break;
        if (this.#stopped) throw this.#stopped;
        if (this.#holds.count > 0) await this.#untilReleased(() => settled);
        else if (this.#heap.size > 0) {
          const delay = this.delayOf(this.#heap.nextDue);
          if (delay) await Promise.race([delay, done.catch(() => {})]);
          else this.#step();
        } else throw new StuckError('deadlock: all tasks are waiting and no timer is set', 'no alarm');
      }
    } finally {
      realTimers.clearInterval(watch);
      this.#attended--;
    }
    return done;
  }

  async runUntil(deadline: Instant): Promise<void> {
    const watch = this.#watchHolds();
    try {
      for (let steps = 1; ; steps++) {
        if (this.#stopped) throw this.#stopped;
        if (this.#holds.count > 0) await this.#untilReleased(() => false);
        else if (this.#attended > 0 || steps % STEPS_PER_BREATH === 0) await endOfTurn();
        if (this.#holds.count > 0) continue;
        const due = Math.min(this.#heap.nextDue, deadline);
        const delay = this.delayOf(due);
        if (delay) await delay;
        else if (this.#heap.nextDue > deadline) break;
        else this.#step();
      }
    } finally {
      realTimers.clearInterval(watch);
    }
    this.now = unboxed(Math.max(this.now, deadline));
  }

  /** Time moves to `_due` when this promise is fulfilled; undefined: at once. */
  protected delayOf(_due: Instant): Promise<void> | undefined {
    return undefined;
  }

  /** Called by an alarm that was cancelled. It stays in the heap until it is due, or until most alarms there are cancelled. */
  cancelled(): void {
    this.#waiting--;
    if (this.#heap.isMostlyCancelled(this.#waiting)) this.#dropCancelled();
  }

  #step(): void {
    const due = this.#heap.nextDue;
    const slot = this.#heap.pop();
    const alarm = this.#alarms[slot];
    this.#alarms[slot] = undefined;
    this.#free.push(slot);
    const action = alarm?.take();
    if (alarm === undefined || action === undefined) return;
    this.#waiting--;
    this.now = unboxed(due);
    this.#watchForLoop(alarm);
    perform(action, alarm.owner);
  }

  #dropCancelled(): void {
    this.#heap.retain((slot) => {
      if (this.#alarms[slot]?.isSet) return true;
      this.#alarms[slot] = undefined;
      this.#free.push(slot);
      return false;
    });
  }

  #watchForLoop({ what }: VirtualAlarm): void {
    if (this.now !== this.#instant) {
      this.#instant = this.now;
      this.#atThisInstant = 0;
    }
    if (++this.#atThisInstant > this.#instantLimit) {
      throw new StuckError(`${this.#instantLimit} alarms at the same instant; the last one is "${what}"`, what);
    }
  }

  /** Waits until no hold is open or `enough` returns true. */
  async #untilReleased(enough: () => boolean): Promise<void> {
    while (this.#holds.count > 0 && !this.#stopped && !enough()) await this.#holds.changed();
  }

  /** One timer watches all holds: most end within a few promise turns. */
  #watchHolds(): NodeJS.Timeout {
    let before = { count: this.#holds.count, ended: this.#holds.ended };
    return realTimers.setInterval(() => {
      const { count, ended } = this.#holds;
      // While holds end (many requests at once, most of which wait for a connection), time is slow, not stuck.
      if (before.count > 0 && ended === before.ended) {
        const reasons = this.#holds.describe();
        const message = `time has been held for ${formatDuration(this.#holdLimit)} by: ${reasons}`;
        this.stop(new StuckError(message, reasons));
      }
      before = { count, ended };
    }, this.#holdLimit);
  }
}

class VirtualAlarm implements Alarm {
  readonly what: string;
  readonly owner: AlarmOwner | undefined;
  readonly #clock: VirtualClock;
  /** Undefined once the alarm has run or was cancelled. */
  #action: Action | undefined;

  constructor(clock: VirtualClock, what: string, action: Action, owner: AlarmOwner | undefined) {
    this.what = what;
    this.owner = owner;
    this.#clock = clock;
    this.#action = action;
  }

  get isSet(): boolean {
    return this.#action !== undefined;
  }

  /** Returns the action and forgets it; undefined if the alarm has run or was cancelled. */
  take(): Action | undefined {
    const action = this.#action;
    this.#action = undefined;
    return action;
  }

  cancel(): void {
    if (this.take() !== undefined) this.#clock.cancelled();
  }
}
