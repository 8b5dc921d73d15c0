import { durationRange, refine } from '../../input/checks.js';
import { integerBetween } from '../../kernel/random.js';
import { formatDuration, type Millis } from '../../kernel/time.js';
import { LATE, type NetworkFaultKind } from './kind.js';

type Latency = {
  readonly min: Millis;
  readonly max: Millis;
};

/** Options: `150ms..900ms`, or `200ms` for a latency that does not vary. */
export const latency: NetworkFaultKind<Latency> = {
  part: 'network',
  about: 'delays each datagram by a random time from a range',
  example: 'latency: 150ms..900ms',
  check: refine(durationRange('a latency such as "200ms" or "150ms..900ms"'), ([min, max]): Latency => ({ min, max })),
  describe: ({ min, max }) => `latency ${formatDuration(min)} to ${formatDuration(max)}`,
  datagrams: {
    sign: null,
    strike({ min, max }, verdict, draws) {
      for (let i = 0; i < verdict.length; i++) verdict[i] = (verdict[i] ?? 0) + integerBetween(draws, min, max);
      return false;
    },
  },
  effect: ({ max }) => (max >= LATE ? 'hinders' : undefined),
  isNetworkKey: true,
};
