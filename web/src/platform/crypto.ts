/**
 * SHA-256 with the interface of `node:crypto` that the protocol uses. `crypto.subtle` is not possible, because it is
 * asynchronous.
 */

const encoder = new TextEncoder();

/** @param encoding `binary`: a text with one character per byte */
export function hash(algorithm: 'sha256', input: string | Uint8Array, encoding: 'buffer'): Uint8Array;
export function hash(algorithm: 'sha256', input: string | Uint8Array, encoding: 'hex' | 'binary'): string;
export function hash(
  _: 'sha256',
  input: string | Uint8Array,
  encoding: 'buffer' | 'hex' | 'binary',
): string | Uint8Array {
  const digest = sha256(typeof input === 'string' ? encoder.encode(input) : input);
  if (encoding === 'buffer') return digest;
  if (encoding === 'binary') return String.fromCharCode(...digest);
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const K = constants(64, 3);
/** The first 32 bits of the fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3). */
const START = constants(8, 2);

function sha256(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  const state = Uint32Array.from(START);
  const w = new Uint32Array(64);
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < 16; i++) w[i] = words.getUint32(block * 64 + i * 4);
    for (let i = 16; i < 64; i++)
      w[i] = at(w, i - 16) + small(at(w, i - 15), 7, 18, 3) + at(w, i - 7) + small(at(w, i - 2), 17, 19, 10);
    compress(state, w);
  }
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  for (const [i, word] of state.entries()) view.setUint32(i * 4, word);
  return digest;
}

function compress(state: Uint32Array, w: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const first = (h + large(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)) >>> 0;
    const second = (large(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = at(state, i) + value;
}

function rotate(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

function small(value: number, first: number, second: number, shift: number): number {
  return rotate(value, first) ^ rotate(value, second) ^ (value >>> shift);
}

function large(value: number, first: number, second: number, third: number): number {
  return rotate(value, first) ^ rotate(value, second) ^ rotate(value, third);
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

function constants(count: number, root: 2 | 3): Uint32Array {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (isPrime(n)) found.push(n);
  return Uint32Array.from(found, (prime) => {
    const value = root === 2 ? Math.sqrt(prime) : Math.cbrt(prime);
    return (value - Math.floor(value)) * 0x1_0000_0000;
  });
}

function isPrime(n: number): boolean {
  for (let i = 2; i * i <= n; i++) if (n % i === 0) return false;
  return true;
}
