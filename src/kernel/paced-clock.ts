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
  /** Number of events of the run in the complete instants so far: a step ends with the next one. */
  readonly events: () => number;
}

/** Longer than any pause, in ms of real time. */
const ENDLESS = 1e12;
/** Real time in ms after which sockets are served, even if the run cannot keep up with its pace. */
const BREATH = 10;
/** A run that is late by more than this, in ms of real time, does not catch up. */
const LATE = 250;

export class PacedClock extends VirtualClock implements Pace {
  readonly #rest: () => void;
  readonly #events: () => number;
  #speed: number;
  #paused = false;
  #begun = false;
  #isStopped = false;
  /** Simulated time at the real time `#origin`. */
  #base: Instant = 0;
  #origin: Instant;
  readonly #real = new RealClock();
  #breathed: Instant;
  /** Number of events before the present step; undefined without a step. */
  #before: number | undefined;
  #wake = (): void => {};

  constructor({ start, speed, rest, events }: PacedOptions) {
    super({ start });
    this.#speed = speed;
    this.#rest = rest;
    this.#events = events;
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
    this.#before = undefined;
    this.#rebase();
  }

  resume(): void {
    this.#paused = false;
    this.#before = undefined;
    this.#rebase();
  }

  step(): void {
    if (!this.#paused) return;
    this.#before = this.#countEvents();
    this.#wake();
  }

  override stop(reason: Error): void {
    this.#isStopped = true;
    super.stop(reason);
    this.#wake();
  }

  protected override delayOf(due: Instant): Promise<void> | undefined {
    if (!this.#begun || this.#isStopped || due <= this.now) return undefined;
    // Many alarms are no events, such as those of the service's own work: a step passes them.
    if (this.#before !== undefined && this.#before === this.#countEvents()) return this.#breathe();
    this.#before = undefined;
    const left = this.#paused ? ENDLESS : this.#origin + (due - this.#base) / this.#speed - this.#real.now;
    if (left < -LATE) this.#rebase();
    if (left > 0) return this.#wait(left);
    return this.#breathe();
  }

  #countEvents(): number {
    this.#rest();
    return this.#events();
  }

  /** Serves sockets if they were not served for a while. */
  #breathe(): Promise<void> | undefined {
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
