/** Runs a part of a plan with a clock and a cloud of its own, and reports the events after each window of simulated time. */
import { GhostfleetError } from '../../kernel/errors.js';
import type { Millis } from '../../kernel/time.js';
import type { Trace } from '../../trace/events.js';
import { InstantOrder } from '../../trace/instant-order.js';
import { inOneWorld, type WorldControl, type WorldOptions } from '../world/course.js';
import { noEvidence } from '../world/journal.js';
import { type Answer, failureOf, type Lines, type Report, WINDOWS_AHEAD } from './messages.js';
import { WindowClock } from './window-clock.js';

/** Collects the events of a part. */
export interface EventBuffer extends Trace {
  /** The events since the last call. */
  take(): Lines;
  /** Later events are discarded: devices still emit some while the runner switches them off. */
  close(): void;
}

/** The answers of the run to a part: how many windows the part may still finish, and whether all parts are at rest. */
export class Answers {
  #left = WINDOWS_AHEAD;
  #goOn = (): void => {};
  #settle = (_all: boolean): void => {};

  take(answer: Answer): void {
    if (answer.kind === 'rest') this.#settle(answer.all);
    else this.permit();
  }

  /** Allows the part to finish more windows. */
  permit(windows = 1): void {
    this.#left += windows;
    this.#goOn();
  }

  /** Resolves with the next answer whether all parts are at rest. */
  rest(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Uses up a permit, and resolves when there is a permit for the next window. */
  async windowDone(): Promise<void> {
    this.#left--;
    while (this.#left <= 0) await new Promise<void>((resolve) => (this.#goOn = resolve));
  }
}

interface PartOptions extends Pick<WorldOptions, 'plan' | 'profiles' | 'transport' | 'db' | 'log'> {
  readonly window: Millis;
  readonly events: EventBuffer;
  readonly answers: Answers;
  readonly report: (report: Report) => void;
  /** Called before the provisioning. */
  readonly started?: (control: WorldControl) => void;
}

/** Runs a part. Resolves after its last report. @throws every error that is not a GhostfleetError, because it is a bug */
export async function runPart(options: PartOptions): Promise<void> {
  const { window, events, answers, report, started = () => {}, ...world } = options;
  const trace = new InstantOrder(events);
  const takeLines = (): Lines => {
    trace.settle();
    return events.take();
  };
  const pause = () => {
    report({ kind: 'window', lines: takeLines() });
    return answers.windowDone();
  };
  const atRest = (isAtRest: boolean) => {
    const answer = answers.rest();
    report({ kind: 'rest', isAtRest });
    return answer;
  };
  const journal = {
    trace,
    evidence: noEvidence,
    settle: () => trace.settle(),
    close: () => {
      trace.settle();
      events.close();
    },
  };
  try {
    const clock = new WindowClock({ start: world.plan.start, window, pause });
    const alone = { ...world, ...({ atRest, clock: 'virtual', speed: 1 } as const) };
    const { end, simulatedMs } = await inOneWorld(alone, journal, started, clock);
    report({ kind: 'end', lines: takeLines(), end, simulatedMs });
  } catch (error) {
    if (!(error instanceof GhostfleetError)) throw error;
    report({ kind: 'failed', error: failureOf(error) });
  }
}
