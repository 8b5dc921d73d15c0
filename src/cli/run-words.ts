/** The words of a command that runs a scenario again. */
import type { TrustFlags } from './trust.js';

interface WhatRuns extends TrustFlags {
  readonly file: string;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
}

/** `run`, the scenario, and what decides its course: seed, clock, firmware and variables. */
export function runWords(what: WhatRuns, seed: number, clock: string): readonly string[] {
  const { file, firmware, var: vars, allowFile, allowHost, allowPrivate } = what;
  return [
    ...['run', file, '--seed', String(seed), '--clock', clock],
    ...(firmware === undefined ? [] : ['--firmware', firmware]),
    ...[...vars].flatMap(([name, value]) => ['--var', `${name}=${value}`]),
    ...allowFile.flatMap((path) => ['--allow-file', path]),
    ...allowHost.flatMap((host) => ['--allow-host', host]),
    ...(allowPrivate ? ['--allow-private'] : []),
  ];
}
