/**
 * The code that both ends of a connection share: it reads records, puts handshake messages in order, repeats flights, and ends
 * the connection with an alert. It has no I/O: datagrams and data pass through {@link ConnectionEvents}; time and random
 * numbers are parameters.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Millis } from '../../kernel/time.js';
import { type Alert, type AlertName, decodeAlert, encodeAlert } from './alerts.js';
import { Flight, type FlightItem } from './flight.js';
import { type Fragment, fragmentsIn, type HandshakeMessage, MESSAGE, Transcript } from './handshake.js';
import { Inbox } from './inbox.js';
import { connectionKeys, masterSecret, type Randoms } from './key-schedule.js';
import { CONTENT, type TlsRecord } from './record.js';
import { type Opened, RecordLayer } from './record-layer.js';

/**
 * How a connection ended:
 * - `closed`: one end has closed it (close_notify)
 * - `replaced`: another connection or handshake has taken its place (server.ts)
 * - `timeout`: the handshake took too long, or the client sent no data for the idle time
 * - `alert`: one end has reported this error
 */
export type Ending =
  | { readonly kind: 'closed'; readonly by: 'us' | 'peer' }
  | { readonly kind: 'replaced' | 'timeout' }
  | { readonly kind: 'alert'; readonly by: 'us' | 'peer'; readonly name: Alert['name'] };

/**
 * Why a record is dropped:
 * - `replayed`: it is a copy
 * - `not-authentic`: it is forged, or not in the form that the connection has agreed on
 * - `unknown-connection`: it belongs to no connection
 */
export type Rejection = 'replayed' | 'not-authentic' | 'unknown-connection';

export interface ConnectionEvents {
  send(datagram: Uint8Array): void;
  /** Both ends can compute the keys. For a capture; the master secret decrypts the whole connection. */
  agreed?(clientRandom: Uint8Array, master: Uint8Array): void;
  /** The handshake has succeeded. */
  opened(): void;
  /** Data from the other end have arrived. `newest`: no record with a greater sequence number has arrived before. */
  received(plain: Uint8Array, newest: boolean): void;
  /** Called once, also if the handshake fails. */
  closed(ending: Ending): void;
}

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly events: ConnectionEvents;
  /** Size of the largest datagram of a handshake. */
  readonly mtu: number;
  /** Time after which an unfinished handshake fails. */
  readonly timeout: Millis;
  /** Sequence numbers of the first record that this end sends, and of the first message that it expects from the other end. */
  readonly first: { readonly record: number; readonly message: number };
}

/** Maximum number of encrypted records that are kept until the keys are known. */
const MOST_EARLY = 4;

export abstract class Connection {
  #phase: 'handshake' | 'open' | 'closed' = 'handshake';
  protected readonly layer: RecordLayer;
  /** All messages of the handshake so far; reset when the server asks for a cookie. */
  #transcript: Transcript | undefined = new Transcript();
  readonly #clock: Clock;
  readonly #events: ConnectionEvents;
  readonly #mtu: number;
  readonly #timeout: Millis;
  #limit: Alarm | undefined;
  readonly #inbox: Inbox;
  #early: TlsRecord[] = [];
  #flight: Flight | undefined;
  #master: Uint8Array | undefined;
  /** Whether this end has announced the change of keys. */
  #changed = false;

  constructor({ clock, events, mtu, timeout, first }: ConnectionOptions) {
    this.#clock = clock;
    this.#events = events;
    this.#mtu = mtu;
    this.#timeout = timeout;
    this.layer = new RecordLayer(first.record);
    this.#inbox = new Inbox(first.message);
  }

  get phase(): 'handshake' | 'open' | 'closed' {
    return this.#phase;
  }

  /**
   * Processes a record.
   * @returns why it was dropped; undefined if it was accepted
   */
  receive(record: TlsRecord): Rejection | undefined {
    if (this.#phase === 'closed') return 'unknown-connection';
    if (record.epoch > 0 && this.layer.keys === undefined) {
      if (this.#early.length < MOST_EARLY) this.#early.push(record);
      return undefined;
    }
    if (!this.layer.fits(record)) return 'not-authentic';
    if (!this.layer.isNew(record)) return 'replayed';
    const opened = this.layer.open(record);
    if (opened) this.#process(opened);
    else if (this.#phase === 'handshake') this.unreadable(record);
    return opened ? undefined : 'not-authentic';
  }

  /** Begins the handshake. */
  start(): void {
    this.#limit = this.#clock.after(this.#timeout, 'the end of a DTLS handshake', () => this.end({ kind: 'timeout' }));
    this.begin();
  }

  /** The encrypted record with this data; undefined if the connection is not open. */
  encrypt(plain: Uint8Array): Uint8Array | undefined {
    return this.#phase === 'open' ? this.layer.sealed(CONTENT.applicationData, plain) : undefined;
  }

  /** Ends the connection with close_notify. */
  close(): void {
    this.#sayGoodbye('close-notify');
    this.end({ kind: 'closed', by: 'us' });
  }

  /** Ends the connection without sending anything. */
  end(ending: Ending): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#limit?.cancel();
    this.#flight?.end();
    this.#early = [];
    this.#events.closed(ending);
  }

  /** Sends the first flight of this end. */
  protected abstract begin(): void;

  /** Processes the next message of the other end. It is in the transcript only if the subclass adds it. */
  protected abstract message(message: HandshakeMessage): void;

  /** Called when the other end has repeated a message of this type. */
  protected abstract repeated(type: number): void;

  /** Called during the handshake for an encrypted record that does not fit the keys. */
  protected abstract unreadable(record: TlsRecord): void;

  /** Ends the connection because the other end has violated the protocol, or lacks the key. */
  protected fail(name: AlertName): void {
    this.#sayGoodbye(name);
    this.end({ kind: 'alert', by: 'us', name });
  }

  /** Sends a flight. @param awaitsAnswer whether it is repeated by a timer until the other end answers */
  protected transmit(items: readonly FlightItem[], awaitsAnswer: boolean): void {
    this.#flight?.end();
    this.#changed ||= items.some(({ kind }) => kind === 'change');
    this.#flight = new Flight({
      clock: this.#clock,
      layer: this.layer,
      items,
      mtu: this.#mtu,
      send: (datagram) => this.#events.send(datagram),
      timed: awaitsAnswer,
    });
    this.#flight.start();
  }

  protected repeatFlight(): void {
    this.#flight?.repeat();
  }

  /** Computes the keys. {@link receiveEarly} then reads the encrypted records that arrived before them. */
  protected agree(role: 'client' | 'server', psk: Uint8Array, randoms: Randoms, extended: boolean): void {
    const master = masterSecret(psk, randoms, extended ? this.transcript.digest() : undefined);
    const { client, server } = connectionKeys(master, randoms);
    this.#master = master;
    this.layer.keys = role === 'client' ? { write: client, read: server } : { write: server, read: client };
    this.#events.agreed?.(randoms.client, master);
  }

  /** All messages of the handshake. @throws TypeError after the handshake */
  protected get transcript(): Transcript {
    if (this.#transcript === undefined) throw new TypeError('the handshake is over');
    return this.#transcript;
  }

  /** Call it when the handshake begins again, because the server has asked for a cookie. */
  protected startTranscript(): void {
    this.#transcript = new Transcript();
  }

  /** The master secret. @throws TypeError before {@link agree} */
  protected get master(): Uint8Array {
    if (this.#master === undefined) throw new TypeError('no keys yet');
    return this.#master;
  }

  protected receiveEarly(): void {
    for (const record of this.#early.splice(0)) this.receive(record);
  }

  /** The handshake has succeeded: discards the data that only the handshake needed. */
  protected open(): void {
    this.#phase = 'open';
    this.#limit?.cancel();
    this.#master = undefined;
    this.#transcript = undefined;
    this.#events.opened();
  }

  /** Call it when the answer to the last flight has arrived. */
  protected answered(): void {
    this.#flight?.end();
  }

  #process(opened: Opened): void {
    const { type, plain, epoch, newest } = opened;
    if (type === CONTENT.handshake) this.#fragments(plain, epoch);
    else if (type === CONTENT.alert) this.#alert(plain, epoch);
    // Records of the type `changeCipherSpec` are ignored, because the epoch of a record already names its keys.
    else if (type === CONTENT.applicationData && epoch > 0 && this.#phase === 'open') {
      // The other end sends data, so it has received the last flight.
      this.#flight = undefined;
      this.#events.received(plain, newest);
    }
  }

  #fragments(plain: Uint8Array, epoch: number): void {
    const isRepeated = new Set<number>();
    for (const fragment of fragmentsIn(plain)) {
      // Finished is the only encrypted message of a handshake; a plain Finished proves nothing.
      if ((fragment.type === MESSAGE.finished) !== epoch > 0) continue;
      if (this.#inbox.isOld(fragment)) isRepeated.add(fragment.type);
      else if (this.#phase === 'handshake') this.#take(fragment);
    }
    for (const type of isRepeated) if (this.#phase !== 'closed') this.repeated(type);
  }

  #take(fragment: Fragment): void {
    this.#inbox.put(fragment);
    for (let next = this.#inbox.take(); next && this.#phase === 'handshake'; next = this.#inbox.take()) {
      this.message(next);
    }
  }

  #alert(plain: Uint8Array, epoch: number): void {
    const alert = decodeAlert(plain);
    // In an open connection, a plain alert could come from anyone.
    if (alert === undefined || !alert.fatal || (this.#phase === 'open' && epoch === 0)) return;
    if (alert.name !== 'close-notify') return this.end({ kind: 'alert', by: 'peer', name: alert.name });
    this.#sayGoodbye('close-notify');
    this.end({ kind: 'closed', by: 'peer' });
  }

  #sayGoodbye(name: AlertName): void {
    if (this.#phase === 'closed') return;
    const alert = encodeAlert(name);
    const { layer } = this;
    this.#events.send(this.#changed ? layer.sealed(CONTENT.alert, alert) : layer.plain(CONTENT.alert, alert));
  }
}
