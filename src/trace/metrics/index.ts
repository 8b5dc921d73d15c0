/**
 * All metrics of a run, folded from one trace. To add one: give a fold of this folder another counter or write a new
 * one, and name the metric in its table.
 */
import type { Millis } from '../../kernel/time.js';
import { type Dispatch, dispatchTo } from '../dispatch.js';
import type { DownlinkRecord } from '../downlinks/ledger.js';
import type { TraceEvent } from '../events.js';
import type { Fold } from '../log.js';
import { CALL_METRICS, type CallBooks, CallFold, type CallSummary } from './calls.js';
import { DEVICE_METRICS, DeviceFold, type FleetSummary } from './devices.js';
import { DOWNLINK_METRICS, DownlinkFold, type DownlinkSummary, isUnreceived } from './downlinks.js';
import { type Measure, type MetricInfo, metricInfos, readMetric } from './metric.js';
import { SampleFold, type SampleSummary } from './samples.js';
import { MetricScope } from './scope.js';
import { SeriesFold, type SeriesSummary } from './series.js';
import { UPDATE_METRICS, UpdateFold, type UpdateSummary } from './updates.js';
import { UPLINK_METRICS, UplinkFold, type UplinkSummary } from './uplinks.js';
import { type ServiceSummary, WORLD_METRICS, WorldFold } from './world.js';

/** Every metric that an expectation can name. */
export const METRICS: readonly MetricInfo[] = [
  ...metricInfos(DEVICE_METRICS, 'devices'),
  ...metricInfos(UPLINK_METRICS, 'devices'),
  ...metricInfos(DOWNLINK_METRICS, 'devices'),
  ...metricInfos(UPDATE_METRICS, 'devices'),
  ...metricInfos(CALL_METRICS, 'clients'),
  ...metricInfos(WORLD_METRICS, null),
];

/** Something that should not be, or that the protocol cannot exclude, and how often it was. */
interface Anomaly {
  /** Stable, for programs. */
  readonly name: string;
  readonly count: number;
  readonly about: string;
}

/** All that a report says about a run's course; plain data. */
export interface RunSummary {
  readonly fleet: FleetSummary;
  readonly uplinks: UplinkSummary;
  readonly downlinks: DownlinkSummary;
  /** Left out when there were none. */
  readonly updates?: UpdateSummary;
  /** API requests by the name of their load. */
  readonly calls: Readonly<Record<string, CallSummary>>;
  /** Datagrams that the network tampered with, by fault. */
  readonly faults: Readonly<Record<string, number>>;
  /** What the embedded cloud suffered. */
  readonly service: ServiceSummary;
  readonly steps: { readonly done: number; readonly failed: number };
  /** What was done from consoles, one per device. */
  readonly console: { readonly actions: number };
  /** Only those that occurred. */
  readonly anomalies: readonly Anomaly[];
  /** The course over time. */
  readonly series: SeriesSummary;
  /** What two runs are compared by. */
  readonly samples: SampleSummary;
}

/** What metrics are read of apart from the rest, by the name of the scope. */
export interface MetricScopes {
  /** Serial numbers. */
  readonly devices: ReadonlyMap<string, readonly number[]>;
  /** Names of loads. */
  readonly loads: ReadonlyMap<string, readonly string[]>;
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
  readonly #callScopes: ReadonlyMap<string, CallBooks>;

  /**
   * @param devices number of devices of the plan
   * @param warmUp API requests that were due earlier do not count in latencies, nor what happens earlier in busiest seconds
   * @param duration planned
   * @param scopes what metrics are read of apart from the rest
   */
  constructor(devices: number, warmUp: Millis = 0, duration: Millis = 0, scopes = NO_SCOPES) {
    this.#devices = new DeviceFold(devices, warmUp);
    this.#uplinks = new UplinkFold(warmUp);
    this.#calls = new CallFold(warmUp);
    this.#series = new SeriesFold(devices, duration, warmUp);
    this.#samples = new SampleFold(duration, warmUp);
    this.#downlinks = new DownlinkFold((record, stage) => {
      this.#series.stage(record, stage);
      this.#samples.stage(record, stage);
    });
    const counting = [this.#devices, this.#uplinks, this.#downlinks, this.#updates, this.#calls, this.#world];
    this.#dispatch = dispatchTo([...counting, this.#series, this.#samples]);
    this.#scopes = new Map([...scopes.devices].map(([name, serials]) => [name, new MetricScope(serials, warmUp)]));
    this.#callScopes = new Map([...scopes.loads].map(([name, loads]) => [name, this.#calls.of(loads)]));
  }

  take(event: TraceEvent): void {
    const handlers = this.#dispatch.get(event.kind);
    if (handlers !== undefined) for (const handler of handlers) handler(event);
    for (const scope of this.#scopes.values()) scope.take(event);
  }

  /**
   * What the metric `name` has come to so far; undefined when there is no such metric.
   * @param of the scope that it is read of, instead of everything
   */
  read(name: string, of?: string): Measure | undefined {
    if (of !== undefined) return this.#scopes.get(of)?.read(name) ?? this.#callsOf(of, name);
    return (
      readMetric(DEVICE_METRICS, this.#devices, name) ??
      readMetric(UPLINK_METRICS, this.#uplinks, name) ??
      readMetric(DOWNLINK_METRICS, this.#downlinks, name) ??
      readMetric(UPDATE_METRICS, this.#updates, name) ??
      readMetric(CALL_METRICS, this.#calls.books, name) ??
      readMetric(WORLD_METRICS, this.#world, name)
    );
  }

  /** Sums that should be the same and are not, in sentences; a bug of ours when there are any. */
  get contradictions(): readonly string[] {
    return this.#calls.contradictions;
  }

  /** Every downlink of a user, in the order in which they were queued. */
  get downlinks(): Iterable<DownlinkRecord> {
    return this.#downlinks.records;
  }

  summary(): RunSummary {
    return {
      fleet: this.#devices.summary(),
      uplinks: this.#uplinks.summary(),
      downlinks: this.#downlinks.summary(),
      ...(this.#updates.summary && { updates: this.#updates.summary }),
      calls: this.#calls.summary(),
      faults: this.#world.faults.toRecord(),
      service: this.#world.service(),
      steps: { done: this.#world.stepsDone, failed: this.#world.stepsFailed.total },
      console: { actions: this.#world.consoleActions },
      anomalies: this.#anomalies(),
      series: this.#series.summary(),
      samples: this.#samples.summary(),
    };
  }

  #callsOf(scope: string, name: string): Measure | undefined {
    const books = this.#callScopes.get(scope);
    return books && readMetric(CALL_METRICS, books, name);
  }

  #anomalies(): readonly Anomaly[] {
    const known: Anomaly[] = [
      {
        name: 'downlink-unreceived',
        count: this.#downlinks.count(isUnreceived),
        about: 'downlink counted as delivered that the device never had (its only fragment was lost, quirk 12)',
      },
      {
        name: 'final-ack-missed',
        count: this.#downlinks.count(({ evidence }) => evidence === 'next-packet' || evidence === 'sequence-zero'),
        about: 'downlink whose last acknowledgement was lost or overtaken: the next packet confirmed it instead',
      },
      {
        name: 'downlink-received-twice',
        count: this.#downlinks.count((record) => record.receptions > 1),
        about: 'downlink received more than once',
      },
      {
        name: 'downlink-refused',
        count: this.#downlinks.count((record) => record.refused),
        about: 'downlink that the device could not carry out',
      },
      {
        name: 'repetition-gap',
        count: this.#devices.repetitionGaps,
        about: 'exchange that stood still for 20 s or more: a first repetition is never answered (quirk 13)',
      },
      {
        name: 'copy-after-restart',
        count: this.#uplinks.copiesAfterRestart,
        about: 'uplink sent again after a reset though it was stored (quirk 15)',
      },
      {
        name: 'console-action',
        count: this.#world.consoleActions,
        about: 'action from a console: the run was touched by hand, and its seed alone does not give this course',
      },
    ];
    for (const [step, count] of Object.entries(this.#world.stepsFailed.toRecord())) {
      known.push({ name: 'step-failed', count, about: `step that failed: ${step}` });
    }
    return known.filter((anomaly) => anomaly.count > 0);
  }
}
