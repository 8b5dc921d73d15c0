import { type Check, complain, formed } from '../../input/checks.js';
import type { LocatedNode } from '../../input/document.js';

/** Check of a step, fault or call without options: `power-cycle:`, or `power-cycle: {}`, to which editors may complete it. */
export const noOptions: Check<null> = formed(
  () => ({ anyOf: [{ enum: [null, true] }, { type: 'object', maxProperties: 0 }] }),
  (node, problems) =>
    isEmpty(node) ? null : complain(node, problems, 'empty: it has no options, so write nothing after its colon'),
);

function isEmpty(node: LocatedNode): boolean {
  if (node.kind === 'scalar') return node.value === null || node.value === true;
  return node.kind === 'map' && node.entries.size === 0;
}
