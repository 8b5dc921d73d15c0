/** A clock that knows when what happens now should have happened. */
import { type Action, type Alarm, type EdgeClock, perform, type Release } from '../src/kernel/clock.js';
import type { Instant, Millis, UnixMillis } from '../src/kernel/time.js';

/** What devices wait for until they do something of their own accord. */
const OF_ITSELF = 'the next task of a device';

export class CausalClock implements EdgeClock {
  readonly #clock: EdgeClock;
  /**
   * When what happens now should have happened: an alarm's delay after what set it should have. So a chain of alarms adds up
   * how late each was, from the one on which the device began by itself. Undefined while no alarm has led to what happens.
   */
  intended: Instant | undefined;
  /** When the alarms that have come were due. */
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
