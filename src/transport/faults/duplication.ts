import { chance } from '../../kernel/random.js';
import type { Ratio } from '../../kernel/ratio.js';
import type { FaultKind } from './fault.js';

/** Delivers some datagrams twice. */
export interface Duplication {
  readonly kind: 'duplication';
  /** Probability per datagram. */
  readonly ratio: Ratio;
}

export const duplication: FaultKind<Duplication> = {
  strike({ ratio }, verdict, draws) {
    if (verdict.length === 0 || !chance(draws, ratio)) return false;
    verdict.push(verdict[0] ?? 0);
    return true;
  },
};
