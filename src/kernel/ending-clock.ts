/** A clock whose use can be ended: `end` cancels alarms and holds made through it; later calls do nothing. */
import { type Action, type Alarm, type AlarmOwner, type EdgeClock, perform, type Release } from './clock.js';
import type { Instant, Millis, UnixMillis } from './time.js';

export class EndingClock implements EdgeClock {
  readonly #clock: EdgeClock;
  readonly #alarms = new Set<Alarm>();
  readonly #holds = new Set<Release>();
  #ended = false;

  /** @param clock the wrapped clock, which keeps running after the end */
  constructor(clock: EdgeClock) {
    this.#clock = clock;
  }

  get now(): Instant {
    return this.#clock.now;
  }

  get wall(): UnixMillis {
    return this.#clock.wall;
  }

  get ended(): boolean {
    return this.#ended;
  }

  after(delay: Millis, what: string, action: Action, owner?: AlarmOwner): Alarm {
    if (this.#ended) return { cancel: () => {} };
    const alarm = this.#clock.after(delay, what, () => {
      this.#alarms.delete(alarm);
      perform(action, owner);
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
    if (this.#ended) return () => {};
    const release = this.#clock.hold(reason);
    this.#holds.add(release);
    return () => {
      this.#holds.delete(release);
      release();
    };
  }

  end(): void {
    this.#ended = true;
    for (const alarm of this.#alarms) alarm.cancel();
    for (const release of this.#holds) release();
    this.#alarms.clear();
    this.#holds.clear();
  }
}
