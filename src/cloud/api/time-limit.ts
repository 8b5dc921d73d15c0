/** The longest time that a caller waits, whatever for. Each wait has a limit too; this one bounds their sum. */
import type { FastifyReply } from 'fastify';
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import { ApiFault } from '../http/errors.js';

/** Maximum time from the head of a request to its answer: less than the 30 s after which clients give up. */
const REQUEST_LIMIT: Millis = seconds(20);

/** Answers requests that take too long, with one alarm for all: an alarm for each would take CPU time. */
export class TimeLimit {
  /** Running requests, earliest deadline first. */
  readonly #running = new Map<FastifyReply, { readonly due: Instant; readonly over: () => void }>();
  readonly #patience: Clock;
  #alarm: Alarm | undefined;

  /** @param patience clock of the limit: real time, also in a simulation, whose own clock stands still while a request runs */
  constructor(patience: Clock) {
    this.#patience = patience;
  }

  /** @param over called at the end of the time if the client has gone, and so no answer ends the request */
  begin(reply: FastifyReply, over: () => void = () => {}): void {
    this.#running.set(reply, { due: this.#patience.now + REQUEST_LIMIT, over });
    if (!this.#alarm) this.#wait(REQUEST_LIMIT);
  }

  end(reply: FastifyReply): void {
    this.#running.delete(reply);
    if (this.#running.size > 0) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
  }

  #wait(delay: Millis): void {
    this.#alarm = this.#patience.after(delay, 'the answers to requests', () => this.#answerLate());
  }

  #answerLate(): void {
    this.#alarm = undefined;
    for (const [reply, { due, over }] of this.#running) {
      const left = due - this.#patience.now;
      if (left > 0) {
        this.#wait(left);
        return;
      }
      this.#running.delete(reply);
      if (!reply.sent) reply.send(tooLate());
      if (reply.raw.closed) over();
    }
  }
}

function tooLate(): ApiFault {
  const what = `the request took longer than ${REQUEST_LIMIT / 1000} s; a change may still be carried out`;
  return new ApiFault(503, what, 'time-limit');
}
