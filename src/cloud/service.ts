/** The cloud service: store, delivery core, REST API and gateways. `ghostfleet serve` runs it alone, the runner embeds it. */
import type { EdgeClock } from '../kernel/clock.js';
import { within } from '../kernel/deadline.js';
import { UsageError } from '../kernel/errors.js';
import type { Wires } from '../kernel/in-flight.js';
import type { Log } from '../kernel/log.js';
import type { Random } from '../kernel/random.js';
import { RealClock } from '../kernel/real-clock.js';
import { portRefused } from '../kernel/system-errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import { shownCommand } from '../kernel/web-address.js';
import type { Trace } from '../trace/events.js';
import { AuditLog } from './accounts/audit.js';
import { type Bootstrapped, ensureSpaceAndKey } from './accounts/bootstrap.js';
import { Members } from './accounts/members.js';
import type { PasswordCost } from './accounts/passwords.js';
import type { CloudContext } from './api/context.js';
import { deviceRegistration, type RegisterDevice } from './api/devices.js';
import { type ApiOptions, createApi } from './api/index.js';
import { Connectors } from './connectors/connectors.js';
import { CloudCore } from './delivery/core.js';
import type { EarlierCopy } from './delivery/uplinks.js';
import { Feed } from './events/feed.js';
import type { DtlsGateway, Send } from './gateway/dtls-gateway.js';
import { FlapGateway } from './gateway/flap-gateway.js';
import { HttpGateway } from './gateway/http.js';
import type { DatagramRecorder } from './gateway/udp.js';
import { History, keepHistory } from './history/history.js';
import { type Interference, interfereWithApi } from './interference.js';
import { startClearing } from './maintenance/deleted-spaces.js';
import { startRetention } from './maintenance/retention.js';
import { openStore, storeName } from './open-store.js';
import { compareClock, logCorrections } from './operator/clock-corrections.js';
import { Metrics } from './operator/metrics.js';
import { addOperatorRoutes } from './operator/routes.js';
import { Connections, closeServer, refuseWhileClosing } from './operator/shutdown.js';
import { guardCommits } from './store/bounded-commits.js';
import { createIds, type Ids } from './store/ids.js';
import { createIdsByDevice } from './store/ids-by-device.js';
import type { MemoryTables } from './store/memory/tables.js';
import type { NamedKey } from './store/secrets/key.js';
import { type Id, type ListedMessage, type Station, type Store, StoreUnavailable } from './store/store.js';
import { openUdpPorts } from './udp-ports.js';
import { addWebConsole, type WebConsole } from './web/index.js';
import { isOpenSession, SESSION } from './web/session.js';

export interface ServiceOptions {
  /** Path of an SQLite file, `postgres://…`, or `memory`. */
  readonly db: string;
  /** Key with which the database encrypts secrets. Default: for SQLite, the key in the file beside the database. */
  readonly secretsKey?: NamedKey | undefined;
  /** Address to bind, for the API and for UDP. */
  readonly host: string;
  /** Port of the API; 0 takes a free port. */
  readonly port: number;
  /** UDP port for base64 datagrams; null: none, 0: a free port. */
  readonly udpPort: number | null;
  /** UDP port for raw datagrams; null: none, 0: a free port. */
  readonly udpRawPort: number | null;
  /** UDP port for devices with DTLS. Default: none. */
  readonly udpDtlsPort?: number | null;
  /** Name of the space; created if it does not exist. Default: the space of `apiKey`, or the oldest space, or a new `fleet`. */
  readonly space?: string | undefined;
  /** API key to accept. Default: a new key, created on the first start. */
  readonly apiKey?: string | undefined;
  readonly clock: EdgeClock;
  /** For ids and keys: cryptographic in a real service, seeded in a simulation. */
  readonly random: Random;
  readonly trace: Trace;
  readonly log: Log;
  readonly apiOptions?: Partial<ApiOptions>;
  /** How long messages are kept. Default: without limit. */
  readonly retainMessages?: Millis | undefined;
  /** How long an undelivered downlink stays pending. Default: 30 days. */
  readonly expireDownlinks?: Millis | undefined;
  /** Allows connectors to send to private and loopback addresses. Default: false. */
  readonly allowPrivateTargets?: boolean;
  /** Hosts with public addresses to which connectors may send. Default: all. */
  readonly connectorHosts?: readonly string[] | undefined;
  /** Cost of a password hash. Default: the cost in src/cloud/accounts/passwords.ts. */
  readonly passwordCost?: PasswordCost;
  /** A user who becomes an admin of the space on every start. */
  readonly admin?: { readonly email: string; readonly password: string } | undefined;
  /** Adds what a public service has: health, metrics, audit log, limit of commits, replay protection. Not in simulations. */
  readonly operated?: boolean;
  /** Records the datagrams of the UDP ports. Default: nothing is recorded. */
  readonly recorder?: DatagramRecorder;
  /** Left out for a service that is not part of a run. */
  readonly embedded?: Embedding;
  /** Folder with the built web console, which is served at `/`. The folder may be missing. Default: without a console. */
  readonly webConsole?: string | undefined;
}

/** What only a run gives to its service: a simulation of time, faults, and ids that do not depend on the order of the calls. */
interface Embedding {
  /** Tables of the store `memory`, for a service that restarts on its earlier data. Default: empty tables. */
  readonly memory?: MemoryTables | undefined;
  /** The history so far, for a service that restarts. Default: none. */
  readonly history?: History | undefined;
  /** Whether no other service uses the database: PostgreSQL is then called when other stores are. Default: false. */
  readonly alone?: boolean | undefined;
  /** Whether ids depend only on device, time and `random`, as in simulations. Default: they are in the order of the calls. */
  readonly idsByDevice?: boolean | undefined;
  /** Source of API keys and tokens. Default: `random`. A simulation that others can reach needs a cryptographic source. */
  readonly secrets?: Random | undefined;
  /** Makes simulated time wait for datagrams on real sockets; omitted in real time. */
  readonly wires?: Wires | undefined;
  /**
   * Pause between two batches of messages that are deleted, or of downlinks that expire. Default: 50 ms. In virtual time it has
   * to be 0: otherwise the times of these events, and with them the digest, would depend on the number of threads.
   */
  readonly batchPause?: Millis | undefined;
  /** Called immediately before the service binds a port: its keeper gives it back. */
  readonly binding?: ((kind: 'tcp' | 'udp', port: number) => void) | undefined;
  /** Hooks for the faults of a scenario. */
  readonly interference?: Interference | undefined;
  /** Called before a message that has arrived over FLAP is acknowledged, with the serial number of its device. */
  readonly acknowledged?: ((serial: number) => void) | undefined;
  /** Whether the next data of this device are compared with earlier ones; `cloud.stored` then has `again`. Default: never. */
  readonly mayRepeat?: ((serial: number) => boolean) | undefined;
}

/** Maximum number of commits that may wait before further ones are rejected with 503. */
const WAITING_COMMITS = 20_000;

/** A downlink, and what has happened to it. */
export interface Course {
  readonly message: ListedMessage;
  readonly timeline: readonly Station[];
}

/** Maximum number of entries of a timeline: it keeps the first and the latest of those that repeat. */
const LONGEST_TIMELINE = 50;

export interface Service {
  /** Address of the API, such as `http://127.0.0.1:8080`. */
  readonly api: string;
  /** Port for base64 datagrams; null if none is open. */
  readonly udp: number | null;
  /** Port for raw datagrams; null if none is open. */
  readonly udpRaw: number | null;
  /** Port for devices with DTLS; null if none is open. */
  readonly udpDtls: number | null;
  /** Opens a gateway in memory for devices with DTLS; `send` passes a datagram to a device. Closed with the service. */
  readonly openDtls: (send: Send) => DtlsGateway;
  readonly spaceId: string;
  /** The API key if it was given or has just been created; a stored key cannot be read back. */
  readonly apiKey: string | undefined;
  /** File beside the database with the key of its secrets; undefined if the key was given, or the store is in memory. */
  readonly keyFile: string | undefined;
  readonly gateway: FlapGateway;
  /** The metrics of `/metrics`; none unless the service is `operated`. */
  readMetrics(): ReturnType<Metrics['read']>;
  /** A downlink with its timeline; undefined if the store no longer has it. @param serial serial number of its device */
  courseOf(serial: number, id: Id): Promise<Course | undefined>;
  /** The name of a device that has sent a datagram lately; undefined for others. */
  nameOf(serial: number): string | undefined;
  /** The address of the web console with a one-time token, which is valid for a few minutes; undefined without a console. */
  consoleLink(): string | undefined;
  /** Whether a cookie belongs to an open session of the console from a one-time token. No fault affects the answer. */
  hasSession(secret: string): Promise<boolean>;
  /** Registers a device in the space of the service without a request over HTTP. @throws ApiFault as the API answers */
  registerDevice(device: unknown): ReturnType<RegisterDevice>;
  /** Creates another space with a key; if a space with that name exists, returns it without a key. */
  openSpace(name: string): Promise<Bootstrapped>;
  /**
   * Closes the UDP ports at once, ends all HTTP connections, and then closes the port of the API, as a crash would. Resolves when
   * the clients have noticed, in the turn of the event loop in which the port is closed.
   */
  hangUp(): Promise<void>;
  /** Finishes running requests and delivery attempts, for a few seconds at most, then closes ports and store. */
  close(): Promise<void>;
}

/** Time for running requests and delivery attempts together when the service ends: Docker kills it after 10 s. */
const CLOSING_LIMIT: Millis = seconds(6);

/** Starts the service. @throws UsageError if a port is in use or the database cannot be used */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { db, secretsKey, embedded = {} } = options;
  const { memory, alone, interference, wires, binding } = embedded;
  const opened = await openStore(db, { memory, secretsKey, alone });
  const store = interference?.store(opened) ?? opened;
  const closers: Closers = [() => store.close()];
  // In reverse order of opening: ports first, the store last.
  const close = async () => {
    await within({ clock: new RealClock(), limit: CLOSING_LIMIT, what: 'the end of the service' }, async (late) => {
      for (const closer of closers.splice(0).reverse()) await closer(late);
    });
  };
  opened.soundness?.listen((what) => {
    options.log.error(
      { damage: what },
      'the database is damaged: the service stores nothing more, see `ghostfleet doctor`',
    );
  });
  try {
    await compareClock(store, options.clock, options.log);
    const parts = buildParts(options, { store, opened }, closers);
    await parts.feed.open();
    const random = options.random.fork('dtls');
    const ports = await openUdpPorts({ ...options, ...parts, wires, random, binding }, closers);
    const { udp, udpRaw, udpDtls, openDtls } = ports;
    if (udpDtls !== null) parts.metrics?.watchDtls(ports.dtlsGateway);
    const listened = await listenApi(options, parts, [udp, udpRaw, udpDtls], closers);
    const { address, connections, webConsole, registerDevice } = listened;
    const { spaceId, apiKey } = await prepareSpace(options, parts).catch((error: unknown) => {
      throw withoutSpace(options.db, error);
    });
    parts.progress.isPrepared = true;
    const { ids, gateway, core } = parts;
    const { clock } = options;
    const { secrets = options.random } = embedded;
    return {
      api: address,
      udp,
      udpRaw,
      udpDtls,
      openDtls,
      spaceId,
      apiKey,
      keyFile: opened.keyFile,
      gateway,
      readMetrics: async () => (await parts.metrics?.read()) ?? [],
      courseOf: (serial, id) => findCourse(store, serial, id),
      nameOf: (serial) => core.getFreshSession(serial)?.device.name,
      consoleLink: () => webConsole && `${address}${webConsole.link(spaceId)}`,
      hasSession: (secret) => isOpenSession({ store: opened, clock: options.clock }, secret),
      registerDevice: (device) => registerDevice(spaceId, device),
      openSpace: (spaceName) =>
        ensureSpaceAndKey(store, { spaceName, ids, clock, random: secrets.fork(`keys/${spaceName}`) }),
      hangUp: async () => {
        await ports.close();
        await connections.end();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function findCourse(store: Store, serial: number, id: Id): Promise<Course | undefined> {
  const device = await store.deviceBySerial(serial);
  const message = device && (await store.message(device.spaceId, id));
  return message && { message, timeline: await store.timeline(id, { limit: LONGEST_TIMELINE }) };
}

/** The error of a start that cannot store its space or key: a damaged database can be read, so it fails only here. */
function withoutSpace(db: string, error: unknown): unknown {
  if (!(error instanceof StoreUnavailable)) return error;
  const hint =
    error.code === 'store-damaged'
      ? `\`${shownCommand(['ghostfleet', 'doctor', storeName(db)])}\` says what is lost and what can be saved`
      : undefined;
  return new UsageError('bad-database', error.explained, hint);
}

/** Each ends a part of the service. `late` is aborted when the time is over: then nothing waits for others any longer. */
type Closers = ((late: AbortSignal) => Promise<void>)[];

interface Stores {
  readonly store: Store;
  /** The same store without the faults of a scenario. */
  readonly opened: Store;
}

interface Parts {
  readonly store: Store;
  readonly ids: Ids;
  readonly trace: Trace;
  readonly metrics: Metrics | undefined;
  readonly connectors: Connectors;
  readonly core: CloudCore;
  readonly gateway: FlapGateway;
  readonly feed: Feed;
  readonly history: History | undefined;
  /** Progress of the start. */
  readonly progress: { isPrepared: boolean };
}

/** Builds everything behind the ports. */
function buildParts(options: ServiceOptions, { store, opened }: Stores, closers: Closers): Parts {
  const { clock, log, random, retainMessages: keep, expireDownlinks: expiry, embedded = {} } = options;
  const { batchPause, idsByDevice, mayRepeat, acknowledged } = embedded;
  const pause = batchPause === undefined ? {} : { batchPause };
  const metrics = options.operated ? new Metrics(clock) : undefined;
  const trace = metrics?.listening(options.trace) ?? options.trace;
  if (metrics) {
    const onCommit = (took: Millis) => metrics.commit(took);
    metrics.watchStore(store, guardCommits(store, { clock, limit: WAITING_COMMITS, onCommit }));
    metrics.watchProcess();
  }
  const ids = idsByDevice
    ? createIdsByDevice(clock, random.fork('ids'))
    : createIds(clock, random.fork('ids'), logCorrections(log));
  const feed = new Feed({ store, clock, ids });
  const connectors = new Connectors({
    store,
    clock,
    ids,
    log,
    random: random.fork('connectors'),
    allowPrivate: options.allowPrivateTargets ?? false,
    hosts: options.connectorHosts,
  });
  closers.push((late) => connectors.close(late));
  connectors.wake();
  // A simulation without a console needs no history, which costs alarms.
  const isWatched = options.operated || options.webConsole !== undefined;
  const history = isWatched ? (embedded.history ?? new History()) : undefined;
  if (history) closers.push(keepHistory(history, { store: opened, clock }));
  const core = new CloudCore({
    store,
    clock,
    ids,
    trace,
    log,
    forwarding: connectors,
    expiry,
    history,
    ...pause,
    earlierCopy: mayRepeat && earlierCopyIn(opened, mayRepeat),
  });
  closers.push(() => core.close());
  closers.push(startClearing({ store, clock, log, ...pause }));
  if (keep !== undefined) closers.push(startRetention({ store, clock, log, trace, keep, ...pause }));
  const gateway = new FlapGateway({ core, clock, trace, log, acknowledged });
  closers.push(() => gateway.idle());
  return { store, ids, trace, metrics, connectors, core, gateway, feed, history, progress: { isPrepared: false } };
}

/** @param store the store without the faults of a scenario, because this search is not part of the service */
function earlierCopyIn(store: Store, mayRepeat: (serial: number) => boolean): EarlierCopy {
  return (device, fingerprint) => {
    if (!mayRepeat(device.serial)) return undefined;
    // If the search fails because the service has just ended, the commit of the message fails, too.
    return store.copyOf(device.id, fingerprint, 0).catch(() => undefined);
  };
}

/** Serves the API, the device ingress and, for an operated service, health and metrics on the HTTP port. */
async function listenApi(
  options: ServiceOptions,
  { store, ids, trace, metrics, connectors, core, gateway, feed, history, progress }: Parts,
  udpPorts: readonly (number | null)[],
  closers: Closers,
): Promise<{
  readonly address: string;
  readonly connections: Connections;
  readonly webConsole: WebConsole | undefined;
  readonly registerDevice: RegisterDevice;
}> {
  const { clock, log, random, host, port, apiOptions = {}, passwordCost, embedded = {} } = options;
  const { secrets = random, interference, binding } = embedded;
  const ingress = new HttpGateway({ core, clock, trace });
  const context: CloudContext = {
    store,
    clock,
    ids,
    random: secrets.fork('secrets'),
    connectors,
    log,
    feed,
    history,
    downlinks: core,
    firmware: core.firmware,
    audited: metrics !== undefined,
    isPrepared: () => progress.isPrepared,
    passwordCost,
  };
  const api = createApi(context, apiOptions, [ingress.routes]);
  refuseWhileClosing(api);
  if (interference) interfereWithApi(api, interference);
  if (metrics) {
    metrics.watchGateway(
      gateway.counters,
      udpPorts.filter((port) => port !== null),
    );
    addOperatorRoutes(api, { store, clock, log, metrics, isPrepared: () => progress.isPrepared, id: ids.uuid() });
  }
  const webConsole =
    options.webConsole === undefined
      ? undefined
      : addWebConsole(api, options.webConsole, {
          store,
          clock,
          ids,
          random: secrets.fork('web console'),
          ...(metrics && { audit: new AuditLog({ store, clock, ids, log }) }),
          // In a run, sessions do not expire, because the time of a run may pass faster than real time.
          lifetime: options.operated ? SESSION : null,
          publicUrl: apiOptions.publicUrl ?? null,
        });
  const connections = new Connections(api.server);
  closers.push((late) => closeServer(api, connections, late));
  await api.ready();
  binding?.('tcp', port);
  const address = await api.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw portRefused(`port ${port}`, host, error);
  });
  const { strictNames = false } = apiOptions;
  return { address, connections, webConsole, registerDevice: deviceRegistration(context, { strictNames }) };
}

/** Creates space, key and admin if missing, after the ports are bound. Of several services, one creates the space. */
async function prepareSpace(
  options: ServiceOptions,
  { store, ids }: Parts,
): Promise<Pick<Service, 'spaceId' | 'apiKey'>> {
  const { clock, log, random, space: spaceName, apiKey: given, admin, passwordCost, embedded = {} } = options;
  const { secrets = random } = embedded;
  const prepare = async () => {
    const keys = { spaceName, apiKey: given, ids, clock, random: secrets.fork('keys'), log };
    const { spaceId, apiKey } = await ensureSpaceAndKey(store, keys);
    if (admin) {
      const members = new Members({ store, clock, ids, random: secrets.fork('accounts'), passwordCost });
      const replaces = await members.ensureAdmin(spaceId, admin.email, admin.password);
      const ended = 'the given password replaces the earlier one of the admin, whose logins have ended';
      if (replaces) log.warn({ admin: admin.email }, ended);
    }
    return { spaceId, apiKey };
  };
  return store.nodes ? store.nodes.inTurn('first things', prepare) : prepare();
}
