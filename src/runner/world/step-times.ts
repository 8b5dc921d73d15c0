/** Collects times that are not in the plan: the ends of waits, and the times of control commands from consoles. */
import type { Fleet } from '../../console/member.js';
import type { Clock } from '../../kernel/clock.js';
import type { Instant } from '../../kernel/time.js';
import type { StepCall } from '../../scenario/steps/index.js';
import type { Trace } from '../../trace/events.js';

/** A control command that a user typed on a console. */
interface ConsoleStep {
  readonly at: Instant;
  readonly serial: number;
  readonly call: StepCall;
}

/** Collects the ends of waits and the control commands during a run. */
export class StepTimes {
  /** When the waits of the plan ended, by their indices. */
  readonly waits = new Map<number, Instant>();
  /** Sorted by time. */
  readonly console: ConsoleStep[] = [];
  readonly #clock: Pick<Clock, 'now'>;
  readonly #trace: Trace;

  constructor(clock: Pick<Clock, 'now'>, trace: Trace) {
    this.#clock = clock;
    this.#trace = trace;
  }

  readonly waited = (index: number, at: Instant): void => {
    this.waits.set(index, at);
  };

  readonly noted: Fleet['noted'] = (serial, action, call) => {
    const at = this.#clock.now;
    this.#trace.emit({ kind: 'console.action', at, serial, action });
    if (call !== undefined) this.console.push({ at, serial, call });
  };
}
