/**
 * The Device Cloud Service in one piece: store, delivery core, REST API, and gateways over UDP and HTTP. `ghostfleet serve`
 * runs it alone, the runner embeds it.
 */
import type { EdgeClock } from '../kernel/clock.js';
import { portRefused } from '../kernel/listen-failure.js';
import type { Log } from '../kernel/log.js';
import type { Random } from '../kernel/random.js';
import type { Millis } from '../kernel/time.js';
import type { Trace } from '../trace/events.js';
import { type Bootstrapped, ensureSpaceAndKey } from './accounts/bootstrap.js';
import { Members } from './accounts/members.js';
import { type ApiOptions, createApi } from './api/index.js';
import { Connectors } from './connectors/connectors.js';
import { CloudCore } from './delivery/core.js';
import { FlapGateway } from './gateway/flap-gateway.js';
import { HttpGateway } from './gateway/http.js';
import { listenUdp, type UdpListener, type Wires } from './gateway/udp.js';
import { startRetention } from './maintenance/retention.js';
import { openStore } from './open-store.js';
import { type Interference, interfereWithApi } from './operations/interference.js';
import { Metrics } from './operations/metrics.js';
import { addOperations } from './operations/routes.js';
import { Connections, closeServer } from './operations/shutdown.js';
import { guardCommits } from './store/bounded-commits.js';
import { createIds } from './store/ids.js';
import type { MemoryTables } from './store/memory/tables.js';

export interface ServiceOptions {
  /** Path of an SQLite file, `postgres://…`, or `memory`. */
  readonly db: string;
  /** What `memory` is, for a service that starts again on what it left; left out: an empty one. */
  readonly memory?: MemoryTables;
  /** Address to bind, for the API and for UDP. */
  readonly host: string;
  /** Ports; 0 takes a free one, null opens none. */
  readonly port: number;
  readonly udpPort: number | null;
  readonly udpRawPort: number | null;
  /** Name of the space, which a first start creates; left out: the only one, or the oldest. */
  readonly space?: string;
  /** API key to accept; left out: one is made on the first start. */
  readonly apiKey?: string;
  readonly clock: EdgeClock;
  /** For ids and keys: cryptographic in a real service, seeded in a simulation. */
  readonly random: Random;
  readonly trace: Trace;
  readonly log: Log;
  /** Lets simulated time wait for datagrams on the wire; left out in real time. */
  readonly wires?: Wires;
  readonly apiOptions?: Partial<ApiOptions>;
  /** How long messages are kept; left out: for ever. */
  readonly retainMessages?: Millis;
  /** When a downlink that no device has fetched ends; left out: after 30 days. */
  readonly expireDownlinks?: Millis;
  /** Lets connectors send to private and loopback addresses as well. */
  readonly allowPrivateTargets?: boolean;
  /** A user who is made an admin of the space on every start. */
  readonly admin?: { readonly email: string; readonly password: string };
  /** Gets in its way, for scenarios with faults. */
  readonly interference?: Interference;
  /** Adds health, metrics and limits, for a service that others use; a simulation does without. */
  readonly operated?: boolean;
}

/** Commits that may wait to be durable before the store is called busy. */
const WAITING_COMMITS = 20_000;

export interface Service {
  /** `http://127.0.0.1:8080` */
  readonly api: string;
  /** Port for base64 datagrams; null when none is open. */
  readonly udp: number | null;
  /** Port for raw datagrams; null when none is open. */
  readonly udpRaw: number | null;
  readonly spaceId: string;
  /** The key, when it was given or has just been made: it cannot be shown again. */
  readonly apiKey: string | undefined;
  readonly gateway: FlapGateway;
  /** Makes a further space with a key, unless there is one of that name: then without it. */
  openSpace(name: string): Promise<Bootstrapped>;
  /** Answers nobody any more, whatever is under way, and breaks connections off; resolves when their other ends know. */
  hangUp(): Promise<void>;
  /** Finishes what is under way, then closes ports and store. */
  close(): Promise<void>;
}

/** @throws UsageError when a port is taken or the database cannot be used */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { clock, log, random, host, apiOptions = {} } = options;
  const opened = await openStore(options.db, options.memory);
  const store = options.interference?.store(opened) ?? opened;
  const metrics = options.operated ? new Metrics(clock) : undefined;
  const trace = metrics?.listening(options.trace) ?? options.trace;
  if (metrics) {
    const onCommit = (took: Millis) => metrics.commit(took);
    metrics.watchStore(store, guardCommits(store, { clock, limit: WAITING_COMMITS, onCommit }));
    metrics.watchProcess();
  }
  const closers: (() => Promise<void>)[] = [() => store.close()];
  // In reverse order of opening: ports first, the store last.
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const ids = createIds(clock, random.fork('ids'));
    const connectors = new Connectors({
      store,
      clock,
      ids,
      log,
      random: random.fork('connectors'),
      allowPrivate: options.allowPrivateTargets ?? false,
    });
    closers.push(() => connectors.close());
    connectors.wake();
    const { retainMessages: keep, expireDownlinks: expiry } = options;
    const core = new CloudCore({
      store,
      clock,
      ids,
      trace,
      log,
      forwarding: connectors,
      ...(expiry !== undefined && { expiry }),
    });
    closers.push(async () => core.close());
    if (keep !== undefined) closers.push(startRetention({ store, clock, log, trace, keep }));
    const gateway = new FlapGateway({ core, clock, trace, log });
    closers.push(() => gateway.idle());

    const bound = async (port: number | null, format: 'base64' | 'raw'): Promise<UdpListener | undefined> => {
      if (port === null) return undefined;
      const listener = await listenUdp(gateway, { host, port, format, ...(options.wires && { wires: options.wires }) });
      closers.push(() => listener.close());
      return listener;
    };
    const udp = await bound(options.udpPort, 'base64');
    const udpRaw = await bound(options.udpRawPort, 'raw');

    const ingress = new HttpGateway({ core, clock, trace });
    const api = createApi(
      { store, clock, ids, random: random.fork('secrets'), downlinks: core, firmware: core.firmware, connectors, log },
      apiOptions,
      [ingress.routes],
    );
    if (options.interference) interfereWithApi(api, options.interference);
    if (metrics) {
      metrics.watchGateway(
        gateway.counters,
        [udp?.port, udpRaw?.port].filter((port) => port !== undefined),
      );
      addOperations(api, { store, clock, log, metrics });
    }
    const connections = new Connections(api.server);
    closers.push(() => closeServer(api, clock));
    const address = await api.listen({ host, port: options.port }).catch((error: NodeJS.ErrnoException) => {
      throw portRefused(`port ${options.port}`, host, error);
    });
    const firstThings = async () => {
      const keys = random.fork('keys');
      const { space: spaceName, apiKey: given, admin } = options;
      const { spaceId, apiKey } = await ensureSpaceAndKey(store, {
        spaceName,
        apiKey: given,
        ids,
        clock,
        random: keys,
      });
      if (admin) {
        const members = new Members({ store, clock, ids, random: random.fork('accounts') });
        await members.ensureAdmin(spaceId, admin.email, admin.password);
      }
      return { spaceId, apiKey };
    };
    // Behind the ports, so that no key is made that a taken port keeps from being shown. Of several services that start on
    // an empty database, one makes the space, and the others find it.
    const { spaceId, apiKey } = await (store.nodes?.inTurn('first things', firstThings) ?? firstThings());
    const openSpace = (spaceName: string) =>
      ensureSpaceAndKey(store, { spaceName, ids, clock, random: random.fork(`keys/${spaceName}`) });
    const ports = { udp: udp?.port ?? null, udpRaw: udpRaw?.port ?? null };
    const hangUp = async () => {
      await Promise.all([udp?.close(), udpRaw?.close(), connections.end()]);
    };
    return { api: address, ...ports, spaceId, apiKey, gateway, openSpace, hangUp, close };
  } catch (error) {
    await close();
    throw error;
  }
}
