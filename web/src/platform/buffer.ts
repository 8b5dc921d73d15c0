/**
 * The part of Node's `Buffer` that the protocol and the API client in src/ use, for browsers. Import it first; it sets the global
 * name `Buffer`.
 */
type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64';

class ByteBuffer extends Uint8Array {
  override toString(encoding: Encoding = 'utf8', start = 0, end = this.length): string {
    const bytes = this.subarray(start, end);
    if (encoding === 'utf8') return new TextDecoder().decode(bytes);
    if (encoding === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    return encoding === 'latin1' ? text : btoa(text);
  }

  readUInt16BE(at: number): number {
    return this.#view.getUint16(at);
  }

  readUInt32BE(at: number): number {
    return this.#view.getUint32(at);
  }

  readBigUInt64BE(at: number): bigint {
    return this.#view.getBigUint64(at);
  }

  readFloatBE(at: number): number {
    return this.#view.getFloat32(at);
  }

  readDoubleBE(at: number): number {
    return this.#view.getFloat64(at);
  }

  /** As in Node, bytes that do not fit are left out. */
  write(text: string, at: number, encoding: Encoding): number {
    const bytes = bytesOf(text, encoding).subarray(0, this.length - at);
    this.set(bytes, at);
    return bytes.length;
  }

  writeBigUInt64BE(value: bigint, at: number): number {
    this.#view.setBigUint64(at, value);
    return at + 8;
  }

  get #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }
}

function from(value: string | ArrayBuffer | ArrayLike<number>, kind?: Encoding | number, length?: number): ByteBuffer {
  if (value instanceof ArrayBuffer) return new ByteBuffer(value, typeof kind === 'number' ? kind : 0, length);
  if (typeof value === 'string') return new ByteBuffer(bytesOf(value, typeof kind === 'string' ? kind : 'utf8'));
  return new ByteBuffer(value);
}

function bytesOf(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case 'utf8':
      return new TextEncoder().encode(text);
    case 'latin1':
      return Uint8Array.from(text, (character) => character.charCodeAt(0));
    case 'base64':
      return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    case 'hex': {
      // As in Node, digits after the first character that is not a hex digit are ignored.
      const [digits = ''] = /^(?:[0-9a-f]{2})*/i.exec(text) ?? [];
      return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    }
    default:
      return encoding satisfies never;
  }
}

function concat(parts: readonly Uint8Array[]): ByteBuffer {
  const joined = new ByteBuffer(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const alloc = (size: number) => new ByteBuffer(size);
const byteLength = (text: string) => new TextEncoder().encode(text).length;

Object.assign(ByteBuffer, { from, concat, alloc, allocUnsafe: alloc, byteLength });
Object.assign(globalThis, { Buffer: ByteBuffer });
