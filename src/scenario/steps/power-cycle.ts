import { noOptions } from './no-options.js';
import type { StepKind } from './step.js';

/** Pulls the battery and puts it back. */
export const powerCycle: StepKind<null> = {
  about: 'takes the power away and gives it back; RAM is lost, flash stays',
  example: 'power-cycle:',
  check: noOptions,
  describe: () => '',
  run: async (_world, device) => device.powerCycle(),
};
