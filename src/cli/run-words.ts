/** The words of a command that runs a scenario again. */
import { listTrustWords, type TrustFlags } from './trust.js';

interface WhatRuns extends TrustFlags {
  readonly file: string;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
}

/** `run`, the scenario, and the options that decide its events: seed, clock, firmware, variables and permissions (trust.ts). */
export function runWords(what: WhatRuns, seed: number, clock: string): readonly string[] {
  return ['run', what.file, '--seed', String(seed), '--clock', clock, ...settingWords(what)];
}

/** The options that decide how the scenario is read: firmware, variables and permissions. */
export function settingWords(what: Omit<WhatRuns, 'file'>): readonly string[] {
  const { firmware, var: vars } = what;
  return [
    ...optionWords({ firmware }),
    ...[...vars].flatMap(([name, value]) => ['--var', `${name}=${value}`]),
    ...listTrustWords(what),
  ];
}

/** The words of options by their names, without those that are not given. */
export function optionWords(options: Readonly<Record<string, string | number | undefined>>): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
}
