import type { FaultKind, Verdict } from './fault.js';

/** Limits the bit rate of each device and direction: datagrams wait until the earlier ones are sent. */
export interface Bandwidth {
  readonly kind: 'bandwidth';
  /** In each direction. */
  readonly bitsPerSecond: number;
}

export const bandwidth: FaultKind<Bandwidth> = {
  strike({ bitsPerSecond }, verdict: Verdict, _draws, delivery) {
    const takes = Math.ceil((delivery.size * 8000) / bitsPerSecond);
    for (let i = 0; i < verdict.length; i++) {
      delivery.freeAt = Math.max(delivery.freeAt, delivery.now) + takes;
      verdict[i] = (verdict[i] ?? 0) + delivery.freeAt - delivery.now;
    }
    // A slow link is the normal state of a network, not an event.
    return false;
  },
};
