/**
 * Real time between two instants of a run. A service needs real time for an answer, whatever the speed of the run: at 60 times
 * real time, 3 ms would be 180 ms of the run. The time of a pause does not count. In virtual time, all times are those of the
 * run.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';

interface Change {
  readonly at: Instant;
  /** Real time at which the speed changed. */
  readonly real: Millis;
  readonly speed: number;
}

export class RealTime {
  /** In the order of their times. */
  readonly #changes: [Change, ...Change[]] = [{ at: 0, real: 0, speed: 1 }];

  readonly on: Handlers = {
    'world.speed': ({ at, speed }) => {
      this.#changes.push({ at, real: this.#convertInstant(at), speed });
    },
  };

  measureBetween(from: Instant, to: Instant): Millis {
    const { at, speed } = this.#findBefore(from);
    const last = this.#changes.at(-1);
    return last?.at === at ? (to - from) / speed : this.#convertInstant(to) - this.#convertInstant(from);
  }

  #convertInstant(instant: Instant): Millis {
    const { at, real, speed } = this.#findBefore(instant);
    return real + (instant - at) / speed;
  }

  #findBefore(instant: Instant): Change {
    return this.#changes.findLast(({ at }) => at <= instant) ?? this.#changes[0];
  }
}
