/** A clock that knows when the present action should have run, so that a benchmark can measure how late it is. */
import { type Action, type Alarm, type EdgeClock, perform, type Release } from '../src/kernel/clock.js';
import type { Instant, Millis, UnixMillis } from '../src/kernel/time.js';

/** Name of the alarm with which a device starts an action by itself. */
const OF_ITSELF = 'the next task of a device';

export class CausalClock implements EdgeClock {
  readonly #clock: EdgeClock;
  /**
   * When the present action should have run: the delay of its alarm after the time at which the alarm should have been set. So
   * the lateness of a chain of alarms adds up, from the alarm with which the device started. Undefined outside of alarms.
   */
  intended: Instant | undefined;
  /** Due times of the alarms that have run. */
  readonly dues: Instant[] = [];

  constructor(clock: EdgeClock) {
    this.#clock = clock;
  }

  get now(): Instant {
    return this.#clock.now;
  }

  get wall(): UnixMillis {
    return this.#clock.wall;
  }

  after(delay: Millis, what: string, action: Action): Alarm {
    const due = this.now + delay;
    const intended = what === OF_ITSELF ? due : (this.intended ?? this.now) + delay;
    return this.#clock.after(delay, what, () => {
      this.dues.push(due);
      this.intended = intended;
      perform(action);
      this.intended = undefined;
    });
  }

  hold(reason: string): Release {
    return this.#clock.hold(reason);
  }
}
