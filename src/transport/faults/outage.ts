import type { FaultKind } from './fault.js';

/** Loses all datagrams. */
export interface Outage {
  readonly kind: 'outage';
}

export const outage: FaultKind<Outage> = {
  strike(_options, verdict) {
    verdict.length = 0;
    return true;
  },
};
