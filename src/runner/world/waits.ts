/**
 * Steps that wait for a condition. The condition is checked every simulated second, so that equal runs check at equal times. If
 * the condition does not become true in time, the run fails, because the following steps would run in another situation than
 * the scenario describes.
 */
import type { Clock } from '../../kernel/clock.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import { judgeMetrics, type MetricSource } from '../../scenario/expect/evaluate.js';
import type { Plan, PlannedAction, PlannedWait } from '../../scenario/model/plan.js';
import { describeTooLate, describeUnmet } from '../../scenario/plan/wait-failure.js';

const LOOK_EVERY = seconds(1);

interface WaitActions {
  /** Schedules an action of a step whose wait is over, relative to `begin`. */
  schedule(action: PlannedAction, begin: Instant): void;
  /** Called when the wait `index` of the plan is over. */
  over(index: number, at: Instant): void;
  /** Ends the run. */
  fail(reason: GhostfleetError): void;
}

export class Waits {
  readonly #plan: Plan;
  readonly #waits: readonly PlannedWait[];
  readonly #metrics: () => MetricSource;
  readonly #clock: Clock;
  readonly #actions: WaitActions;
  /** Waits that are not over. */
  readonly #open: Set<PlannedWait>;

  constructor(plan: Plan, metrics: () => MetricSource, clock: Clock, actions: WaitActions) {
    this.#plan = plan;
    this.#waits = plan.waits ?? [];
    this.#metrics = metrics;
    this.#clock = clock;
    this.#actions = actions;
    this.#open = new Set(this.#waits);
    this.#begin(null, 0);
  }

  /** Called at the end of the scenario. @throws GhostfleetError if a step still waits */
  end(): void {
    for (const wait of this.#open) throw this.#makeFailure(wait, null);
  }

  /** Begins the waits after `wait`, which ended at `begin`; with null, the first waits of the scenario. */
  #begin(wait: number | null, begin: Instant): void {
    for (const next of this.#waits) {
      if (next.wait !== wait) continue;
      const from = begin + next.from;
      this.#clock.after(Math.max(0, from - this.#clock.now), 'a look at what a step waits for', () =>
        this.#look(next, from),
      );
    }
  }

  #look(wait: PlannedWait, from: Instant): void {
    const { now } = this.#clock;
    if (judgeMetrics(wait.condition, this.#metrics()).passed) return this.#over(wait);
    const { within } = wait;
    if (within !== null && now >= from + within) {
      return this.#actions.fail(this.#makeFailure(wait, within));
    }
    const deadline = within === null ? Number.POSITIVE_INFINITY : from + within;
    const delay = Math.min(LOOK_EVERY, deadline - now);
    this.#clock.after(delay, 'a look at what a step waits for', () => this.#look(wait, from));
  }

  #over(wait: PlannedWait): void {
    const { now } = this.#clock;
    const index = this.#waits.indexOf(wait);
    this.#open.delete(wait);
    this.#actions.over(index, now);
    const actions = this.#plan.actions.filter((action) => action.wait === index);
    const last = actions.reduce((latest, { at }) => Math.max(latest, now + at), now);
    if (last > this.#plan.duration) {
      return this.#actions.fail(new GhostfleetError('waited', describeTooLate(wait, now), EXIT.expectation));
    }
    for (const action of actions) this.#actions.schedule(action, now);
    this.#begin(index, now);
  }

  #makeFailure(wait: PlannedWait, within: Millis | null): GhostfleetError {
    const { sentence } = judgeMetrics(wait.condition, this.#metrics());
    return new GhostfleetError('waited', describeUnmet(wait, within, sentence), EXIT.expectation);
  }
}
