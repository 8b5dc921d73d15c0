/**
 * Ids of all rows: UUIDs, version 7.
 *
 * Their first 48 bits are the creation time and never go back, so that the order of ids is the order of creation and an
 * id serves as a cursor (cloud API gaps, section 1 no. 4). Time and randomness are parameters: in a simulation the same
 * seed gives the same ids.
 */
import { v7 } from 'uuid';
import type { Clock } from '../../kernel/clock.js';
import { type Random, randomBytes } from '../../kernel/random.js';
import type { Id } from './store.js';

export interface Ids {
  /** Returns a new UUID, version 7, greater than every id that this source has returned before. */
  uuid(): Id;
}

/** A source of ids that read `clock.wall` and draw from `random`. */
export function createIds(clock: Clock, random: Random): Ids {
  let lastMs = Number.NEGATIVE_INFINITY;
  let sequence = 0;
  return {
    uuid() {
      const bytes = randomBytes(random, 16);
      const now = Math.floor(clock.wall);
      if (now > lastMs) {
        lastMs = now;
        // 31 bits leave room for two thousand million more ids in the same millisecond before the 32-bit field
        // overflows.
        sequence = Math.floor(random.next() * 2_147_483_648);
      } else {
        sequence++;
      }
      return v7({ msecs: lastMs, seq: sequence, random: bytes });
    },
  };
}
