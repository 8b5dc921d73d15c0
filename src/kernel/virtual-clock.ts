/**
 * Simulated time. Nothing happens between two alarms, so a day passes in seconds; the same alarms run in the same
 * order on every machine.
 *
 * A hold (such as an open request to the real world) stops time. During `attend`, promises can settle before each step. Without
 * holds and `attend`, steps follow each other synchronously.
 */
import { AlarmHeap } from './alarm-heap.js';
import { type Action, type Alarm, DEFAULT_START, type DrivenClock, perform, type Release } from './clock.js';
import { StuckError } from './errors.js';
import { Holds } from './holds.js';
import { formatDuration, type Instant, type Millis, seconds, type UnixMillis } from './time.js';

interface VirtualClockOptions {
  /** Calendar time at which the world begins. Default 2026-01-01T00:00:00Z. */
  readonly start?: UnixMillis;
  /**
   * A hold that lasts longer than this in real time is an error. It is detected after twice this time at the latest. Default 10
   * s.
   */
  readonly holdLimit?: Millis;
  /** More alarms than this at one instant count as an endless loop. Default 10 million. */
  readonly instantLimit?: number;
}

/** Number of alarms after which signals and progress lines are served. */
const STEPS_PER_BREATH = 16_384;

/**
 * The handle of an alarm has the number of its slot and the generation of that slot. So an old handle cannot cancel a later
 * alarm in the same slot.
 */
export class VirtualClock implements DrivenClock {
  now: Instant = 0;
  readonly #start: UnixMillis;
  readonly #holdLimit: Millis;
  readonly #instantLimit: number;
  readonly #heap = new AlarmHeap();
  readonly #holds = new Holds();
  readonly #actions: (Action | undefined)[] = [];
  readonly #names: string[] = [];
  readonly #generations: number[] = [];
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

  after(delay: Millis, what: string, action: Action): Alarm {
    if (!(delay >= 0)) throw new RangeError(`an alarm needs a delay of 0 ms or more, not ${delay} (${what})`);
    const slot = this.#free.pop() ?? this.#actions.length;
    this.#actions[slot] = action;
    this.#names[slot] = what;
    const generation = (this.#generations[slot] ?? 0) + 1;
    this.#generations[slot] = generation;
    this.#heap.push(this.now + delay, slot);
    this.#waiting++;
    return new VirtualAlarm(this, slot, generation);
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
        await breathe();
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
      clearInterval(watch);
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
        else if (this.#attended > 0 || steps % STEPS_PER_BREATH === 0) await breathe();
        if (this.#holds.count > 0) continue;
        const due = Math.min(this.#heap.nextDue, deadline);
        const delay = this.delayOf(due);
        if (delay) await delay;
        else if (this.#heap.nextDue > deadline) break;
        else this.#step();
      }
    } finally {
      clearInterval(watch);
    }
    this.now = unboxed(Math.max(this.now, deadline));
  }

  /** A promise for which time waits before it moves to `_due`, the next alarm or a deadline; undefined: time moves at once. */
  protected delayOf(_due: Instant): Promise<void> | undefined {
    return undefined;
  }

  /** Called by the alarm's own handle. */
  cancel(slot: number, generation: number): void {
    if (this.#generations[slot] !== generation || this.#actions[slot] === undefined) return;
    // The slot stays in the heap as a cancelled entry until it is due, or until most entries are cancelled.
    this.#actions[slot] = undefined;
    this.#waiting--;
    if (this.#heap.isMostlyCancelled(this.#waiting)) this.#dropCancelled();
  }

  #step(): void {
    const due = this.#heap.nextDue;
    const slot = this.#heap.pop();
    const action = this.#actions[slot];
    this.#actions[slot] = undefined;
    this.#free.push(slot);
    if (action === undefined) return;
    this.#waiting--;
    this.now = unboxed(due);
    this.#watchForLoop(slot);
    perform(action);
  }

  #dropCancelled(): void {
    this.#heap.retain((slot) => {
      const alive = this.#actions[slot] !== undefined;
      if (!alive) this.#free.push(slot);
      return alive;
    });
  }

  #watchForLoop(slot: number): void {
    if (this.now !== this.#instant) {
      this.#instant = this.now;
      this.#atThisInstant = 0;
    }
    if (++this.#atThisInstant > this.#instantLimit) {
      const name = this.#names[slot];
      throw new StuckError(`${this.#instantLimit} alarms at the same instant; the last one is "${name}"`, `${name}`);
    }
  }

  /** Waits until no hold is open or `enough` returns true. */
  async #untilReleased(enough: () => boolean): Promise<void> {
    while (this.#holds.count > 0 && !this.#stopped && !enough()) await this.#holds.changed();
  }

  /**
   * One timer watches all holds. Most holds, such as a commit in memory, end within a few dozen promise turns and are not worth
   * a timer each.
   */
  #watchHolds(): NodeJS.Timeout {
    let taken = this.#holds.taken;
    return setInterval(() => {
      // Holds that follow one another without a gap (many requests at once) are slow, not stuck.
      if (this.#holds.anyOlderThan(taken)) {
        const reasons = this.#holds.describe();
        const message = `time has been held for ${formatDuration(this.#holdLimit)} by: ${reasons}`;
        this.stop(new StuckError(message, reasons));
      }
      taken = this.#holds.taken;
    }, this.#holdLimit);
  }
}

class VirtualAlarm implements Alarm {
  readonly #clock: VirtualClock;
  readonly #slot: number;
  readonly #generation: number;

  constructor(clock: VirtualClock, slot: number, generation: number) {
    this.#clock = clock;
    this.#slot = slot;
    this.#generation = generation;
  }

  cancel(): void {
    this.#clock.cancel(this.#slot, this.#generation);
  }
}

/** Lets all ready promises settle. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The same number, as a small integer of the engine if possible: whole milliseconds up to 24 days. A number from a typed array
 * is a double; each field of a device that holds a time derived from it would take a heap object of 16 bytes.
 */
function unboxed(time: Instant): Instant {
  const small = time | 0;
  return small === time ? small : time;
}
