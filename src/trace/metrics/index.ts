/**
 * All metrics of a run, computed from its trace by folds: objects that count the events that they receive. To add a metric, add
 * a counter to a fold of this folder, and a line to the table of the fold. List a new fold below.
 */
import { append } from '../../kernel/append.js';
import type { Instant, Millis } from '../../kernel/time.js';
import { type Dispatch, dispatchTo } from '../dispatch.js';
import type { DownlinkRecord } from '../downlinks/ledger.js';
import type { TraceEvent } from '../events.js';
import type { Fold } from '../log.js';
import { CALL_METRICS, CallFold, type CallSummary, type CallTimes, type CallTotals } from './calls.js';
import { DEVICE_METRICS, DeviceFold, type FleetSummary } from './devices.js';
import { DOWNLINK_METRICS, DownlinkFold, type DownlinkSummary, isUnreceived } from './downlinks.js';
import type { IterationSummary } from './iterations.js';
import { listMetricInfos, type Measure, type MetricInfo, readMetric, readShare, type Share } from './metric.js';
import { RealTime } from './real-time.js';
import { SampleFold, type SampleSummary } from './samples.js';
import { MetricScope } from './scope.js';
import { SeriesFold, type SeriesSummary } from './series.js';
import { UPDATE_METRICS, UpdateFold, type UpdateSummary } from './updates.js';
import { UPLINK_METRICS, UplinkFold, type UplinkSummary } from './uplinks.js';
import { type ServiceSummary, WORLD_METRICS, WorldFold } from './world.js';

/** Every metric that an expectation can name. */
export const METRICS: readonly MetricInfo[] = [
  ...listMetricInfos(DEVICE_METRICS, 'devices'),
  ...listMetricInfos(UPLINK_METRICS, 'devices'),
  ...listMetricInfos(DOWNLINK_METRICS, 'devices'),
  ...listMetricInfos(UPDATE_METRICS, 'devices'),
  ...listMetricInfos(CALL_METRICS, 'clients'),
  ...listMetricInfos(WORLD_METRICS, null),
];

/** A kind of event that the protocol cannot exclude, or that is worth knowing, and how often. */
interface Anomaly {
  /** Stable identifier, for programs. */
  readonly name: string;
  readonly count: number;
  readonly about: string;
  /** Serial number of a device as an example; missing if the anomaly has none. */
  readonly serial?: number;
}

/** All metrics of a report, as plain data. */
export interface RunSummary {
  readonly fleet: FleetSummary;
  readonly uplinks: UplinkSummary;
  readonly downlinks: DownlinkSummary;
  /** Missing when the run had no firmware updates. */
  readonly updates?: UpdateSummary;
  /** API requests by the name of their load. */
  readonly calls: Readonly<Record<string, CallSummary>>;
  /** Iterations by the name of their load, for loads with chains; missing when the run had none. */
  readonly iterations?: Readonly<Record<string, IterationSummary>>;
  /** API requests of all loads together; missing when the run had no loads. */
  readonly allCalls?: CallTimes;
  /** Datagrams that the network lost, duplicated, changed or delayed, by fault. */
  readonly faults: Readonly<Record<string, number>>;
  /** Faults and crashes of the embedded cloud. */
  readonly service: ServiceSummary;
  readonly steps: { readonly done: number; readonly failed: number };
  /** Actions from consoles, one per device. */
  readonly console: { readonly actions: number };
  /** Only anomalies that occurred. */
  readonly anomalies: readonly Anomaly[];
  /** Counts, durations and states over time. */
  readonly series: SeriesSummary;
  /** Some counts and durations in batches of equal length in time, with which two runs are compared. */
  readonly samples: SampleSummary;
}

/** Parts of the fleet and of the loads whose metrics can be read separately, by the name of the scope. */
export interface MetricScopes {
  /** Serial numbers. */
  readonly devices: ReadonlyMap<string, readonly number[]>;
  /** Names of loads. */
  readonly loads: ReadonlyMap<string, readonly string[]>;
  /** Durations; for each, the metrics also give the share of boots, uplinks and requests completed within it. Default: none */
  readonly limits?: readonly Millis[];
}

const NO_SCOPES: MetricScopes = { devices: new Map(), loads: new Map() };

export class Metrics implements Fold {
  readonly #devices: DeviceFold;
  readonly #uplinks: UplinkFold;
  readonly #downlinks: DownlinkFold;
  readonly #series: SeriesFold;
  readonly #samples: SampleFold;
  readonly #updates = new UpdateFold();
  readonly #world = new WorldFold();
  readonly #calls: CallFold;
  readonly #dispatch: Dispatch;
  readonly #scopes: ReadonlyMap<string, MetricScope>;
  /** The scopes to which each device belongs, by serial number. */
  readonly #scopesOf = new Map<number, MetricScope[]>();
  readonly #callScopes: ReadonlyMap<string, CallTotals>;
  /** Time of the last event before the scenario's end, after which devices start nothing new. */
  #now: Instant = 0;
  #closed = false;

  /**
   * @param devices number of devices in the plan
   * @param warmUp API requests before this time do not count in latencies, and events before it do not count in busiest
   * seconds. Default: 0
   * @param duration planned duration; 0 (default) when unknown
   * @param scopes parts whose metrics can be read separately. Default: none
   */
  constructor(devices: number, warmUp: Millis = 0, duration: Millis = 0, scopes: MetricScopes = NO_SCOPES) {
    const { limits = [] } = scopes;
    this.#devices = new DeviceFold(devices, warmUp, limits);
    this.#uplinks = new UplinkFold(warmUp, limits);
    const realTime = new RealTime();
    this.#calls = new CallFold(warmUp, limits, realTime);
    this.#series = new SeriesFold(devices, duration, warmUp, realTime);
    this.#samples = new SampleFold(duration, warmUp, realTime);
    this.#downlinks = new DownlinkFold((record, stage) => {
      this.#series.takeStage(record, stage);
      this.#samples.takeStage(record, stage);
    });
    const counting = [realTime, this.#devices, this.#uplinks, this.#downlinks, this.#updates, this.#calls, this.#world];
    this.#dispatch = dispatchTo([...counting, ...this.#uplinks.windows.folds, this.#series, this.#samples]);
    this.#scopes = new Map(
      [...scopes.devices].map(([name, serials]) => [name, new MetricScope(serials.length, warmUp, limits)]),
    );
    for (const [name, scope] of this.#scopes) {
      for (const serial of scopes.devices.get(name) ?? []) append(this.#scopesOf, serial, scope);
    }
    this.#callScopes = new Map([...scopes.loads].map(([name, loads]) => [name, this.#calls.sumLoads(loads)]));
  }

  take(event: TraceEvent): void {
    if (!this.#closed && event.at > this.#now) this.#now = event.at;
    if (event.kind === 'world.closing') this.#closed = true;
    const handlers = this.#dispatch.get(event.kind);
    if (handlers !== undefined) for (const handler of handlers) handler(event);
    for (const scope of this.#listTouched(event)) scope.take(event);
  }

  /** The scopes that an event concerns. */
  #listTouched(event: TraceEvent): Iterable<MetricScope> {
    if ('serial' in event) return this.#scopesOf.get(event.serial) ?? [];
    return event.kind === 'world.closing' ? this.#scopes.values() : [];
  }

  /** Whether a device belongs to a scope. */
  isIn(of: string, serial: number): boolean {
    const scope = this.#scopes.get(of);
    return scope !== undefined && this.#scopesOf.get(serial)?.includes(scope) === true;
  }

  /** All metrics of a scope, by name. */
  readAll(of: string): ReadonlyMap<string, Measure> {
    const measures = METRICS.map(({ name }) => [name, this.read(name, of)] as const);
    return new Map(measures.flatMap(([name, measure]) => (measure === undefined ? [] : [[name, measure]])));
  }

  /**
   * Current value of the metric `name`; undefined for an unknown metric or scope.
   * @param of scope of the metric. Default: the whole run
   */
  read(name: string, of?: string): Measure | undefined {
    if (of !== undefined) return this.#scopes.get(of)?.read(name) ?? this.#findCalls(of, name);
    return (
      readMetric(DEVICE_METRICS, this.#devices, name) ??
      readMetric(UPLINK_METRICS, this.#uplinks, name) ??
      readMetric(DOWNLINK_METRICS, this.#downlinks, name) ??
      readMetric(UPDATE_METRICS, this.#updates, name) ??
      readMetric(CALL_METRICS, this.#calls.totals, name) ??
      readMetric(WORLD_METRICS, this.#world, name)
    );
  }

  /**
   * Number of exchanges that reached `name`, such as `downlink.answered`, within `limit`. Undefined for a metric without such a
   * share, and for an unknown scope.
   * @param of scope of the metric. Default: the whole run
   */
  within(name: string, limit: Millis, of?: string): Share | undefined {
    return this.#within(name, limit, this.#now, of);
  }

  /** The metrics at `now`, maybe after the last event. An exchange due exactly then is open: more events can follow. */
  at(now: Instant): Pick<Metrics, 'read' | 'within'> {
    const before = this.#closed ? this.#now : Math.max(this.#now, now) - 1;
    return {
      read: (name, of) => this.read(name, of),
      within: (name, limit, of) => this.#within(name, limit, before, of),
    };
  }

  #within(name: string, limit: Millis, now: Instant, of?: string): Share | undefined {
    if (of !== undefined) {
      const calls = this.#callScopes.get(of);
      return (
        this.#scopes.get(of)?.within(name, limit, now) ?? (calls && readShare(CALL_METRICS, calls, name, limit, now))
      );
    }
    return (
      readShare(DEVICE_METRICS, this.#devices, name, limit, now) ??
      readShare(UPLINK_METRICS, this.#uplinks, name, limit, now) ??
      readShare(DOWNLINK_METRICS, this.#downlinks, name, limit, now) ??
      readShare(UPDATE_METRICS, this.#updates, name, limit, now) ??
      readShare(CALL_METRICS, this.#calls.totals, name, limit, now)
    );
  }

  /** Counts that do not add up, as texts. They indicate a bug in ghostfleet. */
  get contradictions(): readonly string[] {
    return this.#calls.contradictions;
  }

  /** All downlinks of users and chunks of firmware updates, in the order in which they were queued. */
  get downlinks(): Iterable<DownlinkRecord> {
    return this.#downlinks.records;
  }

  summarise(): RunSummary {
    const allCalls = this.#calls.totals.summarise();
    const iterations = this.#calls.summariseIterations();
    return {
      fleet: this.#devices.summarise(),
      uplinks: this.#uplinks.summarise(),
      downlinks: this.#downlinks.summarise(),
      ...(this.#updates.summary && { updates: this.#updates.summary }),
      calls: this.#calls.summarise(),
      ...(Object.keys(iterations).length > 0 && { iterations }),
      ...(allCalls && { allCalls }),
      faults: this.#world.faults.makeRecord(),
      service: this.#world.summarise(),
      steps: { done: this.#world.stepsDone, failed: this.#world.stepsFailed },
      console: { actions: this.#world.consoleActions },
      anomalies: this.#listAnomalies(),
      series: this.#series.summarise(),
      samples: this.#samples.summarise(),
    };
  }

  #findCalls(scope: string, name: string): Measure | undefined {
    const totals = this.#callScopes.get(scope);
    return totals && readMetric(CALL_METRICS, totals, name);
  }

  #listAnomalies(): readonly Anomaly[] {
    const known: Anomaly[] = [
      {
        name: 'downlink-unreceived',
        count: this.#downlinks.count(isUnreceived),
        about: 'downlink counted as delivered although its only fragment was lost and the device did not receive it',
      },
      {
        name: 'final-ack-missed',
        count: this.#downlinks.count(({ evidence }) => evidence === 'next-packet' || evidence === 'sequence-zero'),
        about: 'downlink whose last acknowledgement was lost or late: the next packet confirmed the delivery',
      },
      {
        name: 'downlink-received-twice',
        count: this.#downlinks.count((record) => record.receptions > 1),
        about: 'downlink that the device received more than once',
      },
      {
        name: 'downlink-rejected',
        count: this.#downlinks.users.rejected,
        about:
          'downlink of a step or load that the API rejected or did not answer: it counts as never delivered and never answered',
      },
      {
        name: 'downlink-refused',
        count: this.#downlinks.count((record) => record.refused),
        about: 'downlink that the device refused as a whole, or one of whose lines the device rejected',
      },
      {
        name: 'repetition-gap',
        count: this.#devices.repetitionGaps,
        about: 'exchange that stalled for 20 s or more: neither a datagram nor its first repetition was answered',
      },
      {
        name: 'copy-after-restart',
        count: this.#uplinks.copiesAfterRestart,
        about: 'uplink that the device sent again after a reset although it was stored already',
      },
      {
        name: 'console-action',
        count: this.#world.consoleActions,
        about: 'action from a console: the seed alone does not reproduce this run',
      },
    ];
    for (const { about, count, serial } of this.#world.failures) {
      known.push({ name: 'step-failed', count, about: `failed step: ${about}`, serial });
    }
    return known.filter((anomaly) => anomaly.count > 0);
  }
}
