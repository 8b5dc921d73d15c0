/**
 * Reads the DTLS connections in a capture, from outside: with the keys in the capture, or with the pre-shared keys of the
 * devices, which are enough because the handshake exchanges no others (RFC 4279, section 2). It follows the handshakes, so a
 * connection that was opened before the capture cannot be read.
 */
import { ByteReader } from '../protocol/dtls/bytes.js';
import { type Fragment, fragmentsIn, type HandshakeMessage, MESSAGE, Transcript } from '../protocol/dtls/handshake.js';
import { connectionIdIn, EXTENSION, readClientHello, readServerHello } from '../protocol/dtls/hello.js';
import { serialIn } from '../protocol/dtls/identity.js';
import { Inbox } from '../protocol/dtls/inbox.js';
import { type ConnectionKeys, connectionKeys, masterSecret } from '../protocol/dtls/key-schedule.js';
import { unprotect } from '../protocol/dtls/protection.js';
import { CONTENT, recordsIn, type TlsRecord } from '../protocol/dtls/record.js';

/** What a datagram contains. `way`: from the device up to the cloud, or down. */
type DtlsFinding =
  | { readonly kind: 'plain'; readonly serial: number; readonly way: 'up' | 'down'; readonly plain: Uint8Array }
  /** The device names itself in a handshake. */
  | { readonly kind: 'handshake'; readonly serial: number }
  /** An encrypted record without keys: none fits, or the capture lacks a part of the handshake. */
  | { readonly kind: 'locked'; readonly lacks: 'key' | 'handshake' };

/** Length of the connection IDs of the cloud (wire W-10), for connections whose ServerHello was not captured. */
const USUAL_ID = 4;

interface Talk {
  /** Address of the device. */
  client: string;
  readonly random: Uint8Array;
  readonly inboxes: Partial<Record<'up' | 'down', Inbox>>;
  transcript: Transcript;
  serverRandom: Uint8Array | undefined;
  isExtended: boolean;
  /** Length of the connection ID in the records of the device, and of the cloud. */
  readonly idLength: Record<'up' | 'down', number>;
  serial: number | undefined;
  /** Hash of the handshake up to ClientKeyExchange. */
  hash: Uint8Array | undefined;
  keys: ConnectionKeys | undefined;
}

export class DtlsReader {
  readonly #secrets: readonly Uint8Array[];
  /** Master secrets by the random number of the client's hello, in hex digits. */
  readonly #masters = new Map<string, Uint8Array>();
  /** By the addresses of both ends. */
  readonly #talks = new Map<string, Talk>();
  /** By the connection ID of the cloud, in hex digits. */
  readonly #byId = new Map<string, Talk>();

  /** @param secrets pre-shared keys of devices */
  constructor(secrets: readonly Uint8Array[]) {
    this.#secrets = secrets;
  }

  /** @param keyLog lines of a TLS key log; those of other versions are ignored */
  addKeys(keyLog: string): void {
    for (const [, random = '', master = ''] of keyLog.matchAll(/^CLIENT_RANDOM ([\da-f]{64}) ([\da-f]{96})\s*$/gim)) {
      this.#masters.set(random.toLowerCase(), Buffer.from(master, 'hex'));
    }
  }

  /** What a datagram contains; undefined if it has no records. */
  read(from: string, to: string, datagram: Uint8Array): readonly DtlsFinding[] | undefined {
    const pair = [from, to].sort().join(' ');
    const known = this.#talks.get(pair);
    const idLength = known?.idLength[known.client === from ? 'up' : 'down'] ?? USUAL_ID;
    const records = recordsIn(datagram, idLength);
    return records.length === 0 ? undefined : records.flatMap((record) => this.#record(record, from, pair));
  }

  #record(record: TlsRecord, from: string, pair: string): readonly DtlsFinding[] {
    if (record.epoch === 0) {
      if (record.type !== CONTENT.handshake) return [];
      return fragmentsIn(record.body).flatMap((fragment) => this.#fragment(fragment, from, pair));
    }
    const talk = this.#moved(record, from, pair) ?? this.#talks.get(pair);
    if (talk === undefined) return [{ kind: 'locked', lacks: 'handshake' }];
    const way = talk.client === from ? 'up' : 'down';
    const content = this.#open(talk, way, record);
    if (content === undefined) {
      const isWhole = talk.serverRandom !== undefined && talk.hash !== undefined;
      return [{ kind: 'locked', lacks: isWhole ? 'key' : 'handshake' }];
    }
    if (content.type !== CONTENT.applicationData || talk.serial === undefined) return [];
    return [{ kind: 'plain', serial: talk.serial, way, plain: content.plain }];
  }

  /** The connection of a record with a connection ID, whose device may have another address now. */
  #moved({ type, id }: TlsRecord, from: string, pair: string): Talk | undefined {
    const talk = type === CONTENT.cid ? this.#byId.get(Buffer.from(id).toString('hex')) : undefined;
    if (talk === undefined) return undefined;
    talk.client = from;
    this.#talks.set(pair, talk);
    return talk;
  }

  #fragment(fragment: Fragment, from: string, pair: string): readonly DtlsFinding[] {
    if (fragment.type === MESSAGE.clientHello) this.#hello(fragment, from, pair);
    const talk = this.#talks.get(pair);
    if (talk === undefined) return [];
    const way = talk.client === from ? 'up' : 'down';
    const inbox = talk.inboxes[way] ?? new Inbox(fragment.sequence);
    talk.inboxes[way] = inbox;
    inbox.put(fragment);
    const found: DtlsFinding[] = [];
    for (let message = inbox.take(); message !== undefined; message = inbox.take()) {
      if (this.#message(talk, message) && talk.serial !== undefined) {
        found.push({ kind: 'handshake', serial: talk.serial });
      }
    }
    return found;
  }

  /** Begins a connection, unless the hello is a repetition or has a cookie for the connection that has begun. */
  #hello({ part }: Fragment, from: string, pair: string): void {
    const random = part.slice(2, 34);
    const known = this.#talks.get(pair);
    if (known?.client === from && Buffer.compare(known.random, random) === 0) return;
    this.#talks.set(pair, {
      ...{ client: from, random, inboxes: {}, transcript: new Transcript(), serverRandom: undefined },
      ...{
        isExtended: false,
        idLength: { up: USUAL_ID, down: 0 },
        serial: undefined,
        hash: undefined,
        keys: undefined,
      },
    });
  }

  /** Returns whether the device has named itself. */
  #message(talk: Talk, message: HandshakeMessage): boolean {
    const { type, body } = message;
    if (type === MESSAGE.helloVerifyRequest) return false;
    // The hash begins anew with the hello that has the cookie.
    if (type === MESSAGE.clientHello) talk.transcript = new Transcript();
    talk.transcript.add(message);
    if (type === MESSAGE.clientHello) {
      const id = connectionIdIn(readClientHello(body)?.extensions ?? new Map());
      talk.idLength.down = id?.length ?? 0;
    }
    if (type === MESSAGE.serverHello) this.#serverHello(talk, body);
    if (type !== MESSAGE.clientKeyExchange) return false;
    const identity = Buffer.from(new ByteReader(body).vector(2)).toString();
    talk.serial = serialIn(identity);
    talk.hash = talk.transcript.digest();
    return true;
  }

  #serverHello(talk: Talk, body: Uint8Array): void {
    const hello = readServerHello(body);
    if (hello === undefined) return;
    talk.serverRandom = hello.random.slice();
    talk.isExtended = hello.extensions.has(EXTENSION.extendedMasterSecret);
    const id = connectionIdIn(hello.extensions);
    if (id === undefined) talk.idLength.down = 0;
    talk.idLength.up = id?.length ?? 0;
    if (id !== undefined && id.length > 0) this.#byId.set(Buffer.from(id).toString('hex'), talk);
  }

  /** The content of an encrypted record; undefined without its keys. */
  #open(talk: Talk, way: 'up' | 'down', record: TlsRecord) {
    const end = way === 'up' ? 'client' : 'server';
    if (talk.keys !== undefined) return unprotect(talk.keys[end], record);
    for (const keys of this.#candidates(talk)) {
      const content = unprotect(keys[end], record);
      if (content === undefined) continue;
      talk.keys = keys;
      return content;
    }
    return undefined;
  }

  *#candidates({ random, serverRandom, isExtended, hash }: Talk): Generator<ConnectionKeys> {
    if (serverRandom === undefined) return;
    const randoms = { client: random, server: serverRandom };
    const master = this.#masters.get(Buffer.from(random).toString('hex'));
    if (master !== undefined) yield connectionKeys(master, randoms);
    if (hash === undefined) return;
    for (const secret of this.#secrets) {
      yield connectionKeys(masterSecret(secret, randoms, isExtended ? hash : undefined), randoms);
    }
  }
}
