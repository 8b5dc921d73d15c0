import { chance, integerBetween } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import type { FaultKind } from './fault.js';

/** Flips a random bit in some datagrams. */
export interface Corruption {
  readonly kind: 'corruption';
  /** Probability per datagram. */
  readonly ratio: Ratio;
}

export const corruption: FaultKind<Corruption> = {
  strike({ ratio }, verdict, draws, delivery) {
    if (verdict.length === 0 || delivery.size === 0 || !chance(draws, ratio)) return false;
    delivery.flippedBit = integerBetween(draws, 0, delivery.size * 8 - 1);
    return true;
  },
};
