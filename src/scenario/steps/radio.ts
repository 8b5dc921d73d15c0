import { oneOf } from '../../input/checks.js';
import type { StepKind } from './step.js';

/** Shields the antenna or frees it: nothing the device sends arrives, and it hears nothing. */
export const radio: StepKind<'on' | 'off'> = {
  about: 'shields the antenna of the device (off) or frees it again (on)',
  example: 'radio: off',
  check: oneOf(['on', 'off']),
  describe: (state) => state,
  run: async (_world, device, state) => device.controls.radio(state === 'on'),
};
