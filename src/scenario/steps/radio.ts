import { oneOf } from '../../input/checks.js';
import { BLOCKS, type StepKind, stays } from './step.js';

/** Shields the antenna, so that the device can neither send nor receive, or removes the shield. */
export const radio: StepKind<'on' | 'off'> = {
  about: 'shields the antenna of the device (off), or removes the shield (on)',
  example: 'radio: off',
  check: oneOf(['on', 'off']),
  describe: (state) => state,
  actsOn: 'network',
  effect: (state) => (state === 'off' ? BLOCKS : undefined),
  beforeStart: stays,
  run: async (_world, device, state) => device.controls.radio(state === 'on'),
};
