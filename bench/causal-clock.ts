/** A clock that computes when the present action should have run, so that a benchmark can measure its lateness. */
import {
  type Action,
  type Alarm,
  type AlarmOwner,
  type EdgeClock,
  perform,
  type Release,
} from '../src/kernel/clock.js';
import type { Instant, Millis, UnixMillis } from '../src/kernel/time.js';

/**
 * Name of the alarm for the next task of a device. The schedule of the device determines the due time of this alarm,
 * however late earlier alarms ran. So this alarm begins a new chain, without the lateness of earlier alarms.
 */
const OF_ITSELF = 'the next task of a device';

export class CausalClock implements EdgeClock {
  readonly #clock: EdgeClock;
  /**
   * Time at which the present action should have run. For the task of a device, it is the due time. For any other alarm, it is
   * the time at which the action that set the alarm should have run, plus the delay of the alarm. So the lateness adds up over
   * a chain of alarms. Undefined while no alarm runs.
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

  after(delay: Millis, what: string, action: Action, owner?: AlarmOwner): Alarm {
    const due = this.now + delay;
    const intended = what === OF_ITSELF ? due : (this.intended ?? this.now) + delay;
    return this.#clock.after(delay, what, () => {
      this.dues.push(due);
      this.intended = intended;
      perform(action, owner);
      this.intended = undefined;
    });
  }

  hold(reason: string): Release {
    return this.#clock.hold(reason);
  }
}
