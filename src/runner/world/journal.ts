/** Passes the events of a run to all their readers: metrics, invariants, explanations, the event log and its digest. */

import { Histories } from '../../explain/histories.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Evidence } from '../../scenario/expect/evaluate.js';
import { listTerms } from '../../scenario/expect/expectation.js';
import type { Plan, PlannedScope } from '../../scenario/model/plan.js';
import { eventSentence } from '../../trace/event-words.js';
import type { Trace, TraceEvent } from '../../trace/events.js';
import { InstantOrder } from '../../trace/instant-order.js';
import { Invariants } from '../../trace/invariants/index.js';
import type { SeenAcks } from '../../trace/invariants/invariant.js';
import { type Fold, type LineSink, TraceLog } from '../../trace/log.js';
import { type MetricScopes, Metrics } from '../../trace/metrics/index.js';
import { DigestSink } from '../../trace/sinks.js';

interface JournalOptions {
  readonly plan: Plan;
  /** Whether time is virtual: the events of each instant are then sorted (trace/instant-order.ts). */
  readonly virtual: boolean;
  /** Further parts whose metrics can be read, besides those of the plan. Default: none. */
  readonly scopes?: readonly PlannedScope[] | undefined;
  /** Whether users watch the run while it lasts, possibly for a long time. */
  readonly watched: boolean;
  readonly acks: SeenAcks;
  /** Receivers of the lines of the event log, besides the digest. */
  readonly sinks: readonly LineSink[];
  /** Receives every event. */
  readonly watch: Fold | undefined;
  /** Number of events to keep for explanations. Default: that of {@link Histories} */
  readonly mostEvents?: number | undefined;
}

/** The `evidence` of a part of a run. It is never called, because only the whole run has expectations and conditions. */
export function refuseEvidence(): never {
  throw new Error('a part of a plan has no expectations and no conditions');
}

export class Journal {
  readonly metrics: Metrics;
  readonly invariants: Invariants;
  readonly histories: Histories;
  readonly digest = new DigestSink();
  /** Names of the devices by serial number. */
  readonly names: Readonly<Record<number, string>>;
  /** The latest event that all readers have. */
  #last: TraceEvent | undefined;
  readonly #log: TraceLog;
  readonly #order: InstantOrder | undefined;

  constructor({ plan, scopes, virtual, watched, acks, sinks, watch, mostEvents }: JournalOptions) {
    this.histories = new Histories(watched || !virtual ? undefined : listWithDownlinks(plan), mostEvents, watched);
    this.metrics = new Metrics(plan.devices.length, plan.warmUp, plan.duration, listScopes(plan, scopes));
    const checked = plan.expectations.flatMap((line) => ('invariant' in line ? line.invariant : []));
    this.invariants = new Invariants(checked, acks);
    this.names = Object.fromEntries(plan.devices.map(({ serial, name }) => [serial, name]));
    const last: Fold = {
      take: (event) => {
        this.#last = event;
      },
    };
    const folds = [
      this.metrics,
      this.invariants,
      this.histories,
      ...(watch ? [watch] : []),
      ...(watched ? [last] : []),
    ];
    this.#log = new TraceLog(folds, [this.digest, ...sinks]);
    this.#order = virtual ? new InstantOrder(this.#log) : undefined;
  }

  /** Where the world writes its events. */
  get trace(): Trace {
    return this.#order ?? this.#log;
  }

  /** Adds an event of another thread, with its line. */
  add(event: TraceEvent, line: string): void {
    (this.#order ?? this.#log).emit(event, line);
  }

  /** Number of events so far. */
  get events(): number {
    return this.#log.events;
  }

  /** The latest event as a sentence, if users watch the run; null before the first one. */
  get lastEvent(): string | null {
    return this.#last === undefined ? null : eventSentence(this.#last, this.nameOf);
  }

  readonly nameOf = (serial: number): string => this.names[serial] ?? String(serial);

  /** The results at `now`. */
  evidence(now: Instant): Evidence {
    this.settle();
    return this.soFar(now);
  }

  /** The results at `now` for a user who watches: events of the present instant may be missing. */
  soFar(now: Instant): Evidence {
    return { metrics: this.metrics.at(now), invariants: this.invariants, nameOf: this.nameOf };
  }

  /** Passes the events of the present instant on to all readers. */
  settle(): void {
    this.#order?.settle();
  }

  /**
   * Discards later events: devices still emit some while the runner switches them off. @throws UsageError if a sink cannot be
   * written
   */
  close(): void {
    this.settle();
    this.#log.close();
  }
}

/**
 * Chooses the devices for which users may queue downlinks: only these have histories. Loads, setup and users who watch a run may
 * queue some for any device.
 */
function listWithDownlinks({ actions, devices, loads, setup = [] }: Plan): ((serial: number) => boolean) | undefined {
  if (loads.length > 0 || setup.length > 0) return undefined;
  const serials = new Set(actions.flatMap((action) => action.devices.map((index) => devices[index]?.serial)));
  return (serial) => serials.has(serial);
}

function listScopes(plan: Plan, more: readonly PlannedScope[] = []): MetricScopes {
  const { devices } = plan;
  const scopes = [...(plan.scopes ?? []), ...more];
  const serials = (indices: readonly number[]) => indices.flatMap((i) => devices[i]?.serial ?? []);
  return {
    devices: new Map(scopes.flatMap((scope) => ('devices' in scope ? [[scope.name, serials(scope.devices)]] : []))),
    loads: new Map(scopes.flatMap((scope) => ('loads' in scope ? [[scope.name, scope.loads]] : []))),
    limits: listLimits(plan),
  };
}

/** The durations of all `within` terms in the expectations and conditions. */
function listLimits({ expectations, waits = [] }: Plan): readonly Millis[] {
  const limits = [...expectations, ...waits.map(({ condition }) => condition)].flatMap((line) =>
    'invariant' in line
      ? []
      : [line.left, line.right]
          .flatMap(listTerms)
          .flatMap(({ aggregate }) => (aggregate.kind === 'within' ? aggregate.limit : [])),
  );
  return [...new Set(limits)];
}
