/** Fields of DTLS (RFC 5246, section 4). Reads never throw: beyond the end, values are empty and `complete` is false. */

const NO_BYTES = new Uint8Array(0);

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #broken = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether a read went beyond the end. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Whether every read was within the bytes and nothing is left. */
  get complete(): boolean {
    return !this.#broken && this.#at === this.#bytes.length;
  }

  /** Number of unread bytes. */
  get left(): number {
    return this.#broken ? 0 : this.#bytes.length - this.#at;
  }

  /** An unsigned number of `size` bytes, at most 6, big-endian. */
  uint(size: number): number {
    let value = 0;
    for (const byte of this.take(size)) value = value * 256 + byte;
    return value;
  }

  /** The next `length` bytes, not copied. */
  take(length: number): Uint8Array {
    if (length > this.left) {
      this.#broken = true;
      return NO_BYTES;
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** A variable-length vector: its length in `size` bytes, then its content. */
  vector(size: number): Uint8Array {
    return this.take(this.uint(size));
  }
}

/** An unsigned number in `size` bytes, big-endian. */
export function uint(value: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = size - 1, rest = value; at >= 0; at--) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}

/** A variable-length vector: its length in `size` bytes, then its content. */
export function vector(size: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = join(...content);
  return join(uint(body.length, size), body);
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Whether two arrays have the same content. Not for secrets, because its duration shows where the arrays first differ. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
