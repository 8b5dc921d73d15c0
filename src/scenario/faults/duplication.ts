import { ratio } from '../../input/checks.js';
import { chance } from '../../kernel/random.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import type { NetworkFaultKind } from './kind.js';

/**
 * From this share of duplicated datagrams on, hardly any exchange succeeds: a device reads the copy of an earlier answer in
 * place of the next answer. In simulations, at 50% three of four downlinks wait until the fault ends; at 30%, none do.
 */
const ALWAYS_BEHIND = 0.5;

/** The option is the probability per datagram. */
export const duplication: NetworkFaultKind<Ratio> = {
  part: 'network',
  about: 'delivers a datagram twice with a probability',
  example: 'duplication: 1%',
  check: ratio,
  describe: (share) => `duplication ${formatRatio(share)}`,
  datagrams: {
    sign: 'duplication',
    strike(share, verdict, draws) {
      if (verdict.length === 0 || !chance(draws, share)) return false;
      verdict.push(verdict[0] ?? 0);
      return true;
    },
  },
  effect: (share) => (share >= ALWAYS_BEHIND ? 'blocks' : 'hinders'),
  isNetworkKey: true,
};
