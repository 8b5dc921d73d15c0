/**
 * The gateway for devices with DTLS (wire W-11). Each connection belongs to the device whose key was used in the handshake. The
 * records of a connection contain packets without an envelope, so a packet cannot name another device.
 *
 * The key is the `secret` of a device. Packets of a deleted device are rejected. If the device was deleted or its secret
 * replaced, the first record that arrives {@link RECHECK} or more after the last check ends the connection.
 */

import type { EdgeClock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Random } from '../../kernel/random.js';
import { type Instant, minutes } from '../../kernel/time.js';
import type { Ending, Rejection } from '../../protocol/dtls/connection.js';
import { serialIn } from '../../protocol/dtls/identity.js';
import { DtlsServer, type SessionId } from '../../protocol/dtls/server.js';
import type { Answer } from '../../protocol/dtls/server-connection.js';
import type { Id, Store } from '../store/store.js';
import type { FlapGateway } from './flap-gateway.js';

/** The secret of a connection is read again after this time. */
const RECHECK = minutes(1);
/** At most one failed handshake is logged in this time, with the number of all failures so far. */
const LOG_EVERY = minutes(1);

interface DtlsGatewayOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly random: Random;
  readonly log: Log;
  readonly packets: Pick<FlapGateway, 'receivePlain'>;
  readonly agreed?: DtlsAgreed | undefined;
}

/** Called with the keys of each connection, for a capture. */
export type DtlsAgreed = (identity: string, address: string, clientRandom: Uint8Array, master: Uint8Array) => void;

/** Counters of a gateway since its start. */
interface DtlsCounters {
  /**
   * Handshakes by outcome. `completed`: a connection was opened. All other outcomes are failures. `closed`: one end closed the
   * connection. `replaced`: another handshake took its place. `timeout`: it took too long. `alert`: one end reported an error.
   */
  readonly handshakes: Record<'completed' | Ending['kind'], number>;
  /** Dropped records by reason. */
  readonly rejected: Record<Rejection, number>;
}

/** Sends a datagram. @param address in the same form as for {@link DtlsGateway.receive} */
export type Send = (datagram: Uint8Array, address: string) => void;

/** The key of a device as it was read. */
interface DeviceKey {
  readonly serial: number;
  readonly deviceId: Id;
  readonly spaceId: Id;
  /** Hex digits. */
  readonly secret: string;
}

interface Connected extends DeviceKey {
  checkedAt: Instant;
}

export class DtlsGateway {
  readonly #options: DtlsGatewayOptions;
  readonly #server: DtlsServer;
  /** Reads in progress by serial number: handshakes with the same one share a read. */
  readonly #reading = new Map<number, Promise<DeviceKey | undefined>>();
  /** Keys of unfinished handshakes. */
  readonly #claimed = new Map<SessionId, DeviceKey>();
  readonly #connected = new Map<SessionId, Connected>();
  readonly counters: DtlsCounters = {
    handshakes: { completed: 0, closed: 0, replaced: 0, timeout: 0, alert: 0 },
    rejected: { replayed: 0, 'not-authentic': 0, 'unknown-connection': 0 },
  };
  readonly #failures = { count: 0, loggedAt: undefined as Instant | undefined };

  constructor(options: DtlsGatewayOptions, send: Send) {
    this.#options = options;
    const { clock, random, agreed } = options;
    this.#server = new DtlsServer({
      clock,
      random,
      events: {
        send,
        ...(agreed && { agreed }),
        keyOf: (session, identity, answer) => this.#answerWithKey(session, identity, answer),
        opened: (session) => this.#opened(session),
        received: (session, plain, address) => this.#received(session, plain, address),
        closed: (session) => this.#connected.delete(session),
        rejected: (why) => void this.counters.rejected[why]++,
        failed: (session, identity, address, ending) => {
          if (session !== undefined) this.#claimed.delete(session);
          this.counters.handshakes[ending.kind]++;
          this.#logFailure(identity, address, ending);
        },
      },
    });
  }

  /** Number of unfinished handshakes, and of open connections. */
  get size(): { readonly handshakes: number; readonly sessions: number } {
    return this.#server.size;
  }

  receive(datagram: Uint8Array, address: string): void {
    this.#server.receive(datagram, address);
  }

  /** Ends all connections; devices are notified. */
  close(): void {
    this.#server.closeAll();
  }

  #answerWithKey(session: SessionId, identity: string, answer: Answer): void {
    this.#inBackground(async () => {
      const key = await this.#keyOf(identity).catch(() => undefined);
      if (key) this.#claimed.set(session, key);
      // The handshake may have ended meanwhile.
      if (!answer(key && Buffer.from(key.secret, 'hex'))) this.#claimed.delete(session);
    });
  }

  #opened(session: SessionId): void {
    this.counters.handshakes.completed++;
    const key = this.#claimed.get(session);
    this.#claimed.delete(session);
    if (key) this.#connected.set(session, { ...key, checkedAt: this.#options.clock.now });
  }

  #received(session: SessionId, plain: Uint8Array, address: string): void {
    const connected = this.#connected.get(session);
    if (connected === undefined) return;
    const { clock, packets } = this.#options;
    const reply = (answer: Uint8Array) => this.#server.send(session, answer, address);
    packets.receivePlain(plain, connected, reply);
    if (clock.now - connected.checkedAt < RECHECK) return;
    connected.checkedAt = clock.now;
    this.#inBackground(async () => {
      const secret = await this.#secretOf(connected);
      if (secret !== connected.secret) this.#server.close(session);
    });
  }

  #logFailure(identity: string, address: string, ending: Ending): void {
    const failures = this.#failures;
    failures.count++;
    const { clock, log } = this.#options;
    if (failures.loggedAt !== undefined && clock.now - failures.loggedAt < LOG_EVERY) return;
    failures.loggedAt = clock.now;
    const why = ending.kind === 'alert' ? ending.name : ending.kind;
    const claimed = identity.slice(0, LONGEST_IDENTITY);
    log.warn({ security: 'dtls', identity: claimed, from: address, why, failed: failures.count }, 'a handshake failed');
  }

  #keyOf(identity: string): Promise<DeviceKey | undefined> {
    const serial = serialIn(identity);
    if (serial === undefined) return Promise.resolve(undefined);
    const reading = this.#reading.get(serial) ?? this.#read(serial).finally(() => this.#reading.delete(serial));
    this.#reading.set(serial, reading);
    return reading;
  }

  async #read(serial: number): Promise<DeviceKey | undefined> {
    const device = await this.#options.store.deviceBySerial(serial);
    if (!device) return undefined;
    const key = { serial, deviceId: device.id, spaceId: device.spaceId };
    const secret = await this.#secretOf(key);
    return secret === undefined ? undefined : { ...key, secret };
  }

  async #secretOf({ deviceId, spaceId }: Pick<DeviceKey, 'deviceId' | 'spaceId'>): Promise<string | undefined> {
    const record = await this.#options.store.record('secret', spaceId, deviceId);
    const { secret } = (record?.body ?? {}) as { readonly secret?: unknown };
    return typeof secret === 'string' ? secret : undefined;
  }

  /** Runs `work` while simulated time stands still. If the store fails: no key for a handshake, no check of a connection. */
  #inBackground(work: () => Promise<void>): void {
    const release = this.#options.clock.hold('the key of a device');
    work()
      .catch((error: unknown) =>
        this.#options.log.error({ error: messageOf(error) }, 'failed to read the key of a device'),
      )
      .finally(release);
  }
}

/** Maximum number of characters of a client's identity in the log. */
const LONGEST_IDENTITY = 40;
