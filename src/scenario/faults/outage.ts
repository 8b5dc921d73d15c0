import { oneOf } from '../../input/checks.js';
import type { Way } from '../../transport/faults/fault.js';
import type { DatagramBehaviour, NetworkFaultKind } from './kind.js';

/** Loses all datagrams. */
export const LOSES_ALL: DatagramBehaviour<unknown> = {
  sign: 'outage',
  strike(_options, verdict) {
    verdict.length = 0;
    return true;
  },
};

/** The option is the direction. */
export const outage: NetworkFaultKind<Way | 'both'> = {
  part: 'network',
  about: 'loses all datagrams',
  example: 'outage: both',
  check: oneOf(['both', 'up', 'down']),
  datagrams: { ...LOSES_ALL, way: (way) => way },
  effect: () => 'blocks',
  isNeverUsual: true,
};
