import { refine } from '../../../input/checks.js';
import { skew } from '../../steps/clock.js';
import type { DeviceFaultKind } from './kind.js';

/** Only a session, a timestamp or its shell corrects the clock of a device: the fault has no step that ends it. */
export const clockSkew: DeviceFaultKind = {
  about: 'the clock of the device is suddenly ahead by so much, or behind below 0, until something sets it',
  example: 'clock-skew: 2h',
  check: refine(skew, (by) => ({
    begin: { step: 'clock', options: { drift: null, skew: by } },
    end: null,
    every: null,
  })),
};
