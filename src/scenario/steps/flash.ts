import { complain, describeKey, eitherForm, formOf, integer, record } from '../../input/checks.js';
import { noEffect, type StepKind, stays } from './step.js';

/** Number of times that settings can still be saved; null if unlimited. */
type FlashOptions = number | null;

const shape = record('flash', {
  'writes-left': describeKey('Number of writes that still succeed.', 0, integer(0, 1_000_000)),
});

/** Wears out the settings' flash: after the last write, `config save` and the cloud's configurations fail. */
export const flash: StepKind<FlashOptions> = {
  about: 'wears out the flash: settings cannot be saved after this number of writes; "new" restores it',
  example: 'flash: { writes-left: 0 }',
  form: () => eitherForm({ const: 'new' }, formOf(shape)),
  check: (node, problems) => {
    if (node.kind === 'scalar' && node.value === 'new') return null;
    if (node.kind !== 'map') return complain(node, problems, '"new", or { writes-left: 0 }');
    return shape(node, problems)?.['writes-left'];
  },
  describe: (left) => (left === null ? 'new' : left === 0 ? 'worn out' : `${left} writes left`),
  actsOn: 'device',
  effect: noEffect,
  beforeStart: stays,
  run: async (_world, device, left) => device.controls.flash(left ?? Number.POSITIVE_INFINITY),
};
