import type { Fate, FaultKind } from './fault.js';

export interface Bandwidth {
  readonly kind: 'bandwidth';
  /** In each direction. */
  readonly bitsPerSecond: number;
}

export const bandwidth: FaultKind<Bandwidth> = {
  about: 'each device has so many bits a second each way; datagrams queue up for them',
  strike({ bitsPerSecond }, fate: Fate, _draws, passage) {
    const takes = Math.ceil((passage.size * 8000) / bitsPerSecond);
    for (let i = 0; i < fate.length; i++) {
      passage.freeAt = Math.max(passage.freeAt, passage.now) + takes;
      fate[i] = (fate[i] ?? 0) + passage.freeAt - passage.now;
    }
    // A slow link is the normal state of a network, not an event.
    return false;
  },
};
