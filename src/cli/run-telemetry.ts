/** The telemetry of a run: its metrics by group of the fleet, and a trace for each downlink of a user. */
import { ValueType } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import { RealClock } from '../kernel/real-clock.js';
import { sinceStart, type UnixMillis } from '../kernel/time.js';
import type { RunControl } from '../runner/run.js';
import type { Plan, PlannedGroup } from '../scenario/model/plan.js';
import { divideByGroup } from '../scenario/plan/parts.js';
import { makeRunMetric, type Period } from '../telemetry/measures.js';
import type { TelemetrySettings } from '../telemetry/settings.js';
import { hrTime, type TracedDownlink } from '../telemetry/spans.js';
import { Telemetry, type TelemetrySource } from '../telemetry/telemetry.js';
import { type DownlinkRecord, findOutcome, isOfUsers, STAGES, type Stage } from '../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../trace/downlinks/waits.js';
import { METRICS } from '../trace/metrics/index.js';
import { readVersion } from './version.js';

interface RunTelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly plan: Plan;
  readonly control: RunControl;
  readonly clock: 'virtual' | 'real';
  readonly complain: (sentence: string) => void;
}

/** Begins to export. */
export function beginRunTelemetry({ settings, plan, control, clock, complain }: RunTelemetryOptions): Telemetry {
  const { scenario, seed } = plan;
  const telemetry = new Telemetry({
    settings,
    version: readVersion(),
    attributes: {
      'service.name': 'ghostfleet-run',
      'service.instance.id': `${scenario}-${seed}`,
      'ghostfleet.scenario': scenario,
      'ghostfleet.seed': String(seed),
      // The times of spans are simulated in virtual time.
      'ghostfleet.time': clock === 'virtual' ? 'simulated' : 'real',
    },
    source: new RunSource(plan, control),
    clock: new RealClock(),
    complain,
  });
  telemetry.begin();
  return telemetry;
}

/** The name of a stage as a station of a trace. */
const STATIONS: Readonly<Partial<Record<Stage, string>>> = { contact: 'waiting' };

class RunSource implements TelemetrySource {
  readonly #plan: Plan;
  readonly #control: RunControl;
  readonly #devices: ReadonlyMap<number, Plan['devices'][number]>;
  /** Number of downlinks that were looked at. */
  #seen = 0;
  #open: readonly DownlinkRecord[] = [];
  #complete: DownlinkRecord[] = [];

  constructor(plan: Plan, control: RunControl) {
    this.#plan = plan;
    this.#control = control;
    this.#devices = new Map(plan.devices.map((device) => [device.serial, device]));
  }

  readMetrics(period: Period): readonly MetricData[] {
    const { scenario, seed, groups } = this.#plan;
    const { metrics, clock } = this.#control;
    const run = { scenario, seed: String(seed) };
    const { parts } = divideByGroup(this.#plan);
    return [
      makeSimulated(sinceStart(clock.now), run, period),
      ...METRICS.map((info) => {
        const read = info.of === 'devices' ? parts.map(({ scope }) => scope) : [undefined];
        const values = read.flatMap((scope, i) => {
          const measure = metrics.read(info.name, scope);
          const labels = scope === undefined ? {} : findLabels(parts[i]?.value ?? '', groups);
          return measure === undefined ? [] : [{ measure, attributes: { ...run, ...labels } }];
        });
        return makeRunMetric(info, values, period);
      }),
    ];
  }

  countTraces(last: boolean): number {
    if (this.#complete.length > 0 && !last) return this.#complete.length;
    let index = 0;
    const found: DownlinkRecord[] = [];
    for (const record of this.#control.metrics.downlinks) {
      if (index++ >= this.#seen && isOfUsers(record.type)) found.push(record);
    }
    this.#seen = index;
    const open = [...this.#open, ...found];
    this.#complete.push(...open.filter((record) => last || record.closed));
    this.#open = last ? [] : open.filter((record) => !record.closed);
    return this.#complete.length;
  }

  takeTraces(most: number): readonly TracedDownlink[] {
    const { clock } = this.#control;
    const start = clock.wall - sinceStart(clock.now);
    return this.#complete.splice(0, most).map((record) => this.#follow(record, start));
  }

  #follow(record: DownlinkRecord, start: UnixMillis): TracedDownlink {
    const { id, type, serial, queuedAt, reached, ended, endedAt, traceparent, attempts, waits, refused } = record;
    const { clock } = this.#control;
    const device = this.#devices.get(serial);
    const stages = STAGES.flatMap((stage) => {
      const at = reached[stage];
      return at === undefined ? [] : [{ name: STATIONS[stage] ?? stage, at }];
    });
    // The end of an expired downlink may be noticed later.
    const end = ended === undefined || endedAt === undefined ? [] : [{ name: ended, at: endedAt }];
    const stations = [{ name: 'queued', at: queuedAt }, ...[...stages, ...end].sort((a, b) => a.at - b.at)];
    const outcome = refused ? 'refused' : findOutcome(record);
    return {
      ...{ id, type, traceparent, observer: 'run' },
      stations: stations.map(({ name, at }) => ({ name, at: start + at })),
      end: start + (record.closed ? (stations.at(-1)?.at ?? queuedAt) : clock.now),
      failure: outcome === 'refused' || outcome === 'expired' ? outcome : undefined,
      attributes: {
        ...{ 'ghostfleet.downlink.outcome': outcome, 'ghostfleet.downlink.offers': attempts },
        ...{ 'ghostfleet.device.serial_number': String(serial), 'ghostfleet.device.name': device?.name ?? '' },
        ...addPrefix('ghostfleet.', findLabels(this.#plan.groups[device?.group ?? -1]?.name ?? '', this.#plan.groups)),
        ...Object.fromEntries(WAIT_CAUSES.map((cause) => [`ghostfleet.wait.${cause}_ms`, waits[cause]])),
      },
    };
  }
}

/** The region and the profile of the part for the other groups are its name. */
function findLabels(group: string, groups: readonly PlannedGroup[]) {
  const found = groups.find(({ name }) => name === group);
  return { group, region: found ? (found.region ?? '(none)') : group, profile: found?.profile ?? group };
}

function addPrefix(prefix: string, labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [`${prefix}${name}`, value]));
}

function makeSimulated(time: number, attributes: Readonly<Record<string, string>>, { since, now }: Period): MetricData {
  return {
    descriptor: {
      ...{ name: 'ghostfleet.run.simulated', description: 'simulated time so far', unit: 's' },
      valueType: ValueType.DOUBLE,
    },
    ...{ dataPointType: DataPointType.GAUGE, aggregationTemporality: AggregationTemporality.CUMULATIVE },
    dataPoints: [{ startTime: hrTime(since), endTime: hrTime(now), attributes, value: time / 1000 }],
  };
}
