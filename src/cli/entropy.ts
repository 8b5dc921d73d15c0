/** Randomness of a real service: ids and keys that nobody can foresee. Never for anything that a seed should decide. */
import { randomFillSync } from 'node:crypto';
import type { Random } from '../kernel/random.js';

/** 48 bits a number: as many as fit without loss beside the 53 of a double. */
const SIZE = 6;
/** Asking the system costs the same for one number as for hundreds, and an id takes many. */
const pool = Buffer.alloc(SIZE * 512);
let used = pool.length;

export const entropy: Random = {
  next() {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const number = pool.readUIntBE(used, SIZE) / 281_474_976_710_656;
    // What has been given out is not kept: it may be part of a secret.
    for (const end = used + SIZE; used < end; used++) pool[used] = 0;
    return number;
  },
  fork: () => entropy,
};
