/** Cryptographic randomness for the ids and keys of a real service. Never for values that a seed must decide. */
import { randomFillSync } from 'node:crypto';
import type { Random } from './random.js';

/** Bytes per number: 48 bits fit exactly into the 53-bit mantissa of a double. */
const SIZE = 6;
/** The whole pool is filled at once, because a system call costs the same for one number as for hundreds. */
const pool = Buffer.alloc(SIZE * 512);
let used = pool.length;

export const entropy: Random = {
  /** Takes the bytes from the pool directly. With one number per byte, an id of 16 bytes would use 96 bytes of the pool. */
  bytes(length) {
    if (length > pool.length) return randomFillSync(new Uint8Array(length));
    if (used + length > pool.length) refill();
    const bytes = Uint8Array.prototype.slice.call(pool, used, used + length);
    pool.fill(0, used, used + length);
    used += length;
    return bytes;
  },
  next() {
    if (used + SIZE > pool.length) refill();
    const number = pool.readUIntBE(used, SIZE) / 281_474_976_710_656;
    // Erased after use, because the number may become part of a secret.
    for (const end = used + SIZE; used < end; used++) pool[used] = 0;
    return number;
  },
  fork: () => entropy,
};

function refill(): void {
  randomFillSync(pool);
  used = 0;
}
