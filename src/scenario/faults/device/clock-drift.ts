import { record } from '../../../input/checks.js';
import { drift } from '../../steps/clock.js';
import { type DeviceFaultKind, lasting } from './kind.js';

export const clockDrift: DeviceFaultKind = {
  about: 'the device clock runs fast (negative: slow); setting the clock corrects the time, but not the drift',
  example: 'clock-drift: { drift: 120ppm }',
  check: lasting(
    record('clock-drift', { drift }),
    (options) => ({ step: 'clock', options: { ...options, skew: null } }),
    { step: 'clock', options: { drift: 0, skew: null } },
  ),
};
