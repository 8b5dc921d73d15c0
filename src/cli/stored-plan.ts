/** Reads the plan of a stored run again from its scenario, so that the run can be repeated. */
import type { Histories } from '../explain/histories.js';
import { quote } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';
import { SUMMARY_FORMAT } from '../report/result.js';
import type { RepeatableRun } from '../runner/what-if.js';
import { planDigest } from '../scenario/plan/describe.js';
import { findNamedScenario } from './find-scenario.js';
import { readPlan } from './read-files.js';
import { readDownlinks, type StoredRun } from './read-run.js';

/** What the user gives for a repetition. */
export interface Given {
  /** Values of variables: those that the run did not store, because they are secret. */
  readonly vars: ReadonlyMap<string, string>;
  /** Files outside the folder of the scenario that it may read. The summary has a list as well, but permits nothing. */
  readonly allowFiles: readonly string[];
}

/**
 * The run with the plan of its scenario. The folder of the run may be of another author, so a message has nothing of the file that
 * it names.
 * @param histories the events of its devices
 * @returns the reason, worded to follow "because", if its plan is unknown
 */
export function findRepeatableRun(
  run: StoredRun,
  { vars: given, allowFiles }: Given,
  histories: Pick<Histories, 'getHistory'>,
): RepeatableRun | string {
  if (run.unfinished !== undefined) return 'the run has no summary.json';
  if (run.facts === undefined) return 'its summary.json does not name a scenario file';
  const { format, source, seed, planDigest: wanted, clock, target, transport, simulatedMs } = run.facts;
  if (format !== SUMMARY_FORMAT) return `its summary.json has the format of another version; run the scenario again`;
  const secret = Object.keys(source.vars).find((name) => source.vars[name] === null && !given.has(name));
  if (secret !== undefined) return `its variable ${quote(secret)} is secret; give its value again, as for the run`;
  const vars = new Map(Object.entries(source.vars).map(([name, value]) => [name, value ?? given.get(name) ?? '']));
  try {
    const { text, path } = findNamedScenario(source.file);
    const { plan, profiles } = readPlan(text, path, { firmware: source.firmware, vars, allowFiles, seed });
    if (planDigest(plan) !== wanted) return `${quote(source.file)} is another scenario now`;
    const isExact = clock === 'virtual' && target === 'embedded';
    const downlinks = () => readDownlinks(run);
    return { plan, profiles, transport, end: simulatedMs, isExact, histories, downlinks };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (CLEAR.has(error.code)) return `its scenario cannot be read: ${error.message}`;
    return `${quote(source.file)} is not valid now, or needs --allow-file; "ghostfleet validate" shows why`;
  }
}

/** Codes of errors whose messages name a file and have nothing of its text. */
const CLEAR: ReadonlySet<string> = new Set(['cannot-read', 'outside']);
