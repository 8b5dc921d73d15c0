/** Records: the units that a datagram consists of (RFC 6347, section 4.1; with a connection ID: RFC 9146, section 4). */
import { ByteReader, join, uint, vector } from './bytes.js';

/** Types of records (RFC 5246, section 6.2.1). `cid`: record with a connection ID; its real type is encrypted (RFC 9146). */
export const CONTENT = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23, cid: 25 } as const;

export const DTLS_1_0 = 0xfeff;
export const DTLS_1_2 = 0xfefd;

/** Longer datagrams are ignored; those of devices have at most 508 bytes (wire W-4). */
const LONGEST_DATAGRAM = 2048;

export const NO_ID: Uint8Array = new Uint8Array(0);

/** A record as it travels; in epoch 1, `body` is encrypted. */
export interface TlsRecord {
  readonly type: number;
  readonly version: number;
  /** 0 before, 1 after the change of keys; there are no other epochs, because connections are not renegotiated. */
  readonly epoch: number;
  readonly sequence: number;
  /** Connection ID; empty unless the type is `cid`. */
  readonly id: Uint8Array;
  readonly body: Uint8Array;
}

/**
 * The records of a datagram up to the first malformed one (RFC 6347, section 4.1.2.7: invalid records are discarded silently).
 * @param idLength length of the connection IDs that the receiver has chosen
 */
export function recordsIn(datagram: Uint8Array, idLength: number): readonly TlsRecord[] {
  const records: TlsRecord[] = [];
  if (datagram.length > LONGEST_DATAGRAM) return records;
  const reader = new ByteReader(datagram);
  while (reader.left > 0) {
    const type = reader.uint(1);
    const version = reader.uint(2);
    const epoch = reader.uint(2);
    const sequence = reader.uint(6);
    const id = type === CONTENT.cid ? reader.take(idLength) : NO_ID;
    const body = reader.vector(2);
    if (reader.broken || version >> 8 !== 0xfe) break;
    records.push({ type, version, epoch, sequence, id, body });
  }
  return records;
}

export function encodeRecord({ type, version, epoch, sequence, id, body }: TlsRecord): Uint8Array {
  return join(uint(type, 1), uint(version, 2), uint(epoch, 2), uint(sequence, 6), id, vector(2, body));
}
