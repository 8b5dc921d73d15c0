import { ratio } from '../../input/checks.js';
import { chance, integerBetween } from '../../kernel/random.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import { withFlippedBit } from '../../protocol/flap/envelope.js';
import { HOPELESS, type NetworkFaultKind } from './kind.js';

/** The option is the probability per datagram. */
export const corruption: NetworkFaultKind<Ratio> = {
  part: 'network',
  about: 'flips one bit of a datagram with a probability; transports with a checksum (HTTP) lose it',
  example: 'corruption: 1/200',
  check: ratio,
  describe: (share) => `corruption ${formatRatio(share)}`,
  datagrams: {
    sign: 'corruption',
    strike(share, verdict, draws, delivery) {
      if (verdict.length === 0 || delivery.size === 0 || !chance(draws, share)) return false;
      const bit = integerBetween(draws, 0, delivery.size * 8 - 1);
      delivery.damage = (datagram, format) => withFlippedBit(datagram, bit, format);
      return true;
    },
  },
  effect: (share) => (share >= HOPELESS ? 'blocks' : 'hinders'),
  isNetworkKey: true,
};
