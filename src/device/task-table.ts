/**
 * Many things to do, one alarm: a table of due times, of which only the earliest is set on the clock. Tasks that are due
 * together run in the order of their numbers.
 */
import type { Alarm, Clock } from '../kernel/clock.js';
import type { Instant, Millis } from '../kernel/time.js';

export class TaskTable {
  readonly #clock: Clock;
  readonly #what: string;
  readonly #run: (task: number) => void;
  readonly #due: Float64Array;
  #alarm: Alarm | undefined;
  #armedFor: Instant = Number.POSITIVE_INFINITY;
  #running = false;

  /** @param what names the alarm */
  constructor(clock: Clock, what: string, size: number, run: (task: number) => void) {
    this.#clock = clock;
    this.#what = what;
    this.#run = run;
    this.#due = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  }

  /** Plans `task` for `delay` from now, in place of what was planned for it; Infinity: not any more. */
  set(task: number, delay: Millis): void {
    this.#due[task] = this.#clock.now + delay;
    if (!this.#running) this.#arm();
  }

  /** Forgets all tasks. */
  clear(): void {
    this.#due.fill(Number.POSITIVE_INFINITY);
    this.#arm();
  }

  #arm(): void {
    let earliest = Number.POSITIVE_INFINITY;
    for (let task = 0; task < this.#due.length; task++) earliest = Math.min(earliest, this.#due[task] as number);
    if (earliest === this.#armedFor) return;
    this.#alarm?.cancel();
    this.#armedFor = earliest;
    this.#alarm =
      earliest === Number.POSITIVE_INFINITY
        ? undefined
        : this.#clock.after(Math.max(0, earliest - this.#clock.now), this.#what, this.#wake);
  }

  readonly #wake = (): void => {
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#alarm = undefined;
    this.#running = true;
    const { now } = this.#clock;
    for (let task = 0; task < this.#due.length; task++) {
      if ((this.#due[task] as number) > now) continue;
      this.#due[task] = Number.POSITIVE_INFINITY;
      this.#run(task);
    }
    this.#running = false;
    this.#arm();
  };
}
