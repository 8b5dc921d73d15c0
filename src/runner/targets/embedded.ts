/** The Device Cloud Service in this process: a new one for every run, on the clock of the run. */
import { type ClientOptions, DeviceCloudClient } from '../../client/client.js';
import type { Device, NewDevice } from '../../client/types.js';
import { storeName } from '../../cloud/open-store.js';
import type { Service } from '../../cloud/service.js';
import type { NamedKey } from '../../cloud/store/secrets/key.js';
import type { StoreUnavailable } from '../../cloud/store/store.js';
import type { DrivenClock } from '../../kernel/clock.js';
import { EXIT, GhostfleetError, UsageError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Random } from '../../kernel/random.js';
import { endOfTurn } from '../../kernel/real-timers.js';
import { kindOf } from '../../scenario/faults/index.js';
import type { CloudSettings } from '../../scenario/model/cloud.js';
import type { PlannedFault } from '../../scenario/model/plan.js';
import type { Trace } from '../../trace/events.js';
import type { Failed, Transport } from '../../transport/transport.js';
import { AckWitness } from './ack-witness.js';
import { EmbeddedCloud } from './embedded-cloud.js';
import { makeWires, openWire } from './embedded-wire.js';
import { ServiceFaults } from './service-faults.js';
import type { Target } from './target.js';
import { UplinkOrder } from './uplink-order.js';

/** How messages travel: as datagrams in memory or over UDP, or as HTTP requests. */
export const TRANSPORTS = ['memory', 'udp', 'http'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

interface EmbeddedOptions {
  readonly transport: TransportName;
  /** Database of the cloud: a path, an address of PostgreSQL, or `memory`. */
  readonly db: string;
  /** Key for the secrets in a PostgreSQL database. Default: a random key, so that no other service can open the database. */
  readonly secretsKey?: NamedKey | undefined;
  /** Texts that no error may show. Default: none besides the keys. */
  readonly secrets?: readonly string[];
  /** Name of the cloud's space. */
  readonly space: string;
  /** Whether time is virtual: datagrams on their way over UDP then stop the clock. */
  readonly virtual: boolean;
  readonly clock: DrivenClock;
  readonly random: Random;
  readonly trace: Trace;
  readonly log: Log;
  /** Receives the failures of this machine. Default: they are ignored. */
  readonly failed?: Failed;
  /** Settings from the scenario; undefined for the defaults. */
  readonly settings?: CloudSettings | undefined;
  /** Hosts with public addresses to which connectors may send. Default: all. */
  readonly connectorHosts?: readonly string[] | undefined;
  /** Folder with the built web console. Default: the cloud has no console. */
  readonly webConsole?: string | undefined;
  /** Of the plan; only those of the cloud matter. Default: none */
  readonly faults?: readonly PlannedFault[];
}

/** Starts the embedded cloud. @throws UsageError if it cannot start, or if the database is not new */
export async function openEmbeddedTarget(options: EmbeddedOptions): Promise<Target> {
  const { transport, virtual, clock, trace, failed = () => {}, faults: planned = [], secrets = [], ...rest } = options;
  // With a console, its user may inject faults later.
  const hasFaults = options.webConsole !== undefined || planned.some((fault) => kindOf(fault).service !== undefined);
  const faults = hasFaults ? makeServiceFaults(planned, options) : undefined;
  const udp = transport === 'udp';
  const wires = virtual && udp ? makeWires(clock) : undefined;
  const order = new UplinkOrder(trace);
  const witness = new AckWitness(clock, order);
  const cloud = new EmbeddedCloud({
    ...rest,
    udp,
    virtual,
    clock,
    trace: witness,
    acknowledged: (serial) => witness.acknowledged(serial),
    mayRepeat: (serial) => order.isUnclear(serial),
    wires,
    faults,
    // In virtual time, the course of the run must not depend on real failures. In real time, they are part of the test.
    storeFailed: virtual && options.db !== 'memory' ? (error) => clock.stop(storeLost(options.db, error)) : undefined,
  });
  await cloud.start();
  const closers = [() => cloud.close()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const { service } = cloud;
    const address = { baseUrl: service?.api ?? '', apiKey: requireKey(service?.apiKey, options.db) };
    // Requests that a fault or a limit may stop are sent over HTTP.
    const isFree = faults === undefined && !options.settings?.rateLimit;
    const api = new EmbeddedClient(
      { ...address, secrets, spaceId: service?.spaceId ?? '' },
      isFree ? service : undefined,
    );
    closers.push(() => api.close());
    const inner = await openWire({ kind: transport, cloud, api: address.baseUrl, clock, wires, failed });
    const wire = faults ? loseWhileDown(inner, faults) : inner;
    closers.push(() => wire.close());
    const openSpace = async (name: string) => {
      const opened = await cloud.openSpace(`${options.space}/${name}`);
      const client = new DeviceCloudClient({
        ...address,
        secrets,
        apiKey: requireKey(opened.apiKey, options.db),
        spaceId: opened.spaceId,
      });
      closers.push(() => client.close());
      return client;
    };
    return {
      api,
      address,
      openSpace,
      wire,
      trace: order,
      outlivesRun: false,
      close,
      ...(transport !== 'memory' && { ports: cloud.ports }),
      consoleLink: () => cloud.service?.consoleLink(),
      hasSession: (secret) => cloud.hasSession(secret),
      format: transport === 'http' ? 'http' : 'base64',
      speed: 1,
      ...(faults && { faults, admit: (hold) => faults.admit(hold) }),
      begin: () => {
        cloud.begin();
        faults?.begin(cloud);
      },
      end: () => faults?.end(),
      // The embedded cloud writes its events to the trace itself, so the target has nothing to report.
      accepted: () => true,
      lastLook: async () => {},
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Number of devices that are registered before the event loop gets a turn. */
const AT_ONCE = 256;

/** A client that registers devices in this process: an HTTP request for each of 100,000 takes a third of their boot. */
class EmbeddedClient extends DeviceCloudClient {
  readonly #service: Pick<Service, 'registerDevice'> | undefined;
  #registered = 0;

  /** @param service undefined: devices are registered over HTTP, too */
  constructor(options: ClientOptions, service: Pick<Service, 'registerDevice'> | undefined) {
    super(options);
    this.#service = service;
  }

  override async createDevice(device: NewDevice): Promise<Device> {
    if (this.#service === undefined) return super.createDevice(device);
    try {
      if (++this.#registered % AT_ONCE === 0) await endOfTurn();
      return await this.#service.registerDevice(device);
    } catch {
      // The API says why, in the form that its callers expect.
      return super.createDevice(device);
    }
  }
}

function makeServiceFaults(faults: readonly PlannedFault[], { clock, random, trace }: EmbeddedOptions): ServiceFaults {
  const struck = (fault: string) => trace.emit({ kind: 'service.fault', at: clock.now, fault });
  return new ServiceFaults({ faults, clock, random, struck });
}

/** @throws UsageError if the service has no new key, because the database has one already */
function requireKey(apiKey: string | undefined, db: string): string {
  if (apiKey !== undefined) return apiKey;
  throw new UsageError('old-database', `the database ${storeName(db)} has been used before: a run requires a new one`);
}

function storeLost(db: string, { explained }: StoreUnavailable): GhostfleetError {
  return new GhostfleetError('store-lost', `the database ${storeName(db)} failed: ${explained}`, EXIT.stuck);
}

/** A transport that loses datagrams while the service is down. */
function loseWhileDown(inner: Transport, faults: ServiceFaults): Transport {
  return {
    connect: (serial, receiver, format) => {
      const channel = inner.connect(serial, receiver, format);
      return {
        send: (datagram) => {
          if (!faults.missed()) channel.send(datagram);
        },
        reopen: (server, started) => channel.reopen(server, started),
        path: () => channel.path?.(),
      };
    },
    close: () => inner.close(),
  };
}
