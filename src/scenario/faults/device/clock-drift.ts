import { record } from '../../../input/checks.js';
import { drift } from '../../steps/clock.js';
import { type DeviceFaultKind, lasting } from './kind.js';

export const clockDrift: DeviceFaultKind = {
  about: 'the clock of the device runs fast, or slow below 0; what sets it sets it right, and it drifts on',
  example: 'clock-drift: { drift: 120ppm }',
  check: lasting(
    record('clock-drift', { drift }),
    (options) => ({ step: 'clock', options: { ...options, skew: null } }),
    { step: 'clock', options: { drift: 0, skew: null } },
  ),
};
