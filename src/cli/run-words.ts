/** The words of a command that runs a scenario again. */

interface WhatRuns {
  readonly file: string;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
}

/** `run`, the scenario, and what decides its course: seed, clock, firmware and variables. */
export function runWords({ file, firmware, var: vars }: WhatRuns, seed: number, clock: string): readonly string[] {
  return [
    ...['run', file, '--seed', String(seed), '--clock', clock],
    ...(firmware === undefined ? [] : ['--firmware', firmware]),
    ...[...vars].flatMap(([name, value]) => ['--var', `${name}=${value}`]),
  ];
}
