/** A fault of devices: the steps that begin and end it. One file for each kind in this folder, listed in index.ts. */
import { type Check, refine } from '../../../input/checks.js';
import type { Millis } from '../../../kernel/time.js';
import type { StepCall } from '../../steps/index.js';
import { noOptions } from '../../steps/no-options.js';
import type { StepCheck } from '../../steps/step.js';

/** What a fault does to each of its devices. */
export interface DeviceFault {
  readonly begin: StepCall;
  /** null: it is over at once. */
  readonly end: StepCall | null;
  /** It happens again and again, so often; null: once. */
  readonly every: Millis | null;
}

export interface DeviceFaultKind {
  /** One line for `ghostfleet list faults`. */
  readonly about: string;
  readonly example: string;
  readonly check: StepCheck<DeviceFault>;
}

/** Options that say how it begins. */
export function lasting<O>(options: Check<O>, begin: (options: O) => StepCall, end: StepCall): Check<DeviceFault> {
  return refine(options, (read) => ({ begin: begin(read), end, every: null }));
}

/** It has no options. */
export function plain(begin: StepCall, end: StepCall): Check<DeviceFault> {
  return lasting(noOptions, () => begin, end);
}
