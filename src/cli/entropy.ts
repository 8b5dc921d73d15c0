/** Randomness of a real service: ids and keys that nobody can foresee. Never for anything that a seed should decide. */
import { randomBytes } from 'node:crypto';
import type { Random } from '../kernel/random.js';

export const entropy: Random = {
  // 48 bits: as many as fit without loss beside the 53 of a double.
  next: () => randomBytes(6).readUIntBE(0, 6) / 281_474_976_710_656,
  fork: () => entropy,
};
