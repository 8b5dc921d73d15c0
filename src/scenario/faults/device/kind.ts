/** A fault of devices: the steps that begin and end it. One file for each kind in this folder, listed in index.ts. */
import { type Check, refine } from '../../../input/checks.js';
import type { Millis } from '../../../kernel/time.js';
import type { StepCall } from '../../steps/index.js';
import type { StepCheck } from '../../steps/step.js';
import { noOptions } from '../../values/no-options.js';

/** The steps of a fault, carried out for each of its devices. */
export interface DeviceFault {
  readonly begin: StepCall;
  /** The step that ends the fault; null if no step ends it. */
  readonly end: StepCall | null;
  /** Interval at which the fault repeats; null if it does not repeat. */
  readonly every: Millis | null;
}

export interface DeviceFaultKind {
  /** One line for `ghostfleet list faults`. */
  readonly about: string;
  readonly example: string;
  readonly check: StepCheck<DeviceFault>;
}

/** A lasting fault: `begin` makes its first step from the options, and `end` is the step that undoes the first one. */
export function lasting<O>(options: Check<O>, begin: (options: O) => StepCall, end: StepCall): Check<DeviceFault> {
  return refine(options, (read) => ({ begin: begin(read), end, every: null }));
}

/** A lasting fault without options. */
export function plain(begin: StepCall, end: StepCall): Check<DeviceFault> {
  return lasting(noOptions, () => begin, end);
}
