/**
 * Writes CBOR item by item into a growing buffer, which is reused.
 *
 * Devices write maps and arrays with indefinite length, as the firmware does (wire W-45); the cloud uses definite lengths.
 * Integers always have their shortest form. The writer does not check the number of items.
 */
const LARGEST_UINT = 0xffff_ffff_ffff_ffffn;

export class CborWriter {
  #buffer = Buffer.allocUnsafe(512);
  #at = 0;

  beginMap(): void {
    this.#byte(0xbf);
  }

  endMap(): void {
    this.#byte(0xff);
  }

  beginArray(): void {
    this.#byte(0x9f);
  }

  endArray(): void {
    this.#byte(0xff);
  }

  /** Begins a map of `size` entries, without an end mark. */
  mapOf(size: number): void {
    this.#head(0xa0, size);
  }

  /** Begins an array of `size` items, without an end mark. */
  arrayOf(size: number): void {
    this.#head(0x80, size);
  }

  /** Writes the key of a map entry. */
  key(number: number): void {
    this.#head(0, number);
  }

  /** @throws RangeError when the value is not a whole number from 0 to 2^64-1 (2^53-1 for the type number) */
  uint(value: number | bigint): void {
    if (value < 0) throw new RangeError(`${value} is not an unsigned integer`);
    this.int(value);
  }

  /**
   * @throws RangeError when the value is not an integer that CBOR can represent (for the type number: between -2^53 and 2^53)
   */
  int(value: number | bigint): void {
    if (typeof value === 'bigint') this.#wide(value);
    else if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not an exact integer`);
    else if (value < 0) this.#head(0x20, -1 - value);
    else this.#head(0, value);
  }

  /** Writes a 32-bit float. */
  single(value: number): void {
    this.#byte(0xfa);
    this.#reserve(4);
    this.#at = this.#buffer.writeFloatBE(value, this.#at);
  }

  /** Writes a 64-bit float. */
  float(value: number): void {
    this.#byte(0xfb);
    this.#reserve(8);
    this.#at = this.#buffer.writeDoubleBE(value, this.#at);
  }

  bool(value: boolean): void {
    this.#byte(value ? 0xf5 : 0xf4);
  }

  null(): void {
    this.#byte(0xf6);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.#head(0x60, length);
    this.#reserve(length);
    this.#at += this.#buffer.write(value, this.#at, 'utf8');
  }

  bytes(value: Uint8Array): void {
    this.#head(0x40, value.length);
    this.raw(value);
  }

  /** Writes bytes unchanged: encoded CBOR, or a prefix. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  /** Returns a copy of the written bytes and clears the buffer. */
  finish(): Uint8Array {
    return new Uint8Array(this.take());
  }

  /** Returns the written bytes without a copy and clears the buffer; they are valid until the next write. */
  take(): Uint8Array {
    const written = this.#buffer.subarray(0, this.#at);
    this.#at = 0;
    return written;
  }

  #wide(value: bigint): void {
    const major = value < 0n ? 0x20 : 0;
    const argument = value < 0n ? -1n - value : value;
    if (argument > LARGEST_UINT) throw new RangeError(`${value} does not fit into 64 bits`);
    if (argument <= BigInt(Number.MAX_SAFE_INTEGER)) {
      this.#head(major, Number(argument));
      return;
    }
    this.#byte(major | 27);
    this.#reserve(8);
    this.#at = this.#buffer.writeBigUInt64BE(argument, this.#at);
  }

  #head(major: number, argument: number): void {
    this.#reserve(9);
    const buffer = this.#buffer;
    if (argument < 24) {
      buffer[this.#at++] = major | argument;
    } else if (argument < 0x100) {
      buffer[this.#at++] = major | 24;
      buffer[this.#at++] = argument;
    } else if (argument < 0x1_0000) {
      buffer[this.#at++] = major | 25;
      buffer[this.#at++] = argument >> 8;
      buffer[this.#at++] = argument & 0xff;
    } else if (argument < 0x1_0000_0000) {
      buffer[this.#at++] = major | 26;
      this.#at = buffer.writeUInt32BE(argument, this.#at);
    } else {
      buffer[this.#at++] = major | 27;
      this.#at = buffer.writeUInt32BE(Math.floor(argument / 0x1_0000_0000), this.#at);
      this.#at = buffer.writeUInt32BE(argument % 0x1_0000_0000, this.#at);
    }
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#at++] = value;
  }

  #reserve(length: number): void {
    const needed = this.#at + length;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = larger;
  }
}
