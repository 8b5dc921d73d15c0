import { chance, integerBetween } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import type { Millis } from '../../kernel/time.js';
import type { FaultKind } from './fault.js';

/** Delays some datagrams, so that later ones overtake them. */
export interface Reorder {
  readonly kind: 'reorder';
  /** Probability per datagram. */
  readonly ratio: Ratio;
  /** Longest delay. */
  readonly by: Millis;
}

export const reorder: FaultKind<Reorder> = {
  overtakes: true,
  strike({ ratio, by }, verdict, draws) {
    if (verdict.length === 0 || !chance(draws, ratio)) return false;
    verdict[0] = (verdict[0] ?? 0) + integerBetween(draws, 1, by);
    return true;
  },
};
