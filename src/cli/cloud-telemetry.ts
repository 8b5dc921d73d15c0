/** The telemetry of the cloud service: the metrics of `/metrics`, and a trace for each downlink of a user that has ended. */
import { hostname } from 'node:os';
import type { Course, Service } from '../cloud/service.js';
import type { Clock } from '../kernel/clock.js';
import { RealClock } from '../kernel/real-clock.js';
import { hours, type UnixMillis } from '../kernel/time.js';
import { makeMetrics, type Period } from '../telemetry/measures.js';
import type { TelemetrySettings } from '../telemetry/settings.js';
import type { TracedDownlink } from '../telemetry/spans.js';
import { Telemetry, type TelemetrySource } from '../telemetry/telemetry.js';
import { expectsAnswer, isOfUsers } from '../trace/downlinks/ledger.js';
import type { DownlinkType, TraceEvent } from '../trace/events.js';
import { readVersion } from './version.js';

/** Maximum number of downlinks that wait to be exported; the oldest are given up. */
const MOST_WAITING = 10_000;
/** Time after which a downlink without an answer is exported as it is. */
const ANSWER_PATIENCE = hours(1);

/** What the source needs of a service. */
type TracedService = Pick<Service, 'courseOf' | 'readMetrics'>;

interface CloudTelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly service: TracedService & Pick<Service, 'api'>;
  readonly source: CloudSource;
  readonly complain: (sentence: string) => void;
}

const ENDS = ['downlink.delivered', 'downlink.answered', 'downlink.cancelled', 'downlink.expired'] as const;

function isEnd(event: TraceEvent): event is Extract<TraceEvent, { readonly kind: (typeof ENDS)[number] }> {
  return (ENDS as readonly string[]).includes(event.kind);
}

/** Begins to export. */
export function beginCloudTelemetry({ settings, service, source, complain }: CloudTelemetryOptions): Telemetry {
  source.follow(service);
  const instance = `${hostname()}:${new URL(service.api).port}`;
  const telemetry = new Telemetry({
    ...{ settings, source, complain, reportsAtOnce: true, version: readVersion(), clock: new RealClock() },
    attributes: { 'service.name': 'ghostfleet', 'service.instance.id': instance },
  });
  telemetry.begin();
  return telemetry;
}

interface Waiting {
  readonly id: string;
  readonly serial: number;
  /** Its answer was waited for in vain. */
  readonly givenUp?: true;
}

/** Notes from the events which downlinks have ended, and reads these from the store: they may be older than this process. */
export class CloudSource implements TelemetrySource {
  readonly #clock: Pick<Clock, 'now'>;
  #service: TracedService | undefined;
  /** By id: a downlink is delivered and answered, often between two exports. */
  readonly #ended = new Map<string, Waiting>();
  /** Downlinks that were delivered and not yet answered, with the time until which they wait. */
  readonly #unanswered = new Map<string, Waiting & { readonly until: number }>();
  /** Downlinks without a trace, because the cloud has queued them itself, and those whose trace was taken. */
  readonly #settled = new Set<string>();

  /** @param clock real time */
  constructor(clock: Pick<Clock, 'now'> = new RealClock()) {
    this.#clock = clock;
  }

  follow(service: TracedService): void {
    this.#service = service;
  }

  take(event: TraceEvent): void {
    if (event.kind === 'downlink.queued' && !isOfUsers(event.type)) this.#settle(event.downlink);
    if (!isEnd(event)) return;
    const { downlink: id, serial } = event;
    if (this.#settled.delete(id)) return;
    this.#unanswered.delete(id);
    this.#ended.set(id, { id, serial });
    dropOldest(this.#ended);
  }

  async readMetrics(period: Period) {
    return makeMetrics((await this.#service?.readMetrics()) ?? [], period);
  }

  countTraces(): number {
    const { now } = this.#clock;
    for (const { until, ...downlink } of this.#unanswered.values()) {
      if (until > now && this.#unanswered.size < MOST_WAITING) break;
      this.#unanswered.delete(downlink.id);
      this.#ended.set(downlink.id, { ...downlink, givenUp: true });
    }
    return this.#ended.size;
  }

  async takeTraces(most: number): Promise<readonly TracedDownlink[]> {
    const taken = [...this.#ended.values()].slice(0, most);
    for (const { id } of taken) this.#ended.delete(id);
    const read = taken.map(async ({ id, serial, givenUp = false }) => {
      const course = await this.#service?.courseOf(serial, id);
      // The casts are safe because downlinks have only these types.
      if (course === undefined || !isOfUsers(course.message.type as DownlinkType)) return [];
      const { message } = course;
      const lacksAnswer =
        message.downState === 'sent' && message.downAnsweredAt === null && expectsAnswer(message.type as DownlinkType);
      if (givenUp || !lacksAnswer) {
        // An event that has come meanwhile, or comes later, is in the trace already.
        if (!this.#ended.delete(id)) this.#settle(id);
        return [makeTrace(course)];
      }
      // The answer may have come while the course was read.
      if (!this.#ended.has(id)) this.#unanswered.set(id, { id, serial, until: this.#clock.now + ANSWER_PATIENCE });
      return [];
    });
    return (await Promise.all(read)).flat();
  }

  #settle(id: string): void {
    this.#settled.add(id);
    dropOldest(this.#settled);
  }
}

function dropOldest(ids: Set<string> | Map<string, unknown>): void {
  const [oldest] = ids.keys();
  if (ids.size > MOST_WAITING && oldest !== undefined) ids.delete(oldest);
}

/** The names of the entries of a timeline as stations of a trace. */
const STATIONS: Readonly<Record<string, string>> = {
  queued: 'queued',
  contact: 'waiting',
  offered: 'offered',
  sent: 'delivered',
  answered: 'answered',
  cancelled: 'cancelled',
  expired: 'expired',
};

function makeTrace({ message, timeline }: Course): TracedDownlink {
  const stations = new Map<string, UnixMillis>();
  for (const { what, at } of timeline) {
    const name = STATIONS[what];
    if (name !== undefined && !stations.has(name)) stations.set(name, at);
  }
  const sorted = [...stations].map(([name, at]) => ({ name, at })).sort((a, b) => a.at - b.at);
  const outcome = sorted.at(-1)?.name ?? 'queued';
  return {
    ...{ id: message.id, type: message.type, observer: 'cloud', stations: sorted },
    traceparent: timeline.find(({ what }) => what === 'queued')?.detail ?? undefined,
    end: sorted.at(-1)?.at ?? message.createdAt,
    failure: outcome === 'expired' ? outcome : undefined,
    attributes: {
      ...{ 'ghostfleet.downlink.outcome': outcome, 'ghostfleet.downlink.offers': message.downAttempt },
      'ghostfleet.device.serial_number': String(message.deviceSerial),
      'ghostfleet.device.name': message.deviceName,
      'ghostfleet.space.id': message.spaceId,
    },
  };
}
