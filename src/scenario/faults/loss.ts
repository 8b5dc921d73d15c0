import { ratio } from '../../input/checks.js';
import { chance } from '../../kernel/random.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import { HOPELESS, type NetworkFaultKind } from './kind.js';

/** The option is the probability per datagram. */
export const loss: NetworkFaultKind<Ratio> = {
  part: 'network',
  about: 'loses a datagram with a probability',
  example: 'loss: 5%',
  check: ratio,
  describe: (share) => `loss ${formatRatio(share)}`,
  datagrams: {
    sign: 'loss',
    strike(share, verdict, draws) {
      if (!chance(draws, share)) return false;
      verdict.length = 0;
      return true;
    },
  },
  effect: (share) => (share >= HOPELESS ? 'blocks' : 'hinders'),
  isNetworkKey: true,
};
