/**
 * Requests of the loads. planned = sent + dropped, sent = answered + failed + in flight: what was planned is counted by whoever
 * planned it, everything else where it happened, so that the sums can fail.
 *
 * A latency counts from the moment at which the request was due. From the moment at which it was sent, a service that stood
 * still would only be charged for the few requests that were under way.
 */

import type { Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution, type Spread } from '../distribution.js';
import type { TraceEvent } from '../events.js';
import { type MetricTable, Tally } from './metric.js';

interface CallCounts {
  readonly planned: number;
  readonly sent: number;
  /** With a status of 2xx, and with what was asked for. */
  readonly answered: number;
  readonly failed: number;
  /** Those of the failed that were answered with 429: too many requests. */
  readonly refused: number;
  readonly inFlight: number;
  readonly dropped: number;
}

export interface CallSummary extends CallCounts {
  /** Its users wait for their answers, which flatters a slow service: see scenario/load/load.ts. */
  readonly closedLoop: boolean;
  /** Of answered requests, from the moment at which they were due; undefined when there are none behind the warm-up. */
  readonly latency: Spread | undefined;
  /** Of the same, from the moment at which they were sent. */
  readonly service: Spread | undefined;
  /** Why requests failed (`status 503`, `no answer: …`) or were dropped. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** A service in the same rack answers in less than a millisecond. */
const MICROSECONDS = 1000;

class Calls {
  planned = 0;
  sent = 0;
  answered = 0;
  failed = 0;
  refused = 0;
  inFlight = 0;
  dropped = 0;
  closedLoop = false;
  readonly latency = new Distribution(MICROSECONDS);
  readonly service = new Distribution(MICROSECONDS);
  readonly reasons = new Tally();
}

export class CallFold {
  readonly #warmUp: Millis;
  readonly #byLoad = new Map<string, Calls>();

  /** @param warmUp requests that were due earlier do not count in latencies */
  constructor(warmUp: Millis) {
    this.#warmUp = warmUp;
  }

  readonly on: Handlers = {
    'call.done': (event) => {
      const { call, at, intended, sent, status } = event;
      const calls = this.#of(call);
      calls.sent++;
      if (!isAnswered(event)) {
        calls.failed++;
        if (status === 429) calls.refused++;
        calls.reasons.add(reasonOf(event));
        return;
      }
      calls.answered++;
      if (intended < this.#warmUp) return;
      calls.latency.record(at - intended);
      calls.service.record(at - sent);
    },
    'call.dropped': ({ call, why }) => {
      const calls = this.#of(call);
      calls.dropped++;
      calls.reasons.add(`dropped: ${why}`);
    },
    'call.open': ({ call }) => {
      const calls = this.#of(call);
      calls.sent++;
      calls.inFlight++;
    },
    'load.closed': ({ call, planned, closedLoop }) => {
      const calls = this.#of(call);
      calls.planned += planned;
      calls.closedLoop = closedLoop;
    },
  };

  /** What does not add up, in sentences. */
  get contradictions(): readonly string[] {
    return [...this.#byLoad].flatMap(([name, { planned, sent, dropped }]) =>
      planned === sent + dropped ? [] : [`${name}: ${planned} planned, but ${sent} sent and ${dropped} dropped`],
    );
  }

  /** Of all loads together. */
  get books(): CallBooks {
    return new CallBooks(() => [...this.#byLoad.values()]);
  }

  /** Of some loads together, as they go on. */
  of(loads: readonly string[]): CallBooks {
    return new CallBooks(() => loads.flatMap((load) => this.#byLoad.get(load) ?? []));
  }

  /** By the name of the load, sorted. */
  summary(): Readonly<Record<string, CallSummary>> {
    return Object.fromEntries(
      [...this.#byLoad]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, { latency, service, reasons, ...counts }]) => [
          name,
          { ...counts, latency: latency.spread(), service: service.spread(), reasons: reasons.toRecord() },
        ]),
    );
  }

  #of(name: string): Calls {
    const known = this.#byLoad.get(name);
    if (known !== undefined) return known;
    const calls = new Calls();
    this.#byLoad.set(name, calls);
    return calls;
  }
}

/** Whether a request got what it asked for. */
export function isAnswered({ status, why }: CallDone): boolean {
  return status >= 200 && status <= 299 && why === '';
}

function reasonOf({ status, why }: CallDone): string {
  if (status === 0) return `no answer: ${why}`;
  return why === '' ? `status ${status}` : `status ${status}: ${why}`;
}

type CallDone = Extract<TraceEvent, { kind: 'call.done' }>;

/** The sums over loads. */
export class CallBooks {
  readonly #loads: () => readonly Calls[];

  constructor(loads: () => readonly Calls[]) {
    this.#loads = loads;
  }

  total(count: (calls: CallCounts) => number): number {
    return this.#loads().reduce((total, calls) => total + count(calls), 0);
  }

  spread(of: 'latency' | 'service'): Distribution {
    return Distribution.merged(this.#loads().map((calls) => calls[of]));
  }
}

export const CALL_METRICS: MetricTable<CallBooks> = {
  'call.planned': {
    about: 'API requests of loads that were due',
    count: (books) => books.total(({ planned }) => planned),
  },
  'call.sent': { about: 'API requests of loads that were sent', count: (books) => books.total(({ sent }) => sent) },
  'call.answered': { about: 'those answered with 2xx', count: (books) => books.total(({ answered }) => answered) },
  'call.failed': {
    about: 'those answered otherwise or not at all',
    count: (books) => books.total(({ failed }) => failed),
  },
  'call.refused': {
    about: 'those of the failed that were answered with 429: too many requests',
    count: (books) => books.total(({ refused }) => refused),
  },
  'call.in-flight': {
    about: 'those without an answer at the very end',
    count: (books) => books.total(({ inFlight }) => inFlight),
  },
  'call.dropped': {
    about: 'API requests of loads that were due and never sent',
    count: (books) => books.total(({ dropped }) => dropped),
  },
  'call.latency': {
    about: 'time to the answer from when a request was due, warm-up excluded',
    durations: (books) => books.spread('latency'),
  },
  'call.service': {
    about: 'time to the answer from when a request was sent, warm-up excluded',
    durations: (books) => books.spread('service'),
  },
};
