/** The Device Cloud Service for programs and tests: `startService({ db: 'memory' })`. */
import { type Service as FullService, startService as startFull } from '../cloud/service.js';
import { entropy } from '../kernel/entropy.js';
import type { Log } from '../kernel/log.js';
import { RealClock } from '../kernel/real-clock.js';
import type { Millis } from '../kernel/time.js';

/** Options of {@link startService}; the command line has the same ones (`ghostfleet serve --help`). */
export interface ServiceOptions {
  /** Path of an SQLite file, `postgres://…`, or `memory`. Default `memory`. */
  readonly db?: string;
  /** Address to listen on, for the API and for UDP. Default `127.0.0.1`. */
  readonly host?: string;
  /** Port of the API. Default 0, which takes a free one. */
  readonly port?: number;
  /** Port for base64 datagrams; null opens none. Default 0, which takes a free one. */
  readonly udpPort?: number | null;
  /** Port for raw datagrams; null opens none. Default null. */
  readonly udpRawPort?: number | null;
  /** Name of the space, which the first start creates. Default: the oldest space of the database. */
  readonly space?: string;
  /** API key to accept. Default: the first start creates one. */
  readonly apiKey?: string;
  /** Deletes messages after this time, in milliseconds; at least 2 days. Default: messages are kept. */
  readonly retainMessages?: Millis;
  /** Expires a downlink that was not delivered within this time, in milliseconds. Default: 30 days. */
  readonly expireDownlinks?: Millis;
  /** Lets connectors send to private and loopback addresses. Default false. */
  readonly allowPrivateTargets?: boolean;
  /** A user who is made an admin of the space on every start. */
  readonly admin?: { readonly email: string; readonly password: string };
  /** Receives log lines. Default: nothing is logged. */
  readonly log?: Log;
}

/** A running service. */
export interface Service {
  /** Base URL of the API without `/v2`, such as `http://127.0.0.1:8080`. */
  readonly api: string;
  /** Port for base64 datagrams; null if none is open. */
  readonly udp: number | null;
  /** Port for raw datagrams; null if none is open. */
  readonly udpRaw: number | null;
  /** Id of the space. */
  readonly spaceId: string;
  /** The API key if it was given or has just been created; undefined on later starts, because only its hash is stored. */
  readonly apiKey: string | undefined;
  /** Finishes open requests, then closes ports and database. */
  close(): Promise<void>;
}

/**
 * Starts the Device Cloud Service in this process, in real time.
 * @throws UsageError if a port is in use or the database cannot be used
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const service: FullService = await startFull({
    ...{
      db: 'memory',
      host: '127.0.0.1',
      port: 0,
      udpPort: 0,
      udpRawPort: null,
      log: { info: () => {}, warn: () => {}, error: () => {} },
    },
    ...options,
    clock: new RealClock(),
    random: entropy,
    trace: { emit: () => {} },
    operated: true,
  });
  const { api, udp, udpRaw, spaceId, apiKey } = service;
  return { api, udp, udpRaw, spaceId, apiKey, close: () => service.close() };
}
