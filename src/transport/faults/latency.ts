import { integerBetween } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { FaultKind } from './fault.js';

/** Delays each datagram by a random time from `min` to `max`. */
export interface Latency {
  readonly kind: 'latency';
  readonly min: Millis;
  readonly max: Millis;
}

export const latency: FaultKind<Latency> = {
  strike({ min, max }, verdict, draws) {
    for (let i = 0; i < verdict.length; i++) verdict[i] = (verdict[i] ?? 0) + integerBetween(draws, min, max);
    // Delay is normal in a network, so it is not an event.
    return false;
  },
};
