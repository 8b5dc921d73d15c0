/**
 * A part of a run in the thread of the run itself. This saves time: one more thread would have to load and compile the program,
 * and its events would have to be written as text and parsed again.
 */
import { InterruptedError } from '../../kernel/errors.js';
import type { TraceEvent } from '../../trace/events.js';
import type { WorldOptions } from '../world/course.js';
import type { CommonRest } from './common-rest.js';
import type { Lines, Logged, PartEnd, Report, Task } from './messages.js';
import type { Part } from './part.js';
import { Answers, type EventBuffer, runPart } from './part-world.js';
import { Reports } from './reports.js';

type OwnTask = Omit<Task, 'profiles'> & Pick<WorldOptions, 'profiles' | 'log'>;

export class OwnPart implements Part {
  readonly #reports: Reports;
  readonly #answers = new Answers();
  readonly #ended: Promise<void>;
  #stop: (() => void) | undefined;
  #closed = false;

  constructor(task: OwnTask, rest: CommonRest) {
    this.#reports = new Reports(rest, (answer) => this.#answers.take(answer));
    this.#ended = runPart({
      ...task,
      events: new LoggedEvents(),
      answers: this.#answers,
      report: (report: Report) => {
        if (report.kind !== 'log') this.#reports.take(report);
      },
      started: ({ stop }) => {
        this.#stop = () => stop(new InterruptedError('the end of the run'));
        if (this.#closed) this.#stop();
      },
    }).catch((error: unknown) => this.#reports.fail(error));
  }

  next(): Promise<Lines | PartEnd> {
    return this.#reports.next();
  }

  permit(): void {
    this.#answers.permit();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop?.();
    this.#answers.permit(Number.POSITIVE_INFINITY);
    this.#answers.take({ kind: 'rest', all: true });
    await this.#ended;
  }
}

/** Keeps each event together with its line of the event log. */
class LoggedEvents implements EventBuffer {
  #logged: Logged[] = [];
  #closed = false;

  emit(event: TraceEvent): void {
    if (!this.#closed) this.#logged.push({ event, line: JSON.stringify(event) });
  }

  take(): readonly Logged[] {
    const taken = this.#logged;
    this.#logged = [];
    return taken;
  }

  close(): void {
    this.#closed = true;
  }
}
