/** The Device Cloud Service for programs and tests: `await using service = await startService()`. */

import { DeviceCloudClient } from '../client/client.js';
import { LOCAL_HOSTS } from '../cloud/http/host-guard.js';
import { type Service as FullService, startService as startFull } from '../cloud/service.js';
import { keyFrom } from '../cloud/store/secrets/key.js';
import { record, text } from '../input/checks.js';
import type { EdgeClock } from '../kernel/clock.js';
import { entropy } from '../kernel/entropy.js';
import { UsageError } from '../kernel/errors.js';
import { type Log, SILENT } from '../kernel/log.js';
import { seededRandom } from '../kernel/random.js';
import { RealClock } from '../kernel/real-clock.js';
import { endOfTurn } from '../kernel/real-timers.js';
import { needDifferentPorts } from '../kernel/same-port.js';
import type { Millis } from '../kernel/time.js';
import { chooseByFormat, makeDtlsInMemory } from '../runner/targets/dtls-wire.js';
import { memoryTransport } from '../transport/memory.js';
import { ownSockets } from '../transport/own-sockets.js';
import type { Transport } from '../transport/transport.js';
import { udpTransport } from '../transport/udp.js';
import { mark, rejectOtherCopy } from './copies.js';
import {
  CHECKED_ELSEWHERE,
  checkOptions,
  LOG,
  MILLIS,
  type OptionChecks,
  orNull,
  PATH,
  PORT,
  plain,
  TEXT,
  TEXTS,
  TRUE_OR_FALSE,
} from './options.js';
import { clockOf, settled, type VirtualTime } from './time.js';

/** Options of {@link startService}. The command `ghostfleet serve` has most of them, too. */
export interface ServiceOptions {
  /** Path of an SQLite file, `postgres://…`, or `memory`. Default `memory`. */
  readonly db?: string;
  /**
   * Key with which the database encrypts secrets: 64 hexadecimal digits. Default: for SQLite, the key in the file beside the
   * database (`<db>-key`), which the first start creates. PostgreSQL needs a key, the same for all services.
   */
  readonly secretsKey?: string;
  /** Address to listen on, for the API and for UDP. Default `127.0.0.1`. */
  readonly host?: string;
  /** Port of the API. Default 0: any free port. */
  readonly port?: number;
  /** Port for base64 datagrams; null opens none. Default 0: any free port. */
  readonly udpPort?: number | null;
  /** Port for raw datagrams; null opens none. Default 0: any free port. */
  readonly udpRawPort?: number | null;
  /** Port for devices with DTLS, for tests; null opens none. Default null. */
  readonly udpDtlsPort?: number | null;
  /** Name of the space, which the first start creates. Default: the oldest space of the database. */
  readonly space?: string;
  /** API key to accept. Default: the first start creates one. */
  readonly apiKey?: string;
  /** Deletes messages after this time, in milliseconds; at least 2 days. Default: messages are kept. */
  readonly retainMessages?: Millis;
  /** Expires a downlink that was not delivered within this time, in milliseconds. Default: 30 days. */
  readonly expireDownlinks?: Millis;
  /**
   * Further host names, without a port, under which the API accepts requests, as in `serve --allowed-host`. By default, it
   * accepts only `localhost`, `host` and IP addresses: a web page whose host name resolves to the service is rejected (DNS
   * rebinding).
   */
  readonly allowedHosts?: readonly string[];
  /** Lets connectors send to private and loopback addresses. Default false. */
  readonly allowPrivateTargets?: boolean;
  /** A user who is made an admin of the space on every start. */
  readonly admin?: { readonly email: string; readonly password: string };
  /** Folder with the built web console, such as `dist/web`, to serve at `/`. Default: without a console. */
  readonly webConsole?: string;
  /** Virtual time for the service and its devices, from `virtualTime()`. Default: real time. */
  readonly time?: VirtualTime;
  /** Receives log lines. Default: nothing is logged. */
  readonly log?: Log;
}

/** A running service. */
export interface Service extends AsyncDisposable {
  /** Base URL of the API without `/v2`, such as `http://127.0.0.1:8080`. */
  readonly api: string;
  /** Port for base64 datagrams; null if none is open. */
  readonly udp: number | null;
  /** Port for raw datagrams; null if none is open. */
  readonly udpRaw: number | null;
  /** Port for devices with DTLS; null if none is open. */
  readonly udpDtls: number | null;
  /** Id of the space. */
  readonly spaceId: string;
  /**
   * The API key if it was given or has just been created. Undefined on later starts, because the database keeps only its hash.
   */
  readonly apiKey: string | undefined;
  /**
   * A client of the space, which the service closes.
   * @throws UsageError `no-api-key` on a later start without the option `apiKey`
   */
  readonly client: DeviceCloudClient;
  /** The virtual time of the service; undefined for a service in real time. */
  readonly time: VirtualTime | undefined;
  /**
   * Switches its devices off for good, finishes open requests, then closes ports and database. A second call waits for the
   * first.
   */
  close(): Promise<void>;
}

/** The parts of a service that only its devices use. */
export interface ServiceInside {
  readonly clock: EdgeClock;
  readonly virtual: boolean;
  /** The client of the service itself. @throws UsageError `no-api-key` */
  client(): DeviceCloudClient;
  /** Carries the datagrams of the devices to the service. The first device opens it, the service closes it. */
  transport(): Promise<Transport>;
  /** The service calls `powerOff` of these devices when it closes. */
  readonly devices: Set<{ powerOff(): void }>;
  /** @throws UsageError `service-closed`, from the call of `close` on */
  checkOpen(): void;
}

const insides = new WeakMap<object, ServiceInside>();

/** Undefined if `service` was not started by {@link startService}. */
export function insideOf(service: object): ServiceInside | undefined {
  return insides.get(service);
}

const SERVICE_OPTIONS: OptionChecks<ServiceOptions> = {
  db: PATH,
  host: TEXT,
  port: PORT,
  udpPort: orNull(PORT),
  udpRawPort: orNull(PORT),
  udpDtlsPort: orNull(PORT),
  space: TEXT,
  apiKey: TEXT,
  secretsKey: TEXT,
  retainMessages: MILLIS,
  expireDownlinks: MILLIS,
  allowedHosts: TEXTS,
  allowPrivateTargets: TRUE_OR_FALSE,
  admin: plain(record('admin', { email: text(), password: text() })),
  webConsole: PATH,
  // `clockOf` checks it, with a message of its own.
  time: CHECKED_ELSEWHERE,
  log: LOG,
};

/**
 * Starts the Device Cloud Service in this process: by default in real time, in memory, on free ports of 127.0.0.1.
 * @throws InputError with all unknown and invalid options
 * @throws UsageError when a port is taken or named twice, the database cannot be used, or its key is wrong or missing
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const given = checkOptions<ServiceOptions>('startService', options, SERVICE_OPTIONS);
  needDifferentPorts([
    { option: 'udpPort', port: given.udpPort },
    { option: 'udpRawPort', port: given.udpRawPort },
    { option: 'udpDtlsPort', port: given.udpDtlsPort },
  ]);
  const { time, secretsKey, allowedHosts = [], host = '127.0.0.1', ...rest } = given;
  const clock = time === undefined ? new RealClock({ followsSystem: true }) : clockOf(time);
  const service: FullService = await startFull({
    db: 'memory',
    host,
    port: 0,
    // In virtual time, devices reach the service in memory. Datagrams from the network would arrive while the time stands still.
    udpPort: time === undefined ? 0 : null,
    udpRawPort: time === undefined ? 0 : null,
    log: SILENT,
    ...rest,
    apiOptions: { hosts: [...LOCAL_HOSTS, host, ...allowedHosts].map((name) => name.toLowerCase()) },
    secretsKey: secretsKey === undefined ? undefined : keyFrom(secretsKey, 'the option secretsKey'),
    clock,
    random: time === undefined ? entropy : seededRandom(time.seed),
    trace: { emit: () => {} },
    // In virtual time the service measures neither its process nor its commits.
    operated: time === undefined,
  });
  return new RunningService(service, clock, time, host);
}

class RunningService implements Service {
  readonly api: string;
  readonly udp: number | null;
  readonly udpRaw: number | null;
  readonly udpDtls: number | null;
  readonly spaceId: string;
  readonly apiKey: string | undefined;
  readonly time: VirtualTime | undefined;
  readonly #service: FullService;
  #client: DeviceCloudClient | undefined;
  #transport: Promise<Transport> | undefined;
  #closing: Promise<void> | undefined;
  readonly #devices = new Set<{ powerOff(): void }>();

  constructor(service: FullService, clock: EdgeClock, time: VirtualTime | undefined, host: string) {
    this.#service = service;
    this.api = service.api;
    this.udp = service.udp;
    this.udpRaw = service.udpRaw;
    this.udpDtls = service.udpDtls;
    this.spaceId = service.spaceId;
    this.apiKey = service.apiKey;
    this.time = time;
    const transport = async () => {
      this.#transport ??= this.#connect(host);
      return this.#transport;
    };
    const checkOpen = () => {
      if (this.#closing) throw new UsageError('service-closed', 'the service is closed');
    };
    const devices = this.#devices;
    mark(this);
    insides.set(this, { clock, virtual: time !== undefined, transport, devices, checkOpen, client: () => this.client });
  }

  get client(): DeviceCloudClient {
    this.#client ??= clientOf(this);
    return this.#client;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    // In real time, a pending alarm would keep the process running.
    for (const device of this.#devices) device.powerOff();
    await this.#client?.close();
    // What could not be opened was reported to its caller.
    await (await this.#transport?.catch(() => undefined))?.close();
    const closed = this.#service.close();
    await (this.time === undefined ? closed : settled(this.time, closed));
    // Node forgets closed ports at the end of a turn. Without turns, services that are opened and closed in a row would pile
    // up.
    await endOfTurn();
    await endOfTurn();
  }

  async #connect(host: string): Promise<Transport> {
    const { gateway } = this.#service;
    if (this.time) {
      const inMemory = memoryTransport((datagram, reply, format) => gateway.receive(datagram, format, reply));
      return chooseByFormat(inMemory, makeDtlsInMemory({ service: this.#service }));
    }
    return openUdp(host, this);
  }
}

/** Addresses and key with which a cloud is reached, in this process or elsewhere. */
export type ServiceAddress = Pick<Service, 'api' | 'spaceId' | 'apiKey' | 'udp'> &
  Partial<Pick<Service, 'udpRaw' | 'udpDtls'>>;

/** @throws UsageError `no-api-key` */
export function clientOf({
  api,
  spaceId,
  apiKey,
}: Omit<ServiceAddress, 'udp' | 'udpRaw' | 'udpDtls'>): DeviceCloudClient {
  if (apiKey !== undefined) return new DeviceCloudClient({ baseUrl: api, apiKey, spaceId });
  throw new UsageError('no-api-key', 'the database keeps only a hash of its API key: give the option "apiKey"');
}

/** @throws UsageError `no-udp` if the service has no port for base64 datagrams */
export async function openUdp(
  host: string,
  service: Pick<ServiceAddress, 'udp' | 'udpRaw' | 'udpDtls'>,
): Promise<Transport> {
  const { udp: base64, udpRaw: raw = null, udpDtls: dtls = null } = service;
  if (base64 === null) {
    if (insideOf(service) === undefined) rejectOtherCopy('service', service);
    throw new UsageError('no-udp', 'the service has no port for base64 datagrams: start it without "udpPort: null"');
  }
  const enveloped = await udpTransport({ host, ports: { base64, raw: raw ?? undefined } });
  if (dtls === null) return enveloped;
  return chooseByFormat(enveloped, await ownSockets({ host, port: dtls, clock: new RealClock() }));
}
