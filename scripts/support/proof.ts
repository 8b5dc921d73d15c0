/** A proof: a check by experiment that takes minutes, which is too long for a test. */

export interface Verdict {
  /** The statement that is checked. */
  readonly what: string;
  readonly held: boolean;
  /** The measured figures. */
  readonly detail: string;
}

export interface Proof {
  readonly name: string;
  run(): Promise<readonly Verdict[]>;
}

/**
 * Runs the checks that the command line names; without names, all of them. The exit code is 1 if a check does not hold, 2 for
 * an unknown name.
 * @param noun what a check is called in messages: `proof`
 */
export async function runByName(noun: string, checks: readonly Proof[]): Promise<void> {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    console.error(`unknown ${noun} "${unknown.join('", "')}"; expected ${checks.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  for (const check of checks) {
    if (wanted.length > 0 && !wanted.includes(check.name)) continue;
    for (const { what, held, detail } of await check.run()) {
      if (!held) process.exitCode = 1;
      console.log(`${held ? 'ok  ' : 'FAIL'} ${what} · ${detail}`);
    }
  }
}
