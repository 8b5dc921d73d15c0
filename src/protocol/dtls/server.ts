/**
 * The server for many clients (RFC 6347; connection IDs: RFC 9146). It has no I/O: datagrams and data pass through
 * {@link ServerEvents}; time and random numbers are parameters.
 *
 * The server keeps no state for an address until a cookie has proven that the address receives answers. The request for the
 * cookie is shorter than the hello. The numbers of handshakes and of connections are limited: at the limit, the oldest
 * handshake or the least recently used connection ends.
 */
import type { Clock } from '../../kernel/clock.js';
import { type Draws, randomBytes } from '../../kernel/random.js';
import { hours, type Instant, type Millis, seconds } from '../../kernel/time.js';
import { type AlertName, encodeAlert } from './alerts.js';
import { ByteReader } from './bytes.js';
import type { Ending, Rejection } from './connection.js';
import { Cookies } from './cookies.js';
import { LARGEST_DATAGRAM } from './flight.js';
import { encodeMessage, fragmentsIn, type HandshakeMessage, MESSAGE } from './handshake.js';
import { type ClientHello, helloVerifyRequest, readClientHello, SUITE } from './hello.js';
import { CONTENT, DTLS_1_0, DTLS_1_2, encodeRecord, NO_ID, recordsIn, type TlsRecord } from './record.js';
import { type Answer, ServerConnection } from './server-connection.js';

/** Length of the connection IDs (wire W-10). */
const ID_SIZE = 4;

/** Identifies a connection until it ends. */
export type SessionId = number;

interface ServerEvents {
  send(datagram: Uint8Array, address: string): void;
  /** Asks for the key of the identity that a client claims in its handshake. */
  keyOf(session: SessionId, identity: string, answer: Answer): void;
  /** The keys of a connection are known, and not yet proven by the client, for a capture. */
  agreed?(identity: string, address: string, clientRandom: Uint8Array, master: Uint8Array): void;
  /** A client has proven that it has the key of the identity. Its older connection, if any, has ended. */
  opened(session: SessionId, identity: string): void;
  /** A client has sent data from `address`, which may be new if the client uses a connection ID. */
  received(session: SessionId, plain: Uint8Array, address: string): void;
  /** An open connection has ended. */
  closed(session: SessionId, ending: Ending): void;
  /** A handshake has failed. `identity`: as claimed, or empty. `session`: undefined for a rejected hello. */
  failed(session: SessionId | undefined, identity: string, address: string, ending: Ending): void;
  /** A record was dropped. */
  rejected?(why: Rejection): void;
}

export interface ServerOptions {
  readonly clock: Clock;
  readonly random: Draws;
  readonly events: ServerEvents;
  /** Names the keys that clients should use. Default `hio-udp-server` (wire W-10). */
  readonly hint?: string;
  /** Time for a handshake. Default 30 s. */
  readonly timeout?: Millis;
  /** Time without data from the client after which a connection ends. Default 24 h (wire W-10). */
  readonly idle?: Millis;
  /** Maximum number of unfinished handshakes. Default 4,096. */
  readonly mostHandshakes?: number;
  /** Maximum number of open connections, of about 5 kB each. Default 50,000. */
  readonly mostSessions?: number;
  /** Size of the largest datagram of a handshake. Default 508. */
  readonly mtu?: number;
}

interface Peer {
  readonly session: SessionId;
  readonly connection: ServerConnection;
  /** Address from which its hello came. */
  readonly home: string;
  /** Address from which its newest record came; with a connection ID, it may differ from `home`. */
  address: string;
  /** Address from which the record that is being processed came. */
  from: string;
  lastAt: Instant;
}

const DEFAULTS = {
  hint: 'hio-udp-server',
  timeout: seconds(30),
  idle: hours(24),
  mostHandshakes: 4096,
  mostSessions: 50_000,
  mtu: LARGEST_DATAGRAM,
} as const;

export class DtlsServer {
  readonly #options: Required<ServerOptions>;
  readonly #cookies: Cookies;
  /** Handshakes and open connections by session, which is also the connection ID. Open ones: least recently used first. */
  readonly #handshakes = new Map<SessionId, Peer>();
  readonly #open = new Map<SessionId, Peer>();
  readonly #handshakeAt = new Map<string, Peer>();
  readonly #openAt = new Map<string, Peer>();
  readonly #byIdentity = new Map<string, Peer>();

  constructor(options: ServerOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#cookies = new Cookies(options.clock, options.random);
  }

  /** Number of unfinished handshakes, and of open connections. */
  get size(): { readonly handshakes: number; readonly sessions: number } {
    return { handshakes: this.#handshakes.size, sessions: this.#open.size };
  }

  /**
   * Processes a datagram. Of several hellos in it, only the first one is answered: no client sends more.
   * @param address of the sender, in a form that {@link ServerEvents.send} understands
   */
  receive(datagram: Uint8Array, address: string): void {
    this.#endIdle();
    let greeted = false;
    for (const record of recordsIn(datagram, ID_SIZE)) {
      const hello = record.epoch === 0 && record.type === CONTENT.handshake ? helloIn(record) : undefined;
      if (hello === undefined) this.#deliver(record, address);
      else if (!greeted) this.#hello(record, hello, address);
      greeted ||= hello !== undefined;
    }
  }

  /**
   * Encrypts data for a client.
   * @param address from which the client sent its last data
   * @returns false if the connection has ended
   */
  send(session: SessionId, plain: Uint8Array, address: string): boolean {
    const record = this.#open.get(session)?.connection.encrypt(plain);
    if (record) this.#options.events.send(record, address);
    return record !== undefined;
  }

  /** Ends a connection with close_notify. */
  close(session: SessionId): void {
    this.#open.get(session)?.connection.close();
  }

  /** Ends all handshakes and connections; sends close_notify on the open connections. */
  closeAll(): void {
    for (const { connection } of [...this.#handshakes.values()]) connection.end({ kind: 'closed', by: 'us' });
    for (const { connection } of [...this.#open.values()]) connection.close();
  }

  #hello(record: TlsRecord, message: HandshakeMessage, address: string): void {
    const hello = readClientHello(message.body);
    if (hello === undefined) return;
    if (!this.#cookies.isValid(hello, address)) return this.#requestCookie(record, message, hello, address);
    const begun = this.#handshakeAt.get(address);
    if (begun?.connection.beganWith(hello)) return begun.connection.helloRepeated();
    // A delayed copy of the hello that began the open connection is ignored.
    if (this.#openAt.get(address)?.connection.beganWith(hello)) return;
    const refusal = refusalOf(hello);
    if (refusal) return this.#refuse(record, refusal, address);
    begun?.connection.end({ kind: 'replaced' });
    this.#begin(record, message, hello, address);
  }

  /** Sends a cookie. Needs no state, because record and message repeat the sequence numbers of the hello (RFC 6347, 4.2.1). */
  #requestCookie(
    { sequence: number }: TlsRecord,
    { sequence }: HandshakeMessage,
    hello: ClientHello,
    address: string,
  ): void {
    const body = helloVerifyRequest(this.#cookies.make(hello, address));
    for (const message of encodeMessage({ type: MESSAGE.helloVerifyRequest, sequence, body })) {
      this.#plain(CONTENT.handshake, number, message, address);
    }
  }

  #refuse({ sequence }: TlsRecord, name: AlertName, address: string): void {
    this.#plain(CONTENT.alert, sequence, encodeAlert(name), address);
    this.#options.events.failed(undefined, '', address, { kind: 'alert', by: 'us', name });
  }

  #plain(type: number, sequence: number, body: Uint8Array, address: string): void {
    const record = { type, version: DTLS_1_2, epoch: 0, sequence, id: NO_ID, body };
    this.#options.events.send(encodeRecord(record), address);
  }

  #begin(record: TlsRecord, message: HandshakeMessage, hello: ClientHello, address: string): void {
    const { clock, random, events, hint, timeout, mtu, mostHandshakes } = this.#options;
    if (this.#handshakes.size >= mostHandshakes) this.#oldest(this.#handshakes)?.connection.end({ kind: 'replaced' });
    const { session, id } = this.#newSession();
    const connection = new ServerConnection({
      clock,
      random,
      hint,
      timeout,
      mtu,
      message,
      hello,
      id,
      first: { record: record.sequence, message: message.sequence + 1 },
      keyOf: (identity, answer) => events.keyOf(session, identity, answer),
      events: {
        send: (datagram) => events.send(datagram, peer.address),
        agreed: (...keys) => events.agreed?.(connection.identity, peer.address, ...keys),
        opened: () => this.#opened(peer),
        received: (plain, newest) => this.#received(peer, plain, newest),
        closed: (ending) => this.#closed(peer, ending),
      },
    });
    const peer: Peer = { session, connection, home: address, address, from: address, lastAt: clock.now };
    this.#handshakes.set(session, peer);
    this.#handshakeAt.set(address, peer);
    connection.start();
  }

  #newSession(): { readonly session: SessionId; readonly id: Uint8Array } {
    for (;;) {
      const id = randomBytes(this.#options.random, ID_SIZE);
      const session = sessionOf(id);
      if (!this.#handshakes.has(session) && !this.#open.has(session)) return { session, id };
    }
  }

  #deliver(record: TlsRecord, address: string): void {
    const why = this.#rejection(record, address);
    if (why !== undefined) this.#options.events.rejected?.(why);
  }

  /** Passes a record to its connection. @returns why it was dropped; undefined if it was accepted */
  #rejection(record: TlsRecord, address: string): Rejection | undefined {
    if (record.type === CONTENT.cid) {
      const session = sessionOf(record.id);
      const peer = this.#open.get(session) ?? this.#handshakes.get(session);
      return peer ? this.#give(peer, record, address) : 'unknown-connection';
    }
    const open = this.#openAt.get(address);
    const handshake = this.#handshakeAt.get(address);
    if (record.epoch === 0) {
      if (handshake) return this.#give(handshake, record, address);
      if (open === undefined) return 'unknown-connection';
      // A copy of the client's last flight. Only its encrypted part is answered (RFC 6347, section 4.2.4).
      return isOfFlight(record) ? undefined : 'not-authentic';
    }
    const why = open ? this.#give(open, record, address) : 'unknown-connection';
    return why !== undefined && handshake ? this.#give(handshake, record, address) : why;
  }

  #give(peer: Peer, record: TlsRecord, address: string): Rejection | undefined {
    // During a handshake, only records from the address that the cookie has proven are accepted.
    if (peer.connection.phase === 'handshake' && peer.address !== address) return 'unknown-connection';
    peer.from = address;
    return peer.connection.receive(record);
  }

  #opened(peer: Peer): void {
    const { session, connection, home } = peer;
    const { mostSessions, events } = this.#options;
    this.#forgetHandshake(peer);
    // When an identity completes another handshake, its older connection ends (wire W-11).
    this.#byIdentity.get(connection.identity)?.connection.end({ kind: 'replaced' });
    const before = this.#openAt.get(home);
    if (before && !before.connection.hasId) before.connection.end({ kind: 'replaced' });
    if (this.#open.size >= mostSessions) this.#oldest(this.#open)?.connection.close();
    this.#byIdentity.set(connection.identity, peer);
    this.#openAt.set(home, peer);
    this.#open.set(session, peer);
    events.opened(session, connection.identity);
  }

  /** Passes on data with the record's address. Only the newest record moves the connection there (RFC 9146, 6). */
  #received(peer: Peer, plain: Uint8Array, newest: boolean): void {
    peer.lastAt = this.#options.clock.now;
    if (newest) peer.address = peer.from;
    this.#open.delete(peer.session);
    this.#open.set(peer.session, peer);
    this.#options.events.received(peer.session, plain, peer.from);
  }

  #closed(peer: Peer, ending: Ending): void {
    const { session, connection, home } = peer;
    if (this.#handshakes.has(session)) {
      this.#forgetHandshake(peer);
      return this.#options.events.failed(session, connection.identity, home, ending);
    }
    this.#open.delete(session);
    if (this.#openAt.get(home) === peer) this.#openAt.delete(home);
    this.#byIdentity.delete(connection.identity);
    this.#options.events.closed(session, ending);
  }

  #forgetHandshake(peer: Peer): void {
    this.#handshakes.delete(peer.session);
    this.#handshakeAt.delete(peer.home);
  }

  #endIdle(): void {
    const { clock, idle } = this.#options;
    for (const peer of this.#open.values()) {
      if (clock.now - peer.lastAt < idle) return;
      peer.connection.end({ kind: 'timeout' });
    }
  }

  #oldest(peers: ReadonlyMap<SessionId, Peer>): Peer | undefined {
    return peers.values().next().value;
  }
}

/** The whole ClientHello of a record, or undefined: joining fragments would take memory for an unproven address. */
function helloIn({ body }: TlsRecord): HandshakeMessage | undefined {
  const [fragment] = fragmentsIn(body);
  if (fragment?.type !== MESSAGE.clientHello || fragment.part.length !== fragment.length) return undefined;
  return { type: fragment.type, sequence: fragment.sequence, body: fragment.part };
}

/** Whether a plain record may belong to a flight of a handshake. */
function isOfFlight({ type }: TlsRecord): boolean {
  return type === CONTENT.handshake || type === CONTENT.changeCipherSpec;
}

/** The alert for a rejected hello, else undefined. Versions count down from 0xfeff: greater is older. */
function refusalOf({ version, suites }: ClientHello): AlertName | undefined {
  if (version > DTLS_1_2 || version >> 8 !== DTLS_1_0 >> 8) return 'protocol-version';
  return suites.includes(SUITE) ? undefined : 'handshake-failure';
}

function sessionOf(id: Uint8Array): SessionId {
  return new ByteReader(id).uint(ID_SIZE);
}
