/**
 * Many tasks, one alarm: a table of due times, of which only the earliest is set on the clock. Tasks that are due together run
 * in the order of their numbers.
 *
 * A *quiet* task, such as taking a sample, has no visible effect until another task runs. So a quiet task sets no alarm. The
 * quiet tasks that are due run before the next other task, or when `catchUp` is called. They run in the order of their due
 * times, as if each had run on time. Most devices therefore wake up about once per report instead of forty times, and
 * simulating a day of a fleet is several times faster. Of the runs of a quiet task that only replace each other's result, the
 * last one is enough.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, unboxed } from '../../kernel/time.js';

/** The owner of the tasks, which runs them. */
export interface TaskOwner {
  readonly clock: Clock;
  /** Runs a task that was due at `at`; returns the delay from then to its next time, Infinity for never. */
  perform(task: number, at: Instant): Millis;
}

const NEVER = Number.POSITIVE_INFINITY;
const UNARMED: Instant = -1;

export class TaskTable {
  readonly #owner: TaskOwner;
  readonly #quiet: readonly boolean[];
  readonly #replaced: readonly Millis[];
  /** Due time by task number. A plain array filled with Infinity stores unboxed numbers in half the space of a typed array. */
  readonly #due: number[];
  #alarm: Alarm | undefined;
  /** When the alarm is due; -1 without an alarm. A small integer, because Infinity would be an object on the heap. */
  #armedFor: Instant = UNARMED;
  #running = false;

  /**
   * @param quiet by number: whether a task is quiet; tasks beyond the list are not
   * @param replaced by number: after which time the next run of a quiet task replaces the result; Infinity: never
   */
  constructor(owner: TaskOwner, size: number, quiet: readonly boolean[], replaced: readonly Millis[]) {
    this.#owner = owner;
    this.#quiet = quiet;
    this.#replaced = replaced;
    this.#due = new Array(size).fill(NEVER);
  }

  /** Plans `task` for `delay` from now and replaces its earlier plan; Infinity removes it. */
  set(task: number, delay: Millis): void {
    this.#due[task] = this.#owner.clock.now + delay;
    if (!this.#running) this.arm();
  }

  /** When `task` is due; Infinity if it is not planned. */
  findDue(task: number): Instant {
    return this.#due[task] as number;
  }

  /** Removes all tasks. */
  clear(): void {
    this.#due.fill(NEVER);
    if (!this.#running) this.arm();
  }

  /** Runs the quiet tasks that were due before now or are due now, each at its own time. */
  catchUp(): void {
    const { now } = this.#owner.clock;
    this.skipReplaced(now);
    for (let task = this.findNextQuiet(); task >= 0 && this.findDue(task) <= now; task = this.findNextQuiet()) {
      this.runTask(task, this.findDue(task));
    }
  }

  /** Removes the quiet tasks that are due, without running them, and returns their numbers. */
  takeOverdue(): readonly number[] {
    const { now } = this.#owner.clock;
    const overdue: number[] = [];
    for (let task = 0; task < this.#quiet.length; task++) {
      if (!this.#quiet[task] || this.findDue(task) > now) continue;
      this.#due[task] = NEVER;
      overdue.push(task);
    }
    return overdue;
  }

  /** The alarm: runs the tasks that are due. */
  wake(): void {
    this.#armedFor = UNARMED;
    this.#alarm = undefined;
    this.#running = true;
    const { now } = this.#owner.clock;
    this.skipReplaced(now);
    for (let task = this.findNextQuiet(); task >= 0 && this.findDue(task) < now; task = this.findNextQuiet()) {
      this.runTask(task, this.findDue(task));
    }
    for (let task = 0; task < this.#due.length; task++) if (this.findDue(task) <= now) this.runTask(task, now);
    this.#running = false;
    this.arm();
  }

  /** Skips the runs whose result a run until `now` replaces. */
  private skipReplaced(now: Instant): void {
    for (let task = 0; task < this.#replaced.length; task++) {
      const after = this.#replaced[task] as Millis;
      let due = this.findDue(task);
      // One by one, because the sum of many delays may differ from their product in its last bit.
      while (due + after <= now) due += after;
      this.#due[task] = due;
    }
  }

  /** The quiet task that is due first; -1 if there is none. */
  private findNextQuiet(): number {
    let first = -1;
    let earliest = NEVER;
    for (let task = 0; task < this.#quiet.length; task++) {
      const due = this.findDue(task);
      if (!this.#quiet[task] || due >= earliest) continue;
      first = task;
      earliest = due;
    }
    return first;
  }

  private runTask(task: number, at: Instant): void {
    this.#due[task] = NEVER;
    const delay = this.#owner.perform(task, at);
    if (delay !== NEVER) this.#due[task] = at + delay;
  }

  private arm(): void {
    let earliest = NEVER;
    for (let task = 0; task < this.#due.length; task++) {
      if (!this.#quiet[task]) earliest = Math.min(earliest, this.findDue(task));
    }
    const armedFor = earliest === NEVER ? UNARMED : unboxed(earliest);
    if (armedFor === this.#armedFor) return;
    const { clock } = this.#owner;
    this.#alarm?.cancel();
    this.#armedFor = armedFor;
    this.#alarm =
      armedFor === UNARMED
        ? undefined
        : clock.after(Math.max(0, earliest - clock.now), 'the next task of a device', this);
  }
}
