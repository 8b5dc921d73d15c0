/** One end of a connection: numbers, encrypts and decrypts its records, in epoch 0 (plain) and in epoch 1 (encrypted). */
import type { WriteKeys } from './key-schedule.js';
import { type Content, protect, unprotect } from './protection.js';
import { CONTENT, DTLS_1_2, encodeRecord, NO_ID, type TlsRecord } from './record.js';
import { ReplayWindow } from './replay-window.js';

/** Keys of both directions, as one end sees them. */
interface OwnKeys {
  readonly write: WriteKeys;
  readonly read: WriteKeys;
}

export interface Opened extends Content {
  readonly epoch: number;
  /** Whether the record is newer than all before; an older one may have been delayed, or sent again by an attacker. */
  readonly newest: boolean;
}

export class RecordLayer {
  /** Set by the handshake when both ends can compute the keys. */
  keys: OwnKeys | undefined;
  /** Connection ID in the encrypted records that this end sends. If it is empty, this end sends ordinary records. */
  peerId: Uint8Array = NO_ID;
  /** Connection ID in the encrypted records that this end receives. If it is empty, this end receives ordinary records. */
  ownId: Uint8Array = NO_ID;
  readonly #window = new ReplayWindow();
  #plainSequence: number;
  #sequence = 0;

  /** @param sequence number of the first record in epoch 0 */
  constructor(sequence = 0) {
    this.#plainSequence = sequence;
  }

  /** A record in epoch 0. */
  plain(type: number, body: Uint8Array): Uint8Array {
    const sequence = this.#plainSequence++;
    return encodeRecord({ type, version: DTLS_1_2, epoch: 0, sequence, id: NO_ID, body });
  }

  /** An encrypted record in epoch 1. @throws TypeError before the keys are known */
  sealed(type: number, body: Uint8Array): Uint8Array {
    if (this.keys === undefined) throw new TypeError('no keys yet');
    const record = { type, version: DTLS_1_2, epoch: 1, sequence: this.#sequence++, id: this.peerId, body };
    return encodeRecord(protect(this.keys.write, record));
  }

  /** Whether a record has the agreed form: encrypted records have a connection ID if this end has chosen one. */
  fits({ type, epoch }: TlsRecord): boolean {
    const hasId = type === CONTENT.cid;
    return epoch === 0 ? !hasId : epoch === 1 && hasId === this.ownId.length > 0;
  }

  /** Whether a record that fits has not arrived before. Plain records always count as new. The record may still be forged. */
  isNew({ epoch, sequence }: TlsRecord): boolean {
    return epoch === 0 || this.#window.admits(sequence);
  }

  /** The content of a record that fits and is new; undefined if it is not authentic. */
  open(record: TlsRecord): Opened | undefined {
    const { type, epoch, sequence, body } = record;
    if (epoch === 0) return { type, plain: body, epoch, newest: false };
    const content = this.keys && unprotect(this.keys.read, record);
    return content && { ...content, epoch, newest: this.#window.remember(sequence) };
  }
}
