import { describeKey, duration, oneOf, optional, record, refine, shortOrMap } from '../../input/checks.js';
import { type Draws, exponential } from '../../kernel/random.js';
import { formatDuration, type Millis } from '../../kernel/time.js';
import { LATE, type NetworkFaultKind } from './kind.js';

/** `even`: uniform up to `by`; `bell`: mostly about half of `by`; `tail`: exponential with mean `by`. */
const SHAPES = ['even', 'bell', 'tail'] as const;

type Jitter = {
  readonly by: Millis;
  readonly shape: (typeof SHAPES)[number];
};

/** Options: `300ms`, or `{ by: 300ms, shape: bell }`. */
export const jitter: NetworkFaultKind<Jitter> = {
  part: 'network',
  about:
    'delays each datagram by a random extra time: even, bell (mostly about half) or tail (mostly short, sometimes long)',
  example: 'jitter: { by: 300ms, shape: bell }',
  check: shortOrMap<Jitter>(
    refine(duration, (by) => ({ by, shape: 'tail' })),
    record('jitter', {
      by: describeKey('How far the delay spreads.', '800ms', duration),
      shape: optional(
        describeKey('Distribution of the delay. Default: tail.', 'tail', oneOf([...SHAPES])),
        'tail' as const,
      ),
    }),
  ),
  describe: ({ by, shape }) => `jitter ${formatDuration(by)}, ${shape}`,
  datagrams: {
    sign: null,
    strike(options, verdict, draws) {
      for (let i = 0; i < verdict.length; i++) verdict[i] = (verdict[i] ?? 0) + delayOf(options, draws);
      return false;
    },
  },
  effect: ({ by }) => (by >= LATE ? 'hinders' : undefined),
  isNetworkKey: true,
};

function delayOf({ by, shape }: Jitter, draws: Draws): Millis {
  switch (shape) {
    case 'even':
      return Math.round(by * draws.next());
    case 'bell':
      return Math.round((by * (draws.next() + draws.next() + draws.next() + draws.next())) / 4);
    case 'tail':
      return Math.round(by * exponential(draws));
    default:
      return shape satisfies never;
  }
}
