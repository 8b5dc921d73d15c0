/** The clock of a process that may die: with it, all its alarms and holds are gone. */
import { type Action, type Alarm, type EdgeClock, perform, type Release } from '../../kernel/clock.js';
import type { Instant, Millis, UnixMillis } from '../../kernel/time.js';

export class MortalClock implements EdgeClock {
  readonly #clock: EdgeClock;
  readonly #alarms = new Set<Alarm>();
  readonly #holds = new Set<Release>();
  dead = false;

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
    if (this.dead) return { cancel: () => {} };
    const alarm = this.#clock.after(delay, what, () => {
      this.#alarms.delete(alarm);
      perform(action);
    });
    this.#alarms.add(alarm);
    return {
      cancel: () => {
        this.#alarms.delete(alarm);
        alarm.cancel();
      },
    };
  }

  hold(reason: string): Release {
    if (this.dead) return () => {};
    const release = this.#clock.hold(reason);
    this.#holds.add(release);
    return () => {
      this.#holds.delete(release);
      release();
    };
  }

  die(): void {
    this.dead = true;
    for (const alarm of this.#alarms) alarm.cancel();
    for (const release of this.#holds) release();
    this.#alarms.clear();
    this.#holds.clear();
  }
}
