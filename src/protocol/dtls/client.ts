/** The client's end of a connection, for a device (RFC 6347, with pre-shared keys: RFC 4279). */
import type { Clock } from '../../kernel/clock.js';
import { type Draws, randomBytes } from '../../kernel/random.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { sameBytes, vector } from './bytes.js';
import { Connection, type ConnectionEvents } from './connection.js';
import { LARGEST_DATAGRAM } from './flight.js';
import { type HandshakeMessage, MESSAGE } from './handshake.js';
import {
  clientHello,
  connectionIdIn,
  EXTENSION,
  RENEGOTIATION_SUITE,
  readHelloVerifyRequest,
  readServerHello,
  SUITE,
} from './hello.js';
import { verifyData } from './key-schedule.js';
import { DTLS_1_2, NO_ID, recordsIn } from './record.js';

/** Time for a handshake, in which an unanswered flight is sent at 0, 1 and 3 s (timing T-59). */
const HANDSHAKE_TIMEOUT: Millis = seconds(7);

/** Maximum number of cookies in one handshake. A server sends another cookie if the first expires before the client uses it. */
const MOST_COOKIES = 3;

export interface ClientOptions {
  /** Name of the key, such as `hsn:2159017985` (wire W-10). */
  readonly identity: string;
  readonly psk: Uint8Array;
  readonly clock: Clock;
  readonly random: Draws;
  readonly events: ConnectionEvents;
  /** Connection ID for the server's records; empty by default, as on a device. Null: no support of connection IDs. */
  readonly connectionId?: Uint8Array | null;
  /** Default: {@link HANDSHAKE_TIMEOUT}. */
  readonly timeout?: Millis;
  /** Size of the largest datagram of the handshake. Default 508. */
  readonly mtu?: number;
}

export class DtlsClient extends Connection {
  readonly #options: ClientOptions;
  readonly #random: Uint8Array;
  #serverRandom: Uint8Array | undefined;
  #cookies = 0;
  #sent = 0;
  #extended = false;
  #expected: 'hello' | 'key exchange' | 'finished' = 'hello';

  constructor(options: ClientOptions) {
    const { clock, random, events, timeout = HANDSHAKE_TIMEOUT, mtu = LARGEST_DATAGRAM } = options;
    super({ clock, events, mtu, timeout, first: { record: 0, message: 0 } });
    this.#options = options;
    this.#random = randomBytes(random, 32);
  }

  /** Whether the open connection has an ID by which the server recognises the client at another address. */
  get hasPeerId(): boolean {
    return this.phase === 'open' && this.layer.peerId.length > 0;
  }

  /** Processes a datagram of the server. */
  receiveDatagram(datagram: Uint8Array): void {
    const idLength = this.layer.ownId.length;
    for (const record of recordsIn(datagram, idLength)) {
      if (sameBytes(record.id, NO_ID) || sameBytes(record.id, this.layer.ownId)) this.receive(record);
    }
  }

  protected begin(): void {
    this.#sendHello(NO_ID);
  }

  protected message(message: HandshakeMessage): void {
    const { type } = message;
    if (this.#expected === 'hello' && type === MESSAGE.helloVerifyRequest) this.#retry(message);
    else if (this.#expected === 'hello' && type === MESSAGE.serverHello) this.#hello(message);
    else if (this.#expected === 'key exchange' && type === MESSAGE.serverKeyExchange) this.transcript.add(message);
    else if (this.#expected === 'key exchange' && type === MESSAGE.serverHelloDone) this.#exchangeKeys(message);
    else if (this.#expected === 'finished' && type === MESSAGE.finished) this.#finish(message);
    else this.fail('unexpected-message');
  }

  protected repeated(type: number): void {
    if (type === MESSAGE.serverHelloDone && this.#expected === 'finished') this.repeatFlight();
  }

  /** Has no effect, because a forged record must not end the handshake. */
  protected unreadable(): void {}

  /** Answers the server's request for a cookie; the hash of the handshake begins anew (RFC 6347, section 4.2.1). */
  #retry({ body }: HandshakeMessage): void {
    const cookie = readHelloVerifyRequest(body);
    if (cookie === undefined) return this.fail('decode-error');
    if (++this.#cookies > MOST_COOKIES) return this.fail('handshake-failure');
    this.startTranscript();
    this.#sendHello(cookie);
  }

  #hello(message: HandshakeMessage): void {
    const hello = readServerHello(message.body);
    if (hello === undefined) return this.fail('decode-error');
    if (hello.version !== DTLS_1_2) return this.fail('protocol-version');
    if (hello.suite !== SUITE) return this.fail('illegal-parameter');
    const offered = this.#extensions();
    for (const type of hello.extensions.keys()) {
      if (!offered.has(type) && type !== EXTENSION.renegotiationInfo) return this.fail('unsupported-extension');
    }
    const id = connectionIdIn(hello.extensions);
    if (id === undefined && hello.extensions.has(EXTENSION.connectionId)) return this.fail('decode-error');
    if (id) {
      this.layer.peerId = id;
      this.layer.ownId = this.#options.connectionId ?? NO_ID;
    }
    this.#extended = hello.extensions.has(EXTENSION.extendedMasterSecret);
    this.#serverRandom = hello.random.slice();
    this.#expected = 'key exchange';
    this.transcript.add(message);
  }

  /** Answers ServerHelloDone with the identity, the change of keys, and Finished. */
  #exchangeKeys(done: HandshakeMessage): void {
    const { identity, psk } = this.#options;
    if (done.body.length > 0 || this.#serverRandom === undefined) return this.fail('decode-error');
    this.transcript.add(done);
    const exchange = this.#next(MESSAGE.clientKeyExchange, vector(2, Buffer.from(identity)));
    this.transcript.add(exchange);
    this.agree('client', psk, { client: this.#random, server: this.#serverRandom }, this.#extended);
    const finished = this.#next(MESSAGE.finished, verifyData(this.master, 'client', this.transcript.digest()));
    this.transcript.add(finished);
    this.#expected = 'finished';
    this.transmit(
      [
        { kind: 'message', epoch: 0, message: exchange },
        { kind: 'change' },
        { kind: 'message', epoch: 1, message: finished },
      ],
      true,
    );
    this.receiveEarly();
  }

  #finish({ body }: HandshakeMessage): void {
    if (!sameBytes(body, verifyData(this.master, 'server', this.transcript.digest())))
      return this.fail('decrypt-error');
    this.answered();
    this.open();
  }

  #sendHello(cookie: Uint8Array): void {
    const suites = [SUITE, RENEGOTIATION_SUITE];
    const body = clientHello({ random: this.#random, cookie, suites, extensions: this.#extensions() });
    const message = this.#next(MESSAGE.clientHello, body);
    this.transcript.add(message);
    this.transmit([{ kind: 'message', epoch: 0, message }], true);
  }

  #extensions(): ReadonlyMap<number, Uint8Array> {
    const { connectionId = NO_ID } = this.#options;
    return new Map([
      [EXTENSION.extendedMasterSecret, NO_ID],
      ...(connectionId ? [[EXTENSION.connectionId, vector(1, connectionId)] as const] : []),
    ]);
  }

  #next(type: number, body: Uint8Array): HandshakeMessage {
    return { type, sequence: this.#sent++, body };
  }
}
