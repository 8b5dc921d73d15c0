/** Texts and properties of the faults of a run. */
import type { RunState } from '../../../src/control/run-state.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { humanDuration } from '../../../src/kernel/time.js';

/** A fault of a run. */
export type RunFault = RunState['faults'][number];

/** `loss: 5% (push)` */
export function faultName({ fault, to }: Pick<RunFault, 'fault' | 'to'>): string {
  return `${printableLine(fault)}${to === null ? '' : ` (${printableLine(to)})`}`;
}

/** Whether a fault holds from the start to the end: it is a condition of the network, not news. */
export function isLasting({ from, until }: RunFault): boolean {
  return from === 0 && until === null;
}

/** `from 10m to 20m` */
export function periodOf({ from, until }: Pick<RunFault, 'from' | 'until'>): string {
  if (until === from) return `at ${humanDuration(from)}`;
  return `from ${from === 0 ? 'the start' : humanDuration(from)} ${until === null ? 'until it is lifted' : `to ${humanDuration(until)}`}`;
}
