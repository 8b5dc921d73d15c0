/** An attempt of `shrink`: runs the text of a scenario in virtual time, with everything in memory. */
import { EXIT, GhostfleetError } from '../kernel/errors.js';
import type { RunResult } from '../report/result.js';
import { repeat } from '../runner/play.js';
import { usefulParts } from '../scenario/plan/divide.js';
import { type UnmetWait, unmetWait } from '../scenario/shrink/failure.js';
import { type Profiles, readPlan } from './read-files.js';

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
  const planned = readPlan(text, file, { seed, profiles, allowFiles: allowFile });
  const played = await repeat({
    ...planned,
    transport: 'memory',
    connectorHosts: allowHost,
    workers: usefulParts(planned.plan, workers),
    signal,
  });
  const { journal, expectations } = played;
  const { exitCode, failure } = played.judge();
  const unmet = unmetWait(planned.plan, failure, journal.metrics);
  return { exitCode, passed: exitCode === EXIT.fine, failure, expectations, unmet };
}

/** The outcome of an attempt; undefined for an invalid scenario, and for one that cannot be run. */
export async function tryAttempt(attempt: Attempt, signal: AbortSignal): Promise<AttemptOutcome | undefined> {
  try {
    return await runAttempt(attempt, signal);
  } catch (error) {
    if (error instanceof GhostfleetError) return undefined;
    throw error;
  }
}
