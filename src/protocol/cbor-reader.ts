/**
 * Reads CBOR (RFC 8949) item by item from bytes.
 *
 * We use our own reader because the bytes come from untrusted datagrams. Libraries also accept what this protocol does not use:
 * tags for dates, patterns and cyclic references, misplaced breaks, unlimited nesting. So every value that they return would
 * need another check. In addition, bodies become JSON without a tree in between, which is faster than building the tree with a
 * library (docs/adr/0001-own-cbor-reader.md). The tests compare the results with two libraries.
 *
 * Not supported: tags, strings in chunks, simple values other than false, true, null and undefined.
 */

/** The bytes are not CBOR, or not the subset that this protocol uses. */
export class CborError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CborError';
  }
}

/** Major types, as {@link CborReader.next} returns them. */
export const UINT = 0;
export const NEGATIVE = 1;
export const BYTES = 2;
export const TEXT = 3;
export const ARRAY = 4;
export const MAP = 5;
export const SIMPLE = 7;

/** `count` of an array or map of indefinite length. */
const INDEFINITE = -1;
const BREAK = 0xff;
/** Maximum nesting. A codec document with nine nested fields needs 20 levels. */
const DEEPEST = 64;

/**
 * Walks over one value:
 *
 *     switch (reader.next()) {
 *       case UINT: return reader.integer();
 *       case ARRAY: {
 *         const { count } = reader;
 *         for (let i = 0; reader.more(i, count); i++) { … one item … }
 *       }
 *     }
 *
 * In a map, each turn of the loop reads a key and a value.
 */
export class CborReader {
  /** Argument of the last head: the value of an integer, a length in bytes, or the number of items or entries. */
  count = 0;
  #major = 0;
  #at = 0;
  #depth = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Reads the head of the next item and returns its major type. The caller must then read a number, string or simple value with
   * the method of its type, or iterate over an array or map with {@link more}.
   * @throws CborError
   */
  next(): number {
    const bytes = this.#bytes;
    const head = bytes[this.#at];
    if (head === undefined) throw new CborError(`the data ends early, after ${bytes.length} bytes`);
    this.#at++;
    const major = head >> 5;
    const short = head & 0x1f;
    this.#major = major;
    this.count = short < 24 || major === SIMPLE ? short : this.#longCount(short, major);
    if (major >= BYTES && major <= MAP) this.#enter(major);
    return major;
  }

  /** Whether an array or map of `count` items has one at `index`; if not, the reader has left it. */
  more(index: number, count: number): boolean {
    if (count === INDEFINITE) {
      if (this.#bytes[this.#at] !== BREAK) return true;
      this.#at++;
    } else if (index < count) return true;
    this.#depth--;
    return false;
  }

  /** The integer whose head was read; a bigint if a number cannot represent it exactly. */
  integer(): number | bigint {
    const exact = this.count <= Number.MAX_SAFE_INTEGER - this.#major;
    if (exact) return this.#major === UINT ? this.count : -1 - this.count;
    const wide = this.#bytes.readBigUInt64BE(this.#at - 8);
    return this.#major === UINT ? wide : -1n - wide;
  }

  /** The text whose head was read. Bytes that are not UTF-8 become U+FFFD. */
  text(): string {
    return this.#bytes.toString('utf8', this.#at, this.#skip());
  }

  /** A copy of the byte string whose head was read. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(this.#at, this.#skip()));
  }

  /** The byte string whose head was read, as lower-case hex. */
  hex(): string {
    return this.#bytes.toString('hex', this.#at, this.#skip());
  }

  /** Skips the text or byte string whose head was read. */
  pass(): void {
    this.#at += this.count;
  }

  /** The simple value or float whose head was read; undefined is read as null. */
  simple(): boolean | null | number {
    const at = this.#at;
    switch (this.count) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
      case 23:
        return null;
      case 25:
        this.#take(2);
        return half(this.#bytes.readUInt16BE(at));
      case 26:
        this.#take(4);
        return this.#bytes.readFloatBE(at);
      case 27:
        this.#take(8);
        return this.#bytes.readDoubleBE(at);
      case 31:
        throw new CborError(`byte ${at - 1} is a break outside of a list`);
      default:
        throw new CborError(`byte ${at - 1} is a simple value that is not in use here`);
    }
  }

  /** Checks that all bytes were read. @throws CborError */
  end(): void {
    const left = this.#bytes.length - this.#at;
    if (left > 0) throw new CborError(`${left} ${left === 1 ? 'byte is' : 'bytes are'} left over after the value`);
  }

  #longCount(short: number, major: number): number {
    const at = this.#at;
    switch (short) {
      case 24:
        this.#take(1);
        return this.#bytes[at] as number;
      case 25:
        this.#take(2);
        // Most numbers of a report have two bytes. With readUInt16BE, reading them would take a tenth of the decoding time.
        return ((this.#bytes[at] as number) << 8) | (this.#bytes[at + 1] as number);
      case 26:
        this.#take(4);
        return this.#bytes.readUInt32BE(at);
      case 27:
        this.#take(8);
        return this.#bytes.readUInt32BE(at) * 4_294_967_296 + this.#bytes.readUInt32BE(at + 4);
      case 31:
        if (major === ARRAY || major === MAP) return INDEFINITE;
        throw new CborError(`byte ${at - 1} begins a string in chunks, which this protocol does not have`);
      default:
        throw new CborError(`byte ${at - 1} is not the head of a CBOR item`);
    }
  }

  /** Checks that the bytes can contain the announced length, so that no loop or allocation exceeds the data. */
  #enter(major: number): void {
    const least = major === MAP ? this.count * 2 : this.count;
    if (least > this.#bytes.length - this.#at) throw this.#promised();
    if (major >= ARRAY && ++this.#depth > DEEPEST) {
      throw new CborError(`the data is nested more than ${DEEPEST} levels deep`);
    }
  }

  #take(length: number): void {
    if (this.#at + length > this.#bytes.length) throw this.#promised();
    this.#at += length;
  }

  #skip(): number {
    this.#at += this.count;
    return this.#at;
  }

  #promised(): CborError {
    return new CborError(`the item before byte ${this.#at} promises more than the ${this.#bytes.length} bytes hold`);
  }
}

/** An IEEE 754 half-precision number from its bits. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return (sign * fraction) / 16_777_216;
  const significand = sign * (1024 + fraction);
  return exponent >= 25 ? significand * (1 << (exponent - 25)) : significand / (1 << (25 - exponent));
}
