import { type Draws, exponential } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { FaultKind } from './fault.js';

/** `even`: uniform up to `by`; `bell`: mostly about half of `by`; `tail`: exponential with mean `by`. */
const JITTER_SHAPES = ['even', 'bell', 'tail'] as const;

/** Delays each datagram by a random time with the distribution `shape`. */
export interface Jitter {
  readonly kind: 'jitter';
  readonly by: Millis;
  readonly shape: (typeof JITTER_SHAPES)[number];
}

export const jitter: FaultKind<Jitter> = {
  strike(options, verdict, draws) {
    for (let i = 0; i < verdict.length; i++) verdict[i] = (verdict[i] ?? 0) + delay(options, draws);
    return false;
  },
};

function delay({ by, shape }: Jitter, draws: Draws): Millis {
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
