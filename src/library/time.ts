/** Virtual time for a service and its devices in a program: it passes only when the program says so. */
import { isDate } from 'node:util/types';
import { isoTime } from '../kernel/calendar.js';
import { UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { DURATION_FORM, formatDuration, LAST_TIME, type Millis, parseDuration, seconds } from '../kernel/time.js';
import { VirtualClock } from '../kernel/virtual-clock.js';
import { mark, rejectOtherCopy } from './copies.js';
import { CHECKED_ELSEWHERE, checkOptions, SEED } from './options.js';

/** A length of time: milliseconds, or a text such as `6h` or `1h30m`. */
export type Duration = Millis | string;

/** Options of {@link virtualTime}. */
export interface VirtualTimeOptions {
  /** Calendar time at the start. Default: 2026-01-01T00:00:00Z. */
  readonly start?: Date;
  /** Seed of everything random in a service that uses this time: ids and keys. Default 1. */
  readonly seed?: number;
}

/** Options of {@link VirtualTime.until}. */
export interface UntilOptions {
  /** Longest time to wait, in virtual time. Default `1d`. */
  readonly within?: Duration;
  /** Time between two checks of the condition, in virtual time. Default `1s`. */
  readonly every?: Duration;
}

/** Creates virtual time. Pass it to `startService`; the devices of the service then use it as well. */
export function virtualTime(options: VirtualTimeOptions = {}): VirtualTime {
  // The constructor checks `start`, for programs that call it themselves.
  checkOptions<VirtualTimeOptions>('virtualTime', options, { start: CHECKED_ELSEWHERE, seed: SEED });
  return new VirtualTime(options);
}

/** Time that passes only in {@link advance} and {@link until}. In between it stands, and the API still answers. */
export class VirtualTime {
  readonly #clock: VirtualClock;
  readonly #seed: number;
  #passing = false;

  constructor({ start, seed = 1 }: VirtualTimeOptions = {}) {
    // Callers in JavaScript are not checked by the compiler.
    if (start !== undefined && !(isDate(start) && Number.isFinite(start.getTime()))) {
      throw new UsageError('bad-options', `start: "${String(start)}" is not a valid Date`);
    }
    if (start !== undefined && start.getTime() < 0) {
      throw new UsageError(
        'bad-options',
        `start: "${start.toISOString()}" is before 1970; the protocol has no such times`,
      );
    }
    if (start !== undefined && start.getTime() > LAST_TIME) {
      throw new UsageError(
        'bad-options',
        `start: "${start.toISOString()}" is after ${isoTime(LAST_TIME)}; the protocol has no such times`,
      );
    }
    this.#clock = new VirtualClock(start ? { start: start.getTime() } : {});
    this.#seed = seed;
    clocks.set(this, this.#clock);
    mark(this);
  }

  /** Milliseconds since the start. */
  get now(): Millis {
    return this.#clock.now as number;
  }

  /** The same moment as calendar time. */
  get date(): Date {
    return new Date(this.#clock.wall);
  }

  /** Seed of everything random in a service that uses this time. */
  get seed(): number {
    return this.#seed;
  }

  /**
   * Lets time pass: everything that is due happens, in order.
   * @throws UsageError `bad-duration` for a text that is not a duration, `time-is-passing` during another call
   */
  async advance(duration: Duration): Promise<void> {
    const length = millisOf(duration);
    await this.#alone(() => this.#clock.runUntil(this.#clock.now + length));
  }

  /**
   * Lets time pass until the condition holds. Checks it at once, and then again after each interval `every`.
   * @throws UsageError `too-late` if the condition does not hold within the time `within`; otherwise like {@link advance}
   */
  async until(condition: () => boolean | Promise<boolean>, options: UntilOptions = {}): Promise<void> {
    if (typeof condition !== 'function') throw new UsageError('bad-options', 'until needs a function as its condition');
    // millisOf checks both.
    checkOptions<UntilOptions>('until', options, { within: CHECKED_ELSEWHERE, every: CHECKED_ELSEWHERE });
    const within = millisOf(options.within ?? '1d');
    const every = millisOf(options.every ?? seconds(1));
    if (!(every > 0)) throw new UsageError('bad-duration', `every: "${options.every}" is not more than 0`);
    const clock = this.#clock;
    const end = clock.now + within;
    await this.#alone(async () => {
      while (!(await condition())) {
        if (clock.now >= end) {
          throw new UsageError('too-late', `the condition did not hold within ${formatDuration(within)}`);
        }
        await clock.runUntil(Math.min(clock.now + every, end));
      }
    });
  }

  async #alone(pass: () => Promise<void>): Promise<void> {
    if (this.#passing) {
      throw new UsageError('time-is-passing', 'time is already passing: await the earlier call of advance or until');
    }
    this.#passing = true;
    try {
      await pass();
    } finally {
      this.#passing = false;
    }
  }
}

const clocks = new WeakMap<VirtualTime, VirtualClock>();

/** The clock of virtual time, for the parts that run on it. */
export function clockOf(time: VirtualTime): VirtualClock {
  const clock = clocks.get(time);
  if (clock !== undefined) return clock;
  rejectOtherCopy('time', time);
  throw new UsageError('bad-options', 'time: expected the result of virtualTime()');
}

/** Length of a step of virtual time in {@link settled}, and real time between two steps, in milliseconds. */
const STEP = 20;

/** Lets time pass in small steps until `work` settles, for example a shutdown, which waits for timers. */
export async function settled<T>(time: VirtualTime, work: Promise<T>): Promise<T> {
  const clock = clockOf(time);
  const real = new RealClock();
  let running = true;
  const step = (): void => {
    if (!running) return;
    const next = () => void real.after(STEP, 'a step of virtual time', step);
    // After an error, such as that of a device, the work still needs time to end.
    clock.runUntil(clock.now + STEP).then(next, next);
  };
  real.after(STEP, 'a step of virtual time', step);
  try {
    return await work;
  } finally {
    running = false;
  }
}

/** @throws UsageError `bad-duration` */
function millisOf(duration: Duration): Millis {
  const length = typeof duration === 'number' ? duration : parseDuration(String(duration));
  if (length !== undefined && length >= 0 && length < Number.POSITIVE_INFINITY) return length;
  throw new UsageError('bad-duration', `"${duration}" is not milliseconds, nor ${DURATION_FORM}`);
}
