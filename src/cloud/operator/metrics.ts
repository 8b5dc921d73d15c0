/**
 * Prometheus metrics of the service. Times are in seconds, as is usual in Prometheus. Labels never contain devices, spaces or
 * keys: the number of series does not grow with the fleet, and metrics disclose no customer data.
 */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { countNone, HEALTHS } from '../../contract/health.js';
import type { Clock } from '../../kernel/clock.js';
import type { Millis } from '../../kernel/time.js';
import type { CloudEvent, Trace, TraceEvent } from '../../trace/events.js';
import type { DtlsGateway } from '../gateway/dtls-gateway.js';
import type { GatewayCounters } from '../gateway/flap-gateway.js';
import type { Guarded } from '../store/bounded-commits.js';
import { timeOfId } from '../store/order.js';
import type { Store } from '../store/store.js';
import { udpDrops } from './udp-drops.js';

interface Request {
  readonly method: string;
  /** The pattern of the route; `unknown` if no route matches. */
  readonly route: string;
  readonly status: number;
  readonly took: Millis;
}

export class Metrics {
  readonly #own = new Registry();
  #process: Registry | undefined;
  readonly #clock: Clock;
  readonly #requests: Histogram;
  readonly #commits: Histogram;
  readonly #delivery: Histogram;
  readonly #stored: Counter;
  readonly #downlinks: Counter;

  /** @param clock source of the time at which a downlink is delivered */
  constructor(clock: Clock) {
    this.#clock = clock;
    const registers = [this.#own];
    this.#requests = new Histogram({
      name: 'ghostfleet_http_request_seconds',
      help: 'Time to answer HTTP requests, by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    });
    this.#commits = new Histogram({
      name: 'ghostfleet_store_commit_seconds',
      help: 'Time from the start of a commit until it is durable',
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    });
    this.#delivery = new Histogram({
      name: 'ghostfleet_downlink_delivery_seconds',
      help: 'Time from queuing a downlink until the device has confirmed it',
      buckets: [1, 10, 60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400],
      registers,
    });
    this.#stored = new Counter({
      name: 'ghostfleet_uplinks_total',
      help: 'Uplinks stored, or recognised as copies of stored ones',
      labelNames: ['type', 'copy'],
      registers,
    });
    this.#downlinks = new Counter({
      name: 'ghostfleet_downlinks_total',
      help: 'Events of downlinks',
      labelNames: ['what'],
      registers,
    });
  }

  /** Adds metrics of the process: memory, CPU, event loop, garbage collection. */
  watchProcess(): void {
    this.#process = ofProcess();
  }

  /** All metrics as text, in the format {@link contentType}. */
  async text(): Promise<string> {
    return (await this.#own.metrics()) + ((await this.#process?.metrics()) ?? '');
  }

  /** All metrics as data. */
  async read(): Promise<readonly MetricObjectWithValues<MetricValue<string>>[]> {
    return [...(await this.#own.getMetricsAsJSON()), ...((await this.#process?.getMetricsAsJSON()) ?? [])];
  }

  get contentType(): string {
    return this.#own.contentType;
  }

  watchStore(store: Store, guarded: Guarded): void {
    const pending = 'Downlinks waiting for their devices, in the whole database: do not add up the nodes';
    this.#gauge('ghostfleet_downlinks_pending', pending, () => store.countPending());
    const devices = 'Devices by health, in the whole database: do not add up the nodes';
    this.#gauges('ghostfleet_devices', devices, 'health', () => this.#countByHealth(store));
    this.#gauge(
      'ghostfleet_store_damaged',
      '1 if damage of the database was found, after which nothing is stored',
      () => ((store.soundness?.damage.length ?? 0) > 0 ? 1 : 0),
    );
    this.#gauge('ghostfleet_commits_waiting', 'Commits waiting to become durable', () => guarded.waiting);
    this.#total(
      'ghostfleet_commits_refused_total',
      'Commits rejected because too many were waiting',
      () => guarded.refused,
    );
  }

  async #countByHealth(store: Store): Promise<Readonly<Record<string, number>>> {
    const all = countNone();
    for (const counts of (await store.countByHealth(this.#clock.wall)).values()) {
      for (const health of HEALTHS) all[health] += counts[health];
    }
    return all;
  }

  /** @param ports the bound UDP ports */
  watchGateway(counters: GatewayCounters, ports: readonly number[]): void {
    const help = 'Datagrams by outcome; `received` counts all';
    this.#totals('ghostfleet_gateway_packets_total', help, 'outcome', () => counters);
    this.#total(
      'ghostfleet_udp_receive_drops_total',
      'Datagrams dropped by the kernel because a receive buffer was full; Linux only',
      async () => (await udpDrops(ports)) ?? Number.NaN,
    );
  }

  /** @param gateway returns undefined before the first DTLS datagram */
  watchDtls(gateway: () => Pick<DtlsGateway, 'size' | 'counters'> | undefined): void {
    this.#gauge('ghostfleet_dtls_sessions', 'Open DTLS connections', () => gateway()?.size.sessions ?? 0);
    this.#totals(
      'ghostfleet_dtls_handshakes_total',
      'DTLS handshakes that have ended, by outcome',
      'outcome',
      () => gateway()?.counters.handshakes ?? {},
    );
    this.#totals(
      'ghostfleet_dtls_records_rejected_total',
      'DTLS records that were dropped, by reason',
      'reason',
      () => gateway()?.counters.rejected ?? {},
    );
  }

  request({ method, route, status, took }: Request): void {
    this.#requests.observe({ method, route, status }, took / 1000);
  }

  commit(took: Millis): void {
    this.#commits.observe(took / 1000);
  }

  /** Returns a trace that counts events and forwards them to `to`. */
  listening(to: Trace): Trace {
    return {
      emit: (event) => {
        this.#count(event);
        to.emit(event);
      },
    };
  }

  #count(event: TraceEvent): void {
    if (event.kind === 'cloud.stored') this.#stored.inc({ type: event.type, copy: String(event.copy) });
    else if (isOfDownlink(event)) {
      this.#downlinks.inc({ what: event.kind.slice('downlink.'.length) });
      if (event.kind === 'downlink.delivered') {
        this.#delivery.observe(Math.max(0, this.#clock.wall - timeOfId(event.downlink)) / 1000);
      }
    }
  }

  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#own],
      // A value that cannot be read is reported as NaN, so that the other metrics stay available.
      collect: async () => gauge.set(await Promise.resolve(read()).catch(() => Number.NaN)),
    });
  }

  /** Adds a gauge with one label. `read` returns its value for each value of the label. */
  #gauges(name: string, help: string, label: string, read: () => Promise<Readonly<Record<string, number>>>): void {
    const gauge: Gauge = new Gauge({
      ...{ name, help, labelNames: [label], registers: [this.#own] },
      collect: async () => {
        gauge.reset();
        for (const [value, count] of Object.entries(await read().catch(() => ({}))))
          gauge.set({ [label]: value }, count);
      },
    });
  }

  /** Adds a counter with one label. `read` returns the count for each value of the label. */
  #totals(name: string, help: string, label: string, read: () => object): void {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.#own],
      collect: () => {
        counter.reset();
        for (const [value, count] of Object.entries(read())) counter.inc({ [label]: value }, count);
      },
    });
  }

  #total(name: string, help: string, read: () => number | Promise<number>): void {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [this.#own],
      collect: async () => {
        const total = await read();
        counter.reset();
        if (!Number.isNaN(total)) counter.inc(total);
      },
    });
  }
}

let processRegistry: Registry | undefined;

/** Metrics of the process, shared by all its services: their monitors cannot be stopped, and would outlive a service. */
function ofProcess(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

type DownlinkEvent = Extract<CloudEvent, { readonly downlink: string }>;

function isOfDownlink(event: TraceEvent): event is DownlinkEvent {
  return 'downlink' in event;
}
