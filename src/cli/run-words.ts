/** The words of a command that runs a scenario again. */
import { type TrustFlags, trustWords } from './trust.js';

interface WhatRuns extends TrustFlags {
  readonly file: string;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
}

/** `run`, the scenario, and the options that decide its events: seed, clock, firmware, variables and permissions (trust.ts). */
export function runWords(what: WhatRuns, seed: number, clock: string): readonly string[] {
  const { file, firmware, var: vars } = what;
  return [
    ...['run', file, '--seed', String(seed), '--clock', clock],
    ...(firmware === undefined ? [] : ['--firmware', firmware]),
    ...[...vars].flatMap(([name, value]) => ['--var', `${name}=${value}`]),
    ...trustWords(what),
  ];
}
