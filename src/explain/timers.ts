/** Computes when a device contacts the cloud by itself, from a given time of the trace on. */
import { type Instant, type Millis, minutes, seconds } from '../kernel/time.js';
import type { JudgedChance } from './blockers.js';
import type { CauseSet } from './causes.js';
import type { ExchangeKind } from './exchange.js';
import type { DeviceFacts } from './facts.js';
import { rulesOf } from './family-rules.js';
import { type IntervalChange, intervalChanges } from './intervals.js';
import type { Intervals } from './situation.js';

interface Contact {
  readonly at: Instant;
  readonly kind: ExchangeKind;
}

/** Interval of the polls if the cause `interval` is removed; interval of the reports for a device type without a poll timer. */
const SHORTEST: Millis = minutes(1);
/** Time from the start of the application to its first report (firmware timing, 2). */
const FIRST_REPORT: Millis = seconds(10);
/** Reports that the device sends for another reason than its timer. */
const UNTIMED: ReadonlySet<string> = new Set(['event', 'shell', 'button']);

export class Timers {
  readonly #chances: readonly JudgedChance[];
  readonly #ready: readonly Instant[];
  readonly #often: boolean;
  readonly #changes: readonly IntervalChange[];
  #pollEvery: Millis = 0;
  #reportEvery: Millis = 0;
  readonly #jitter: number;
  readonly #late: number;
  readonly #queuedAt: Instant;
  readonly #retry: Millis | null;
  /** A report whose time is known, and the number of intervals from it to the next one. */
  #known: Instant = 0;
  #intervals = 0;
  #ticksFrom: Instant = 0;
  /** Time of the next poll after a failed one. */
  #retryAt: Instant | undefined;
  /** Times of the reports that no timer causes, in order. */
  #untimed: readonly Instant[] = [];

  /** @param late how far reports of unknown time deviate from their mean, as a share of the jitter, -1 to 1 */
  constructor(facts: DeviceFacts, removed: CauseSet, queuedAt: Instant, late: number) {
    this.#late = late;
    this.#often = removed.has('interval');
    this.#chances = facts.chances;
    this.#ready = facts.ready;
    this.#changes = intervalChanges(facts);
    this.#jitter = facts.part?.jitter ?? 0;
    this.#queuedAt = queuedAt;
    this.#retry = rulesOf(facts.part).pollRetry;
  }

  /**
   * Sets the timers to their state at the time `at` of the trace.
   * @param attempts what the device attempts at `at`; undefined if it is at rest
   */
  start(at: Instant, attempts: ExchangeKind | undefined): void {
    for (const change of this.#changes) if (change.at <= at) this.set(change);
    const reports = this.#chances.filter(({ begins, why }) => begins === 'wake' && why !== 'poll' && why !== 'answer');
    const ready = this.#ready.findLast((time) => time <= at);
    this.#ticksFrom = ready ?? at;
    this.#untimed = reports.filter((chance) => chance.at > at && UNTIMED.has(chance.why)).map((chance) => chance.at);
    if (attempts === 'report') return this.#knownAt(at, 1);
    const last = reports.findLast((chance) => chance.at <= at)?.at ?? (ready === undefined ? at : ready + FIRST_REPORT);
    this.#knownAt(last, Math.max(last > at ? 0 : 1, Math.ceil((at - last) / this.#reportEvery)));
    const next = reports.find((chance) => chance.at > at && chance.why === 'report')?.at;
    const latest = last + this.#reportEvery * (1 + this.#jitter) + seconds(2);
    // If the device restarts before this report in the trace, the report is not used: without the removed causes, the restart
    // might not happen.
    const restarted = this.#ready.some((time) => time > at && next !== undefined && time < next);
    if (next !== undefined && next <= latest && !restarted) this.#knownAt(next, 0);
  }

  /** The next contact after `now`; undefined if the device makes none. */
  next(now: Instant): Contact | undefined {
    // `now` is Infinity after an exchange under a fault without an end.
    if (!Number.isFinite(now)) return undefined;
    const report = this.#nextReport(now);
    const [untimed = Number.POSITIVE_INFINITY] = this.#untimed.filter((at) => at > now);
    const poll = this.#nextPoll(now);
    const at = Math.min(report, untimed, poll);
    if (!Number.isFinite(at)) return undefined;
    if (at === poll) {
      if (this.#retryAt !== undefined && poll >= this.#retryAt) this.#retryAt = undefined;
      return { at, kind: 'poll' };
    }
    return { at, kind: 'report' };
  }

  /** The device has set up its session at `at`: its timers begin again. */
  booted(at: Instant): void {
    this.#knownAt(at + FIRST_REPORT, 0);
    this.#ticksFrom = at;
    this.#retryAt = undefined;
  }

  /** A configuration sets the intervals. */
  set({ reportEvery, pollEvery }: Partial<Intervals>): void {
    if (reportEvery !== undefined) this.#reportEvery = reportEvery ?? 0;
    if (pollEvery !== undefined) this.#pollEvery = this.#often ? SHORTEST : (pollEvery ?? 0);
    if (this.#often && pollEvery === null) this.#reportEvery = SHORTEST;
  }

  /**
   * A poll that began at `began` has failed at `at`. It is repeated at once if another poll was due meanwhile; otherwise after
   * the delay of the firmware family (family-rules.ts), if the family has one.
   */
  failed(began: Instant, at: Instant): void {
    const due = this.#pollEvery > 0 && this.#tickAfter(began) <= at;
    if (due) this.#retryAt = at + 1;
    else this.#retryAt = this.#retry === null ? undefined : at + this.#retry;
  }

  #knownAt(at: Instant, intervals: number): void {
    this.#known = at;
    this.#intervals = intervals;
  }

  #nextReport(now: Instant): Instant {
    const every = this.#reportEvery;
    if (every <= 0) return Number.POSITIVE_INFINITY;
    while (this.#reportAt() <= now) this.#intervals++;
    return this.#reportAt();
  }

  /** The jitter of successive intervals adds up. */
  #reportAt(): Instant {
    const mean = this.#known + this.#intervals * this.#reportEvery;
    if (mean < this.#queuedAt) return mean;
    return Math.min(mean + this.#late * this.#jitter * this.#reportEvery * Math.sqrt(this.#intervals), this.#latest());
  }

  /** The latest time of the report: at least one report is sent in each interval. */
  #latest(): Instant {
    const first = Math.ceil((this.#queuedAt - this.#known) / this.#reportEvery);
    return this.#queuedAt + (1 + this.#intervals - first) * this.#reportEvery;
  }

  #nextPoll(now: Instant): Instant {
    if (this.#retryAt !== undefined && this.#retryAt > now) return this.#retryAt;
    return this.#pollEvery > 0 ? this.#tickAfter(now) : Number.POSITIVE_INFINITY;
  }

  #tickAfter(at: Instant): Instant {
    const every = this.#pollEvery;
    return this.#ticksFrom + (Math.floor((at - this.#ticksFrom) / every) + 1) * every;
  }
}
