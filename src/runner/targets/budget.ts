/**
 * Limits the time of work whose end depends on another service: setting up a fleet, reading its last messages, cleaning up,
 * recording. A service that goes on answering is given more time, so a large fleet has enough; one that answers too slowly is
 * given up.
 */
import { abortMany } from '../../kernel/abort-many.js';
import type { Alarm, Clock } from '../../kernel/clock.js';
import { formatDuration, type Instant, type Millis, minutes, seconds } from '../../kernel/time.js';

/** Time for the work without any answer. */
const FIRST: Millis = minutes(1);
/** Further time for each answer. */
const PER_ANSWER: Millis = seconds(2);

export class Budget {
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #perAnswer: Millis;
  readonly #over = abortMany();
  /** When the time is used up; undefined before the work begins. */
  #until: Instant | undefined;
  /** Since when the service has demanded a wait; undefined if it has not. */
  #pausedAt: Instant | undefined;
  #alarm: Alarm | undefined;

  /**
   * @param clock real time
   * @param perSecond limit of requests a second; null for no limit
   * @param perAnswer further time for each answer
   */
  constructor(clock: Pick<Clock, 'now' | 'after'>, perSecond: number | null, perAnswer = PER_ANSWER) {
    this.#clock = clock;
    this.#perAnswer = Math.max(perAnswer, perSecond === null ? 0 : 2000 / perSecond);
  }

  /** Ends the requests when the time is used up; its reason is a sentence about the service. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Called when the work begins. No effect if it has begun. */
  begin(): void {
    if (this.#until !== undefined) return;
    this.#until = this.#clock.now + FIRST;
    this.#watch();
  }

  /** Called for every answer. */
  answered(): void {
    if (this.#until !== undefined) this.#until += this.#perAnswer;
  }

  /** Called when a wait that the service has demanded begins: it does not count. */
  pause(): void {
    this.#pausedAt ??= this.#clock.now;
  }

  resume(): void {
    if (this.#until !== undefined && this.#pausedAt !== undefined) this.#until += this.#clock.now - this.#pausedAt;
    this.#pausedAt = undefined;
  }

  /** Ends the requests now. */
  giveUp(reason: Error): void {
    this.#over.abort(reason);
  }

  /** Called when the work is done. */
  end(): void {
    this.#alarm?.cancel();
  }

  #watch(): void {
    const left = (this.#until ?? 0) - this.#clock.now;
    if (left > 0 || this.#pausedAt !== undefined) {
      this.#alarm = this.#clock.after(Math.max(left, seconds(1)), 'the end of the requests', () => this.#watch());
      return;
    }
    const limits = `${formatDuration(FIRST)}, and ${formatDuration(Math.round(this.#perAnswer))} for each answer`;
    this.#over.abort(new Error(`the service answers too slowly (limit: ${limits})`));
  }
}
