/** An attempt of `shrink`: runs the text of a scenario in virtual time, with everything in memory. */
import { GhostfleetError, InterruptedError } from '../kernel/errors.js';
import { SILENT } from '../kernel/log.js';
import type { RunResult } from '../report/result.js';
import { type RunControl, run } from '../runner/run.js';
import { usefulParts } from '../scenario/plan/divide.js';
import { type UnmetWait, unmetWait } from '../scenario/shrink/failure.js';
import { type Profiles, planOf } from './read-files.js';

/** What all attempts on a scenario share; plain data. */
export interface AttemptSettings {
  /** The text is run as if it were the content of this file. */
  readonly file: string;
  readonly allowFile: readonly string[];
  readonly allowHost: readonly string[];
}

interface Attempt extends AttemptSettings {
  readonly text: string;
  /** Replaces the seed of the scenario. */
  readonly seed?: number;
  /** Default: the packaged profiles, and those in the folder `profiles` next to `file`. */
  readonly profiles?: Profiles;
  /** Maximum number of threads of the run. Default: 1. */
  readonly workers?: number;
}

/** The part of a result that decides whether two runs fail in the same way. */
export interface AttemptOutcome extends Pick<RunResult, 'exitCode' | 'passed' | 'failure' | 'expectations'> {
  /** The wait of a step that made the run fail; null if the run did not fail because of a wait. */
  readonly unmet: UnmetWait | null;
}

/**
 * @param signal interrupts the run
 * @throws GhostfleetError for an invalid scenario, and for one that cannot be run
 */
export async function runAttempt(attempt: Attempt, signal: AbortSignal): Promise<AttemptOutcome> {
  const { text, file, seed, profiles, allowFile, allowHost, workers = 1 } = attempt;
  const planned = planOf(text, file, { seed, profiles, allowFiles: allowFile });
  let control: RunControl | undefined;
  const interrupt = () => control?.stop(new InterruptedError('shrink'));
  signal.addEventListener('abort', interrupt);
  try {
    const { exitCode, passed, failure, expectations } = await run({
      ...planned,
      connectorHosts: allowHost,
      clock: 'virtual',
      speed: 1,
      transport: 'memory',
      db: 'memory',
      sinks: [],
      log: SILENT,
      reproduce: '',
      out: null,
      // The duration of an attempt is not used.
      stopwatch: () => 0,
      workers: usefulParts(planned.plan, workers),
      started: (started) => {
        control = started;
        if (signal.aborted) interrupt();
      },
    });
    const unmet = control === undefined ? null : unmetWait(planned.plan, failure, control.metrics);
    return { exitCode, passed, failure, expectations, unmet };
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

/** The outcome of an attempt; undefined for an invalid scenario, and for one that cannot be run. */
export async function outcomeOf(attempt: Attempt, signal: AbortSignal): Promise<AttemptOutcome | undefined> {
  try {
    return await runAttempt(attempt, signal);
  } catch (error) {
    if (error instanceof GhostfleetError) return undefined;
    throw error;
  }
}
