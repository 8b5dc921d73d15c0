/** Checksum stored with each body: databases verify their structure, not the bytes of a value. */
import { crc32 } from 'node:zlib';

/** A stored row whose body does not match its checksum. */
export class DamagedBody extends Error {
  constructor(what: string) {
    super(`the stored body of ${what} does not match its checksum`);
    this.name = 'DamagedBody';
  }
}

/** Checksum of a row as a signed 32-bit number. The id is part of it, so that a body from another row does not match. */
export function checksumOf(id: string, body: string, raw: string | null = null): number {
  const sum = crc32(body, crc32(id));
  return (raw === null ? sum : crc32(raw, sum)) | 0;
}

interface Content {
  readonly id: string;
  readonly body: string;
  readonly raw?: string | null;
}

/**
 * Checks the body of a row as it is stored, encrypted or not.
 * @param kind `message` or `record`
 * @param crc the stored checksum; null for rows of earlier versions, which are not checked
 * @throws DamagedBody
 */
export function checkBody(kind: string, { id, body, raw }: Content, crc: number | null): void {
  if (crc !== null && crc !== checksumOf(id, body, raw)) throw new DamagedBody(`${kind} ${id}`);
}
