import { formOf, oneOf } from '../../input/checks.js';
import { quantitiesOf } from '../values/quantity.js';
import { noEffect, type StepKind, stays } from './step.js';

/** Cuts or restores the line that supplies the device by CHESTER-Z; without it, the battery does. */
export const linePower: StepKind<'on' | 'off'> = {
  about: 'cuts the power line of the device (off), which then runs on its battery, or restores it (on)',
  example: 'line-power: off',
  form: () => formOf(oneOf(['on', 'off'])),
  check: (node, problems, scope) => {
    const before = problems.list.length;
    const state = oneOf(['on', 'off'])(node, problems);
    quantitiesOf('backup.line_voltage', node, problems, scope.profiles);
    return problems.list.length === before ? state : undefined;
  },
  describe: (state) => state,
  actsOn: 'device',
  effect: noEffect,
  beforeStart: stays,
  run: async (_world, device, state) => device.controls.line(state === 'on'),
};
