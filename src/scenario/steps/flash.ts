import { complain, eitherForm, formOf, integer, record } from '../../input/checks.js';
import type { StepKind } from './step.js';

/** How many more settings it lets itself write; null: it is as new. */
type FlashOptions = number | null;

const shape = record('flash', { 'writes-left': integer(0, 1_000_000) });

/** Wears the flash with the settings out: `config save` fails then, and so does a configuration from the cloud. */
export const flash: StepKind<FlashOptions> = {
  about: 'wears the flash out: after so many more writes of settings they fail; "new" makes it as good as new',
  example: 'flash: { writes-left: 0 }',
  form: () => eitherForm({ const: 'new' }, formOf(shape)),
  check: (node, problems) => {
    if (node.kind === 'scalar' && node.value === 'new') return null;
    if (node.kind !== 'map') return complain(node, problems, '"new", or { writes-left: 0 }');
    return shape(node, problems)?.['writes-left'];
  },
  describe: (left) => (left === null ? 'new' : left === 0 ? 'worn out' : `${left} writes left`),
  run: async (_world, device, left) => device.controls.flash(left ?? Number.POSITIVE_INFINITY),
};
