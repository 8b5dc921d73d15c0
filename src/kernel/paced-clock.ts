/**
 * Simulated time with a limited speed. The same alarms run in the same order as without a limit; in between, this process
 * serves sockets. The clock can be paused, and its speed can be changed.
 *
 * The clock waits only between two instants, so that the events of an instant are complete when a user looks.
 */
import type { Alarm } from './clock.js';
import type { Pace } from './pace.js';
import { RealClock } from './real-clock.js';
import type { Instant, UnixMillis } from './time.js';
import { VirtualClock } from './virtual-clock.js';

interface PacedOptions {
  readonly start: UnixMillis;
  /** Maximum number of simulated milliseconds per real millisecond. */
  readonly speed: number;
  /** Called when an instant is complete, before the clock waits. */
  readonly rest: () => void;
}

/** Longer than any pause, in ms of real time. */
const ENDLESS = 1e12;
/** Real time in ms after which sockets are served, even if the run cannot keep up with its pace. */
const BREATH = 10;
/** A run that is late by more than this, in ms of real time, does not catch up. */
const LATE = 250;

export class PacedClock extends VirtualClock implements Pace {
  readonly #rest: () => void;
  #speed: number;
  #paused = false;
  #begun = false;
  #isStopped = false;
  /** Simulated time at the real time `#origin`. */
  #base: Instant = 0;
  #origin: Instant;
  readonly #real = new RealClock();
  #breathed: Instant;
  /** The instant from which a step moves on. */
  #leaving: Instant | undefined;
  #wake = (): void => {};

  constructor({ start, speed, rest }: PacedOptions) {
    super({ start });
    this.#speed = speed;
    this.#rest = rest;
    this.#origin = this.#real.now;
    this.#breathed = this.#origin;
  }

  /** Limits the speed from now on; before this call, time passes without a limit. */
  begin(): void {
    this.#begun = true;
    this.#rebase();
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    if (!(speed > 0)) throw new RangeError(`speed must be more than 0, not ${speed}`);
    this.#speed = speed;
    this.#rebase();
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  pause(): void {
    this.#paused = true;
    this.#rebase();
  }

  resume(): void {
    this.#paused = false;
    this.#rebase();
  }

  step(): void {
    if (!this.#paused) return;
    this.#leaving = this.now;
    this.#wake();
  }

  override stop(reason: Error): void {
    this.#isStopped = true;
    super.stop(reason);
    this.#wake();
  }

  protected override delayOf(due: Instant): Promise<void> | undefined {
    if (!this.#begun || this.#isStopped || due <= this.now) return undefined;
    if (this.#paused && this.#leaving === this.now) return undefined;
    this.#leaving = undefined;
    const left = this.#paused ? ENDLESS : this.#origin + (due - this.#base) / this.#speed - this.#real.now;
    if (left < -LATE) this.#rebase();
    if (left > 0) return this.#wait(left);
    return this.#real.now - this.#breathed > BREATH ? this.#wait(0) : undefined;
  }

  /** Waits `ms` of real time, or until the pace changes. */
  async #wait(ms: number): Promise<void> {
    this.#rest();
    let alarm: Alarm | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      alarm = this.#real.after(ms, 'the pace', resolve);
    });
    alarm?.cancel();
    this.#breathed = this.#real.now;
  }

  #rebase(): void {
    this.#base = this.now;
    this.#origin = this.#real.now;
    this.#wake();
  }
}
