/**
 * Runs before each file with tests. Property tests then try the same values in every run, so that a score can be repeated, and
 * fewer values than usual: if a change shows only with a rare value, a test with exactly this value should find it.
 */
import fc from 'fast-check';
import { inject } from 'vitest';

fc.configureGlobal({ seed: 20_260_101, numRuns: 10 });

// The cast is needed because Stryker provides these values, and the types of vitest do not have their names.
const provided = inject as (name: string) => string;

// In a thread that is kept, the mutant of the run before is still active. This mutant must not affect the file while it loads.
if (provided('mutantActivation') === 'runtime') {
  const stryker: { activeMutant?: unknown } | undefined = Reflect.get(globalThis, provided('globalNamespace'));
  if (stryker !== undefined) stryker.activeMutant = undefined;
}
