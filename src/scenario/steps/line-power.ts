import { formOf, oneOf } from '../../input/checks.js';
import { quantitiesOf } from '../values/quantity.js';
import type { StepKind } from './step.js';

/** Cuts the line that feeds the device through CHESTER-Z; its own battery keeps it running. */
export const linePower: StepKind<'on' | 'off'> = {
  about: 'cuts the power line of the device (off), which runs on from its battery, or brings it back (on)',
  example: 'line-power: off',
  form: () => formOf(oneOf(['on', 'off'])),
  check: (node, problems, scope) => {
    const before = problems.list.length;
    const state = oneOf(['on', 'off'])(node, problems);
    quantitiesOf('backup.line_voltage', node, problems, scope.profiles);
    return problems.list.length === before ? state : undefined;
  },
  describe: (state) => state,
  run: async (_world, device, state) => device.controls.line(state === 'on'),
};
