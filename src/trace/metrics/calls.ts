/**
 * API requests of the loads. planned = sent + waiting + dropped, and sent = answered + failed + in flight, at every moment of a
 * run; at its end, no request waits. A load also counts its planned requests itself (`load.closed`), so that a difference
 * reveals an error.
 *
 * Latency counts from the time at which a request was due, not from its sending. Otherwise only the few requests in flight
 * would show a stall of the service (coordinated omission). Latencies are real times, also if the run is faster.
 */

import { humanCount } from '../../kernel/quantity.js';
import { describeCode } from '../../kernel/system-errors.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution, type Spread } from '../distribution.js';
import type { TraceEvent } from '../events.js';
import {
  ChainCounts,
  countChains,
  ITERATION_METRICS,
  type IterationCounts,
  type IterationSummary,
  sumIterations,
} from './iterations.js';
import { type MetricTable, type Share, Tally } from './metric.js';
import type { RealTime } from './real-time.js';

interface CallCounts {
  /** Requests that were due so far. */
  readonly planned: number;
  readonly sent: number;
  /** Requests with a 2xx status and a usable answer. */
  readonly answered: number;
  readonly failed: number;
  /** Failed requests with status 429 (too many requests). */
  readonly refused: number;
  readonly inFlight: number;
  readonly dropped: number;
}

export interface CallTimes extends CallCounts {
  /**
   * Time from the due time to the answer, for answered requests; undefined if no answered request was due after the warm-up.
   */
  readonly latency: Spread | undefined;
  /** Time from the sending to the answer, for the same requests. */
  readonly service: Spread | undefined;
}

export interface CallSummary extends CallTimes {
  /** Closed loop: users wait for their answers, so a slow service receives fewer requests (scenario/load/load.ts). */
  readonly closedLoop: boolean;
  /** Why requests failed (`status 503`, `no answer: …`) or were dropped. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Requests that the limit of requests a second held back; missing if it held back none. */
  readonly held?: HeldRequests;
  /** What failed checks have found, by reason; missing if no check has failed. */
  readonly found?: Readonly<Record<string, Found>>;
}

/** Requests that the runner held back, so that all requests stayed within the limit of `--rate`. This time is in no latency. */
interface HeldRequests {
  /** Those that were sent later. */
  readonly count: number;
  /** Real time for which one of them was held back. */
  readonly longest: Millis;
}

/** Answers may have any number of different values, so only the first one is kept. */
interface Found {
  readonly first: string;
  readonly differs: boolean;
}

/** Steps of the distributions per ms: a service in the same rack answers within a millisecond. */
const MICROSECONDS = 1000;

class Calls implements CallCounts {
  sent = 0;
  answered = 0;
  failed = 0;
  refused = 0;
  dropped = 0;
  /** Requests that are due and wait for a connection. */
  waiting = 0;
  /** Requests that the limit of requests a second held back, and the longest time. */
  held: HeldRequests = { count: 0, longest: 0 };
  /** Planned requests, as the load has counted them at its end. */
  claimed = 0;
  closedLoop = false;
  /** Whether the requests are parts of chains, whose iterations are counted separately. */
  isPart = false;
  /** Requests that were due after the warm-up and have no latency. */
  readonly missing = { failed: 0, dropped: 0, 'in flight': 0, waiting: 0 };
  /** Requests that were answered within each limit, warm-up excluded. */
  readonly within = new Map<Millis, number>();
  /** Due times of the requests that wait or are in flight, each with their number, warm-up excluded. */
  readonly unfinished = new Map<Instant, number>();
  readonly latency = new Distribution(MICROSECONDS);
  readonly service = new Distribution(MICROSECONDS);
  readonly reasons = new Tally();
  /** By reason. */
  readonly found = new Map<string, Found>();

  get planned(): number {
    return this.sent + this.waiting + this.dropped;
  }

  get inFlight(): number {
    return this.sent - this.answered - this.failed;
  }

  get counts(): CallCounts {
    const { planned, sent, answered, failed, refused, inFlight, dropped } = this;
    return { planned, sent, answered, failed, refused, inFlight, dropped };
  }

  /** The requests as iterations of one request each. */
  get iterations(): IterationCounts {
    const { planned, answered: done, failed, dropped, latency: time, missing } = this;
    const open = missing['in flight'] + missing.waiting;
    const lost = missing.failed + missing.dropped;
    return { planned, done, failed: failed + dropped, time, missing: { failed: lost, open } };
  }

  fail(reason: string, found: string | undefined): void {
    this.failed++;
    this.reasons.add(reason);
    if (found !== undefined)
      this.found.set(reason, joinFound(this.found.get(reason), { first: found, differs: false }));
  }

  holdBack(time: Millis): void {
    const { count, longest } = this.held;
    this.held = { count: count + 1, longest: Math.max(longest, time) };
  }

  /** A request that is due at `intended` begins to wait or is sent, or ends one of both. */
  begin(what: 'in flight' | 'waiting', intended: Instant): void {
    this.missing[what]++;
    this.unfinished.set(intended, (this.unfinished.get(intended) ?? 0) + 1);
  }

  end(what: 'in flight' | 'waiting', intended: Instant): void {
    const count = this.unfinished.get(intended);
    if (count === undefined) return;
    this.missing[what]--;
    if (count === 1) this.unfinished.delete(intended);
    else this.unfinished.set(intended, count - 1);
  }
}

export class CallFold {
  readonly #warmUp: Millis;
  readonly #limits: readonly Millis[];
  readonly #realTime: RealTime;
  /** By the name of the load, and for requests of chains by their labels. */
  readonly #byLoad = new Map<string, Calls>();
  readonly #chains = new Map<string, ChainCounts>();

  /**
   * @param warmUp requests that were due earlier do not count in latencies
   * @param limits durations; for each, `call.answered` also gives the share of requests that were answered within it
   */
  constructor(warmUp: Millis, limits: readonly Millis[], realTime: RealTime) {
    this.#warmUp = warmUp;
    this.#limits = limits;
    this.#realTime = realTime;
  }

  readonly on: Handlers = {
    'call.waits': ({ call, intended, chain }) => {
      const calls = this.#getCalls(call, chain);
      calls.waiting++;
      if (intended >= this.#warmUp) calls.begin('waiting', intended);
    },
    'call.sent': ({ call, intended, waited, held, chain }) => {
      const calls = this.#getCalls(call, chain);
      calls.sent++;
      if (held !== undefined) calls.holdBack(this.#realTime.measureBetween(intended - held, intended));
      if (waited) calls.waiting--;
      if (intended < this.#warmUp) return;
      if (waited) calls.end('waiting', intended);
      calls.begin('in flight', intended);
    },
    'call.done': (event) => {
      const { call, at, intended, sent, status } = event;
      const calls = this.#getCalls(call);
      if (intended >= this.#warmUp) calls.end('in flight', intended);
      if (!isAnswered(event)) {
        calls.fail(nameReason(event), event.found);
        if (status === 429) calls.refused++;
        if (intended >= this.#warmUp) calls.missing.failed++;
        return;
      }
      calls.answered++;
      if (intended < this.#warmUp) return;
      const latency = this.#realTime.measureBetween(intended, at);
      calls.latency.record(latency);
      calls.service.record(this.#realTime.measureBetween(sent, at));
      for (const limit of this.#limits) {
        if (latency <= limit) calls.within.set(limit, (calls.within.get(limit) ?? 0) + 1);
      }
    },
    'call.dropped': ({ call, intended, why, waited, chain }) => {
      const calls = this.#getCalls(call, chain);
      calls.dropped++;
      if (waited) calls.waiting--;
      calls.reasons.add(`dropped: ${why}`);
      if (intended < this.#warmUp) return;
      if (waited) calls.end('waiting', intended);
      calls.missing.dropped++;
    },
    'chain.began': ({ call, intended }) => this.#getChains(call).begin(intended >= this.#warmUp),
    'chain.ended': ({ call, at, intended, ok, held = 0 }) => {
      const time = intended < this.#warmUp ? undefined : this.#realTime.measureBetween(intended + held, at);
      this.#getChains(call).end(ok, time);
    },
    'load.closed': ({ call, planned, closedLoop }) => {
      const calls = this.#getCalls(call);
      calls.claimed += planned;
      calls.closedLoop = closedLoop;
    },
  };

  /** Loads whose own count of planned requests differs from sent + dropped at the end of the run, as texts. */
  get contradictions(): readonly string[] {
    return [...this.#byLoad].flatMap(([name, { claimed, sent, dropped }]) =>
      claimed === sent + dropped ? [] : [`${name}: ${claimed} planned, but ${sent} sent and ${dropped} dropped`],
    );
  }

  /** Sums over all loads. */
  get totals(): CallTotals {
    return new CallTotals(
      () => [...this.#byLoad.values()],
      () => [...this.#chains.values()],
      this.#realTime,
    );
  }

  /** Sums over some loads, with the labels of their requests, updated with every event. */
  sumLoads(loads: readonly string[]): CallTotals {
    return new CallTotals(
      () => loads.flatMap((load) => this.#byLoad.get(load) ?? []),
      () => loads.flatMap((load) => this.#chains.get(load) ?? []),
      this.#realTime,
    );
  }

  /** Summaries by the name of the load, sorted. */
  summarise(): Readonly<Record<string, CallSummary>> {
    return Object.fromEntries(
      [...this.#byLoad]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, { counts, closedLoop, latency, service, reasons, held, found }]) => [
          name,
          {
            ...counts,
            closedLoop,
            latency: latency.spread(),
            service: service.spread(),
            reasons: reasons.makeRecord(),
            ...(held.count > 0 && { held }),
            ...(found.size > 0 && { found: Object.fromEntries(found) }),
          },
        ]),
    );
  }

  /** Iterations of the loads with chains, by the name of the load, sorted. */
  summariseIterations(): Readonly<Record<string, IterationSummary>> {
    const sorted = [...this.#chains].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(sorted.map(([name, chains]) => [name, chains.summarise()]));
  }

  #getCalls(name: string, chain?: string): Calls {
    const known = this.#byLoad.get(name);
    if (known !== undefined) {
      known.isPart ||= chain !== undefined;
      return known;
    }
    const calls = new Calls();
    calls.isPart = chain !== undefined;
    this.#byLoad.set(name, calls);
    return calls;
  }

  #getChains(load: string): ChainCounts {
    const known = this.#chains.get(load);
    if (known !== undefined) return known;
    const chains = new ChainCounts();
    this.#chains.set(load, chains);
    return chains;
  }
}

function joinFound(one: Found | undefined, other: Found): Found {
  if (one === undefined || one.differs) return one ?? other;
  return { first: one.first, differs: other.differs || one.first !== other.first };
}

interface CallReason {
  readonly load: string;
  readonly why: string;
  readonly count: number;
  readonly found?: Found | undefined;
}

/** Why requests failed or were dropped in some runs, by load and reason. */
export function listReasons(
  runs: readonly Readonly<Record<string, Pick<CallSummary, 'reasons' | 'found'>>>[],
): readonly CallReason[] {
  const all = new Map<string, CallReason>();
  for (const [load, { reasons, found = {} }] of runs.flatMap((calls) => Object.entries(calls))) {
    for (const [why, count] of Object.entries(reasons)) {
      const key = `${load} ${why}`;
      const known = all.get(key);
      const value = found[why];
      all.set(key, {
        ...{ load, why, count: count + (known?.count ?? 0) },
        found: value === undefined ? known?.found : joinFound(known?.found, value),
      });
    }
  }
  return [...all.values()];
}

/** `status 200: $.name == x does not hold: it is "y"` */
export function describeReason({ why, found }: CallReason): string {
  if (found === undefined) return why;
  return `${why}: ${found.differs ? 'the first one' : 'it'} is ${found.first}`;
}

/** `60 × status 503 (dashboard)` */
export function countReason(reason: CallReason): string {
  return `${humanCount(reason.count)} × ${describeReason(reason)} (${reason.load})`;
}

/** Whether a request got an answer that fits: usually a 2xx status and a usable body. */
export function isAnswered({ status, why, expected }: Pick<CallDone, 'status' | 'why' | 'expected'>): boolean {
  return why === '' && ((status >= 200 && status <= 299) || expected === true);
}

function nameReason({ status, why }: CallDone): string {
  if (status === 0) return `no answer: ${describeCode(why)}`;
  return why === '' ? `status ${status}` : `status ${status}: ${why}`;
}

type CallDone = Extract<TraceEvent, { kind: 'call.done' }>;

/** The sums over loads. */
export class CallTotals {
  readonly #loads: () => readonly Calls[];
  readonly #chains: () => readonly ChainCounts[];
  readonly #realTime: RealTime;

  constructor(loads: () => readonly Calls[], chains: () => readonly ChainCounts[], realTime: RealTime) {
    this.#loads = loads;
    this.#chains = chains;
    this.#realTime = realTime;
  }

  /** Iterations: of chains, and of loads with one request each. */
  get iterations(): IterationCounts {
    const single = this.#loads().flatMap(({ isPart, iterations }) => (isPart ? [] : [iterations]));
    return sumIterations([...single, ...this.#chains().map(countChains)]);
  }

  sum(count: (calls: CallCounts) => number): number {
    return this.#loads().reduce((total, calls) => total + count(calls), 0);
  }

  spread(of: 'latency' | 'service'): Distribution {
    return Distribution.merge(this.#loads().map((calls) => calls[of]));
  }

  /** undefined when there are no loads. */
  summarise(): CallTimes | undefined {
    if (this.#loads().length === 0) return undefined;
    return {
      planned: this.sum(({ planned }) => planned),
      sent: this.sum(({ sent }) => sent),
      answered: this.sum(({ answered }) => answered),
      failed: this.sum(({ failed }) => failed),
      refused: this.sum(({ refused }) => refused),
      inFlight: this.sum(({ inFlight }) => inFlight),
      dropped: this.sum(({ dropped }) => dropped),
      latency: this.spread('latency').spread(),
      service: this.spread('service').spread(),
    };
  }

  /** Requests without a latency, warm-up excluded. */
  get missing(): Calls['missing'] {
    const all = { failed: 0, dropped: 0, 'in flight': 0, waiting: 0 };
    for (const { missing } of this.#loads()) {
      all.failed += missing.failed;
      all.dropped += missing.dropped;
      all['in flight'] += missing['in flight'];
      all.waiting += missing.waiting;
    }
    return all;
  }

  /** The requests that were answered within `limit` after their due time, warm-up excluded. */
  within(limit: Millis, now: Instant): Share {
    const share = { total: this.spread('latency').count, within: 0, open: 0 };
    for (const { missing, within, unfinished } of this.#loads()) {
      share.total += missing.failed + missing.dropped + missing['in flight'] + missing.waiting;
      share.within += within.get(limit) ?? 0;
      for (const [since, count] of unfinished)
        if (this.#realTime.measureBetween(since, now) < limit) share.open += count;
    }
    return share;
  }
}

export const CALL_METRICS: MetricTable<CallTotals> = {
  'call.planned': {
    about: 'API requests of loads that were due so far',
    count: (totals) => totals.sum(({ planned }) => planned),
  },
  'call.sent': { about: 'API requests of loads that were sent', count: (totals) => totals.sum(({ sent }) => sent) },
  'call.answered': {
    about: 'API requests of loads with a 2xx status and a usable answer, or an answer as their checks want it',
    count: (totals) => totals.sum(({ answered }) => answered),
    within: (totals, limit, now) => totals.within(limit, now),
  },
  'call.failed': {
    about: 'API requests of loads without an answer, or with one that is not 2xx, not usable or against their checks',
    count: (totals) => totals.sum(({ failed }) => failed),
  },
  'call.refused': {
    about: 'failed API requests of loads with status 429 (too many requests)',
    count: (totals) => totals.sum(({ refused }) => refused),
  },
  'call.in-flight': {
    about: 'API requests of loads that were sent and have no answer yet',
    count: (totals) => totals.sum(({ inFlight }) => inFlight),
  },
  'call.dropped': {
    about: 'API requests of loads that were due but not sent',
    count: (totals) => totals.sum(({ dropped }) => dropped),
  },
  'call.latency': {
    about: 'time from when a request was due to its answer, in real time also with --speed, warm-up excluded',
    durations: (totals) => totals.spread('latency'),
    missing: (totals) => totals.missing,
  },
  'call.service': {
    about: 'time from when a request was sent to its answer, in real time also with --speed, warm-up excluded',
    durations: (totals) => totals.spread('service'),
    missing: ({ missing }) => ({ failed: missing.failed, 'in flight': missing['in flight'] }),
  },
  ...ITERATION_METRICS,
};
