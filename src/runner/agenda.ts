/**
 * What a scenario still has in mind. In real time its alarms would come after a run that was interrupted, switch devices on
 * that nobody watches any more, and keep the process alive; so they are called off together.
 */
import { type Action, type Alarm, type DrivenClock, type EdgeClock, perform, type Release } from '../kernel/clock.js';
import type { Instant, Millis, UnixMillis } from '../kernel/time.js';

export class Agenda implements EdgeClock {
  readonly #clock: DrivenClock;
  readonly #open = new Set<Alarm>();
  #over = false;

  constructor(clock: DrivenClock) {
    this.#clock = clock;
  }

  get now(): Instant {
    return this.#clock.now;
  }

  get wall(): UnixMillis {
    return this.#clock.wall;
  }

  /** Everything has been called off. */
  get over(): boolean {
    return this.#over;
  }

  after(delay: Millis, what: string, action: Action): Alarm {
    const alarm = this.#clock.after(delay, what, () => {
      this.#open.delete(alarm);
      perform(action);
    });
    this.#open.add(alarm);
    return alarm;
  }

  hold(reason: string): Release {
    return this.#clock.hold(reason);
  }

  /** Ends the run. */
  stop(reason: Error): void {
    this.#clock.stop(reason);
  }

  /** Nothing of it will happen any more. */
  callOff(): void {
    this.#over = true;
    for (const alarm of this.#open) alarm.cancel();
    this.#open.clear();
  }
}
