/** One end of a connection by hand: a test writes each message and each record itself, right or wrong. */
import { encodeMessage, type Fragment, fragmentsIn, Transcript } from '../../../src/protocol/dtls/handshake.js';
import { connectionKeys, masterSecret, type Randoms, verifyData } from '../../../src/protocol/dtls/key-schedule.js';
import { protect, unprotect } from '../../../src/protocol/dtls/protection.js';
import { CONTENT, DTLS_1_2, encodeRecord, NO_ID, recordsIn } from '../../../src/protocol/dtls/record.js';
import { PSK } from './pair.js';

type Role = 'client' | 'server';

export class EndByHand {
  readonly #role: Role;
  readonly #deliver: (datagram: Uint8Array) => void;
  #transcript = new Transcript();
  /** Numbers of the next records in epoch 0 and 1. */
  readonly #numbers = [0, 0];
  #message = 0;
  #master: Uint8Array | undefined;
  #randoms: Randoms | undefined;

  constructor(role: Role, deliver: (datagram: Uint8Array) => void) {
    this.#role = role;
    this.#deliver = deliver;
  }

  /** Sends a record with the next number; in epoch 1 it is encrypted, or forged as long as there are no keys. */
  record(type: number, body: Uint8Array, { epoch = 0, id = NO_ID } = {}): void {
    const sequence = this.#numbers[epoch] ?? 0;
    this.#numbers[epoch] = sequence + 1;
    const record = { type, version: DTLS_1_2, epoch, sequence, id, body };
    const keys = epoch > 0 && this.#keys;
    this.#deliver(encodeRecord(keys ? protect(keys[this.#role], record) : record));
  }

  /** Sends a handshake message, by default with the next number, and adds it to the transcript. */
  say(type: number, body: Uint8Array = NO_ID, { epoch = 0, id = NO_ID, sequence = this.#message++ } = {}): void {
    this.#transcript.add({ type, sequence, body });
    this.record(CONTENT.handshake, messageOf(type, sequence, body), { epoch, id });
  }

  /** Begins a new transcript, as after a request for a cookie. */
  restart(): void {
    this.#transcript = new Transcript();
  }

  /** Adds messages of the other end to the transcript. */
  hear(...messages: readonly Fragment[]): void {
    for (const { type, sequence, part } of messages) this.#transcript.add({ type, sequence, body: part });
  }

  /** Computes the keys, without the extended master secret. */
  agree(randoms: Randoms): void {
    this.#randoms = randoms;
    this.#master = masterSecret(PSK, randoms, undefined);
  }

  /** Content of the Finished message of one end after all messages so far. */
  finished(role = this.#role): Uint8Array {
    return verifyData(this.#master ?? NO_ID, role, this.#transcript.digest());
  }

  /** Type and content of a record of the other end in epoch 1. */
  read(datagram: Uint8Array | undefined): readonly [type: number, plain: readonly number[]] | undefined {
    const [record] = recordsIn(datagram ?? NO_ID, 0);
    const content =
      this.#keys && record && unprotect(this.#keys[this.#role === 'client' ? 'server' : 'client'], record);
    return content && [content.type, [...content.plain]];
  }

  get #keys() {
    return this.#master && this.#randoms && connectionKeys(this.#master, this.#randoms);
  }
}

/** A handshake message in one fragment. */
export function messageOf(type: number, sequence: number, body: Uint8Array = NO_ID): Uint8Array {
  return encodeMessage({ type, sequence, body })[0] ?? NO_ID;
}

/** The messages in the plain records of a datagram, none of which is in fragments. */
export function messagesIn(datagram: Uint8Array | undefined): readonly Fragment[] {
  const records = recordsIn(datagram ?? NO_ID, 0).filter(
    ({ epoch, type }) => epoch === 0 && type === CONTENT.handshake,
  );
  return records.flatMap(({ body }) => fragmentsIn(body));
}
