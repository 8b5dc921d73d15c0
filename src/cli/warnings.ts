/** Warnings of a plan on the standard error, where they do not mix with a report. */
import type { Profile } from '../profile/profile.js';
import { withoutEffect } from '../runner/no-effect.js';
import type { Plan } from '../scenario/model/plan.js';
import type { Host } from './host.js';

interface WarningOptions {
  /** Name of the file at the start of each line; left out for a single file. */
  readonly file?: string;
  /** Clock of the run. Default: virtual */
  readonly clock?: 'virtual' | 'real';
}

export function printWarnings(
  plan: Plan,
  profiles: ReadonlyMap<string, Profile>,
  { err }: Host,
  { file, clock }: WarningOptions = {},
): void {
  const begin = file === undefined ? '' : `${file}: `;
  for (const warning of withoutEffect(plan, profiles, clock)) err.write(`${begin}warning: ${warning}\n`);
}
