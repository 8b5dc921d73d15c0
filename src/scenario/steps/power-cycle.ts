import { noOptions } from '../values/no-options.js';
import { RESTARTS, type StepKind } from './step.js';

/** Removes the battery and inserts it again. */
export const powerCycle: StepKind<null> = {
  about: 'switches the power off and on; RAM is lost, flash is kept',
  example: 'power-cycle:',
  check: noOptions,
  describe: () => '',
  actsOn: 'device',
  effect: () => RESTARTS,
  beforeStart: () => 'starts',
  run: async (_world, device) => device.controls.powerCycle(),
};
