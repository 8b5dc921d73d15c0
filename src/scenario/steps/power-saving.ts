import { oneOf } from '../../input/checks.js';
import { HINDERS, type StepKind, stays } from './step.js';

/** Moves the device to a network that grants power saving mode (on) or refuses it. */
export const powerSaving: StepKind<'on' | 'off'> = {
  about:
    'the network grants power saving mode (on) or refuses it (off); without it, every exchange begins with an attach',
  example: 'power-saving: off',
  check: oneOf(['on', 'off']),
  describe: (state) => state,
  actsOn: 'network',
  effect: (state) => (state === 'off' ? HINDERS : undefined),
  beforeStart: stays,
  run: async (_world, device, state) => device.controls.powerSaving(state === 'on'),
};
