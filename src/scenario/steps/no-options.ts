import { type Check, complain, formed } from '../../input/checks.js';

/** For steps and faults without options: `power-cycle:`. */
export const noOptions: Check<null> = formed(
  () => ({ enum: [null, true] }),
  (node, problems) =>
    node.kind === 'scalar' && (node.value === null || node.value === true)
      ? null
      : complain(node, problems, 'empty: there are no options'),
);
