import { describeKey, duration, optional, ratio, record, refine, shortOrMap, valueAt } from '../../input/checks.js';
import { chance, integerBetween } from '../../kernel/random.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import { formatDuration, type Millis, seconds } from '../../kernel/time.js';
import { LATE, type NetworkFaultKind } from './kind.js';

type Reorder = {
  /** Probability per datagram. */
  readonly ratio: Ratio;
  /** Longest delay. */
  readonly by: Millis;
};

const DEFAULT_DELAY = seconds(2);

/** Options: `5%`, or `{ ratio: 5%, by: 3s }`. */
export const reorder: NetworkFaultKind<Reorder> = {
  part: 'network',
  about: 'delays a datagram with a probability, so that later ones overtake it',
  example: 'reorder: { ratio: 5%, by: 3s }',
  check: shortOrMap<Reorder>(
    refine(ratio, (share) => ({ ratio: share, by: DEFAULT_DELAY })),
    refine(
      record('reorder', {
        ratio: describeKey('Probability that a datagram is held back.', '5%', ratio),
        by: optional(describeKey('Longest time for which it is held back.', '3s', duration), DEFAULT_DELAY),
      }),
      (options, node, problems) => {
        if (options.by > 0) return options;
        problems.add(valueAt(node, 'by'), 'a datagram cannot be held back by less than 1 ms');
        return undefined;
      },
    ),
  ),
  describe: (options) => `reorder ${formatRatio(options.ratio)}, held back by up to ${formatDuration(options.by)}`,
  datagrams: {
    sign: 'reorder',
    overtakes: true,
    strike(options, verdict, draws) {
      if (verdict.length === 0 || !chance(draws, options.ratio)) return false;
      verdict[0] = (verdict[0] ?? 0) + integerBetween(draws, 1, options.by);
      return true;
    },
  },
  effect: ({ by }) => (by >= LATE ? 'hinders' : undefined),
  isNetworkKey: true,
};
