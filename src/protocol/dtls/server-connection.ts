/** The server's end of one connection, created for a hello with a valid cookie (RFC 6347, with pre-shared keys: RFC 4279). */
import { type Draws, randomBytes } from '../../kernel/random.js';
import { ByteReader, sameBytes, vector } from './bytes.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { type HandshakeMessage, MESSAGE } from './handshake.js';
import { type ClientHello, connectionIdIn, EXTENSION, RENEGOTIATION_SUITE, serverHello } from './hello.js';
import { verifyData } from './key-schedule.js';
import { CONTENT, NO_ID, type TlsRecord } from './record.js';

/**
 * Receives the key of an identity; undefined for an unknown identity. `keyOf` must call it once, before it returns or later.
 * @returns false if the handshake has ended meanwhile
 */
export type Answer = (psk: Uint8Array | undefined) => boolean;

interface ServerConnectionOptions extends ConnectionOptions {
  readonly random: Draws;
  readonly message: HandshakeMessage;
  readonly hello: ClientHello;
  /** Connection ID for the records of the client, used if the client supports connection IDs. */
  readonly id: Uint8Array;
  /** Names the key that the client should use (RFC 4279, section 5.2). */
  readonly hint: string;
  /** Asks for the key of an identity. */
  readonly keyOf: (identity: string, answer: Answer) => void;
}

export class ServerConnection extends Connection {
  /** Name of the key, as the client gave it; proven when the connection is open. */
  identity = '';
  readonly id: Uint8Array;
  readonly #clientRandom: Uint8Array;
  /** Discarded when the connection is open, like `#hello`. */
  #serverRandom: Uint8Array;
  readonly #random: Draws;
  readonly #extended: boolean;
  #hello: Uint8Array;
  readonly #hint: string;
  readonly #keyOf: ServerConnectionOptions['keyOf'];
  #sent: number;
  #expected: 'key exchange' | 'key' | 'finished' = 'key exchange';

  constructor(options: ServerConnectionOptions) {
    super(options);
    const { message, hello, random, id, hint } = options;
    this.id = id;
    this.#random = random;
    this.#keyOf = options.keyOf;
    // Copied, here and below: a view would keep the whole datagram in memory, and `slice` of a Buffer is a view.
    this.#clientRandom = Uint8Array.from(hello.random);
    this.#serverRandom = randomBytes(random, 32);
    this.#extended = hello.extensions.has(EXTENSION.extendedMasterSecret);
    this.#sent = message.sequence;
    const peerId = connectionIdIn(hello.extensions);
    if (peerId) {
      this.layer.peerId = peerId.length === 0 ? NO_ID : Uint8Array.from(peerId);
      this.layer.ownId = id;
    }
    this.transcript.add(message);
    this.#hello = serverHello({
      random: this.#serverRandom,
      extensions: this.#answerTo(hello, peerId !== undefined),
    });
    this.#hint = hint;
  }

  /** Whether the client uses the connection ID. */
  get hasId(): boolean {
    return this.layer.ownId.length > 0;
  }

  /** Whether `hello` repeats the hello that began the connection: it then has the same random number. */
  beganWith(hello: ClientHello): boolean {
    return sameBytes(hello.random, this.#clientRandom);
  }

  /** Call it when the client has repeated its hello. */
  helloRepeated(): void {
    if (this.#expected === 'key exchange') this.repeatFlight();
  }

  protected begin(): void {
    const flight = [
      this.#next(MESSAGE.serverHello, this.#hello),
      this.#next(MESSAGE.serverKeyExchange, vector(2, Buffer.from(this.#hint))),
      this.#next(MESSAGE.serverHelloDone, NO_ID),
    ];
    for (const message of flight) this.transcript.add(message);
    this.transmit(
      flight.map((message) => ({ kind: 'message', epoch: 0, message })),
      true,
    );
  }

  protected message(message: HandshakeMessage): void {
    const { type } = message;
    if (this.#expected === 'key exchange' && type === MESSAGE.clientKeyExchange) this.#exchange(message);
    else if (this.#expected === 'finished' && type === MESSAGE.finished) this.#finish(message);
    else this.fail('unexpected-message');
  }

  /** A client that repeats its Finished has not received the last flight of the server (RFC 6347, section 4.2.4). */
  protected repeated(type: number): void {
    if (type === MESSAGE.finished) this.repeatFlight();
  }

  /** Rejects a client whose handshake records do not fit the keys: another key, or identity (RFC 4279, section 2). */
  protected unreadable({ type }: TlsRecord): void {
    if (type === CONTENT.handshake || this.hasId) this.fail('decrypt-error');
  }

  #exchange(message: HandshakeMessage): void {
    const reader = new ByteReader(message.body);
    const identity = Buffer.from(reader.vector(2)).toString('utf8');
    if (!reader.complete) return this.fail('decode-error');
    this.answered();
    this.transcript.add(message);
    this.identity = identity;
    this.#expected = 'key';
    this.#keyOf(identity, (psk) => {
      if (this.phase !== 'handshake' || this.#expected !== 'key') return false;
      const randoms = { client: this.#clientRandom, server: this.#serverRandom };
      this.agree('server', psk ?? randomBytes(this.#random, 32), randoms, this.#extended);
      this.#expected = 'finished';
      this.receiveEarly();
      return true;
    });
  }

  #finish(message: HandshakeMessage): void {
    const { body } = message;
    if (!sameBytes(body, verifyData(this.master, 'client', this.transcript.digest())))
      return this.fail('decrypt-error');
    this.transcript.add(message);
    const finished = this.#next(MESSAGE.finished, verifyData(this.master, 'server', this.transcript.digest()));
    this.transmit([{ kind: 'change' }, { kind: 'message', epoch: 1, message: finished }], false);
    this.#hello = NO_ID;
    this.#serverRandom = NO_ID;
    this.open();
  }

  #answerTo({ extensions, suites }: ClientHello, withId: boolean): ReadonlyMap<number, Uint8Array> {
    const renegotiation = extensions.has(EXTENSION.renegotiationInfo) || suites.includes(RENEGOTIATION_SUITE);
    return new Map([
      ...(renegotiation ? [[EXTENSION.renegotiationInfo, vector(1)] as const] : []),
      ...(this.#extended ? [[EXTENSION.extendedMasterSecret, NO_ID] as const] : []),
      ...(withId ? [[EXTENSION.connectionId, vector(1, this.id)] as const] : []),
    ]);
  }

  #next(type: number, body: Uint8Array): HandshakeMessage {
    return { type, sequence: this.#sent++, body };
  }
}
