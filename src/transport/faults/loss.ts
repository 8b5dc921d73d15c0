import { chance } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import type { FaultKind } from './fault.js';

/** Loses some datagrams. */
export interface Loss {
  readonly kind: 'loss';
  /** Probability per datagram. */
  readonly ratio: Ratio;
}

export const loss: FaultKind<Loss> = {
  strike({ ratio }, verdict, draws) {
    if (!chance(draws, ratio)) return false;
    verdict.length = 0;
    return true;
  },
};
