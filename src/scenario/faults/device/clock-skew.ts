import { refine } from '../../../input/checks.js';
import { skew } from '../../steps/clock.js';
import type { DeviceFaultKind } from './kind.js';

/** A fault without a step that ends it: only a session, a timestamp or a shell command corrects the clock of a device. */
export const clockSkew: DeviceFaultKind = {
  about: 'the device clock jumps ahead (negative: back) and stays wrong until it is set',
  example: 'clock-skew: 2h',
  check: refine(skew, (by) => ({
    begin: { step: 'clock', options: { drift: null, skew: by } },
    end: null,
    every: null,
  })),
};
