/** AES-128-CCM with a tag of 8 bytes over records (RFC 6655; with a connection ID: RFC 9146, section 5.3). */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { join, uint } from './bytes.js';
import type { WriteKeys } from './key-schedule.js';
import { CONTENT, type TlsRecord } from './record.js';

const TAG_SIZE = 8;
const NONCE_SIZE = 8;

/** Plaintext of a record with its real type. */
export interface Content {
  readonly type: number;
  readonly plain: Uint8Array;
}

/** The record in encrypted form. With a connection ID, its type is encrypted, too. */
export function protect(keys: WriteKeys, { body: plain, ...record }: TlsRecord): TlsRecord {
  const hasId = record.id.length > 0;
  const type = hasId ? CONTENT.cid : record.type;
  const inner = hasId ? join(plain, uint(record.type, 1)) : plain;
  const header = { ...record, type, body: inner };
  const nonce = join(uint(record.epoch, 2), uint(record.sequence, 6));
  const cipher = createCipheriv('aes-128-ccm', keys.key, join(keys.salt, nonce), { authTagLength: TAG_SIZE });
  cipher.setAAD(additionalData(header, inner.length), { plaintextLength: inner.length });
  const encrypted = cipher.update(inner);
  cipher.final();
  return { ...header, body: join(nonce, encrypted, cipher.getAuthTag()) };
}

/** The content of an encrypted record; undefined if it was not written with these keys. */
export function unprotect(keys: WriteKeys, record: TlsRecord): Content | undefined {
  const { type, body } = record;
  const length = body.length - NONCE_SIZE - TAG_SIZE;
  if (length < 0) return undefined;
  const nonce = join(keys.salt, body.subarray(0, NONCE_SIZE));
  const decipher = createDecipheriv('aes-128-ccm', keys.key, nonce, { authTagLength: TAG_SIZE });
  decipher.setAuthTag(body.subarray(NONCE_SIZE + length));
  decipher.setAAD(additionalData(record, length), { plaintextLength: length });
  try {
    const plain = decipher.update(body.subarray(NONCE_SIZE, NONCE_SIZE + length));
    decipher.final();
    return type === CONTENT.cid ? withoutPadding(plain) : { type, plain };
  } catch {
    return undefined;
  }
}

function additionalData({ type, version, epoch, sequence, id }: TlsRecord, length: number): Uint8Array {
  const number = join(uint(epoch, 2), uint(sequence, 6));
  if (type !== CONTENT.cid) return join(number, uint(type, 1), uint(version, 2), uint(length, 2));
  const placeholder = new Uint8Array(8).fill(0xff);
  const kind = uint(CONTENT.cid, 1);
  return join(placeholder, kind, uint(id.length, 1), kind, uint(version, 2), number, id, uint(length, 2));
}

/** The last byte other than zero is the real type. */
function withoutPadding(plain: Uint8Array): Content | undefined {
  const at = plain.findLastIndex((byte) => byte !== 0);
  return at < 0 ? undefined : { type: plain[at] as number, plain: plain.subarray(0, at) };
}
