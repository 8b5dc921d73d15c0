import { integerBetween } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { FaultKind } from './fault.js';

export interface Latency {
  readonly kind: 'latency';
  readonly min: Millis;
  readonly max: Millis;
}

export const latency: FaultKind<Latency> = {
  about: 'each datagram is delayed by a draw from a range',
  strike({ min, max }, verdict, draws) {
    for (let i = 0; i < verdict.length; i++) verdict[i] = (verdict[i] ?? 0) + integerBetween(draws, min, max);
    // Delay is the normal state of a network, not an event.
    return false;
  },
};
