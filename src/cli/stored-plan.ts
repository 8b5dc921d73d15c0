/** Reads the plan of a stored run again from its scenario, so that the run can be repeated. */
import type { Histories } from '../explain/histories.js';
import { UsageError } from '../kernel/errors.js';
import type { RunSource } from '../report/result.js';
import { type RepeatableRun, untilEnd } from '../runner/what-if.js';
import { planDigest } from '../scenario/plan/describe.js';
import { findScenario } from './find-scenario.js';
import type { Host } from './host.js';
import { planOf } from './read-files.js';
import { downlinksOf, type StoredRun } from './read-run.js';

/** Values of variables: those that the run did not store, because they are secret. */
type Variables = ReadonlyMap<string, string>;

/**
 * The run with the plan of its scenario.
 * @param given values of variables
 * @param recorded the events of its devices
 * @returns the reason, worded to follow "because", if its plan is unknown
 */
export async function repeatableRun(
  run: StoredRun,
  given: Variables,
  recorded: Pick<Histories, 'of'>,
  host: Host,
): Promise<RepeatableRun | string> {
  if (run.facts === undefined) return 'its summary.json does not name a scenario file';
  const { source, seed, planDigest: wanted, clock, target, transport, simulatedMs } = run.facts;
  const secret = Object.keys(source.vars).find((name) => source.vars[name] === null && !given.has(name));
  if (secret !== undefined) return `its variable "${secret}" is secret; give its value again, as for the run`;
  try {
    const { text, path } = await findScenario(source.file, host);
    const { plan, profiles } = planOf(text, path, { ...settingsOf(source, given), seed });
    if (planDigest(plan) !== wanted) return `"${source.file}" is another scenario now`;
    const isExact = clock === 'virtual' && target === 'embedded';
    return {
      plan: untilEnd(plan, simulatedMs),
      profiles,
      transport: transport === 'http' ? 'http' : 'memory',
      simulated: !isExact,
      recorded: isExact ? (serial) => recorded.of(serial) : undefined,
      downlinks: () => downlinksOf(run),
    };
  } catch (error) {
    if (error instanceof UsageError) return `its scenario cannot be read: ${error.message}`;
    throw error;
  }
}

function settingsOf({ firmware, vars, allowFile }: RunSource, given: Variables) {
  const known = Object.entries(vars).map(([name, value]) => [name, value ?? given.get(name) ?? ''] as const);
  return { firmware, vars: new Map(known), allowFiles: allowFile };
}
