/** The main program of a thread of a search: makes one run after another, and answers with the record of each. */
import { parentPort } from 'node:worker_threads';
import { EXIT, GhostfleetError, messageOf } from '../../kernel/errors.js';
import type { Plan } from '../../scenario/model/plan.js';
import { failureOf } from '../divided/messages.js';
import { type PlainProfiles, unpackProfiles } from '../world/plan-profiles.js';
import type { LevelRecord } from './judge-level.js';
import { runLevel } from './run-level.js';

/** A run to make, or null to interrupt it. */
export type LevelRequest = {
  readonly plan: Plan;
  readonly profiles: PlainProfiles;
  readonly connectorHosts: readonly string[];
} | null;

/** The record of a run, undefined if it was interrupted; or why it could not be made. */
export type LevelAnswer =
  | { readonly record: LevelRecord | undefined }
  | { readonly failure: ReturnType<typeof failureOf> };

let running = new AbortController();

parentPort?.on('message', async (request: LevelRequest) => {
  if (request === null) {
    running.abort();
    return;
  }
  running = new AbortController();
  const { plan, profiles, connectorHosts } = request;
  parentPort?.postMessage(await answerTo(plan, unpackProfiles(profiles), connectorHosts));
});

async function answerTo(
  plan: Plan,
  profiles: ReturnType<typeof unpackProfiles>,
  connectorHosts: readonly string[],
): Promise<LevelAnswer> {
  try {
    return { record: await runLevel(plan, { profiles, connectorHosts }, running.signal) };
  } catch (error) {
    const failed =
      error instanceof GhostfleetError ? error : new GhostfleetError('no-level', messageOf(error), EXIT.internal);
    return { failure: failureOf(failed) };
  }
}
