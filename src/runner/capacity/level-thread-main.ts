/** The main program of a thread of a search: makes one run after another, and answers with the record of each. */
import { EXIT, GhostfleetError, messageOf } from '../../kernel/errors.js';
import type { Plan } from '../../scenario/model/plan.js';
import { failureOf } from '../divided/messages.js';
import { answerRequests } from '../threads.js';
import { type PlainProfiles, unpackProfiles } from '../world/plan-profiles.js';
import type { LevelRecord } from './judge-level.js';
import { runLevel } from './run-level.js';

/** A run to make. */
export interface LevelRequest {
  readonly plan: Plan;
  readonly profiles: PlainProfiles;
  readonly connectorHosts: readonly string[];
}

/** The record of a run, undefined if it was interrupted; or why it could not be made. */
export type LevelAnswer =
  | { readonly record: LevelRecord | undefined }
  | { readonly failure: ReturnType<typeof failureOf> };

answerRequests(async ({ plan, profiles, connectorHosts }: LevelRequest, signal): Promise<LevelAnswer> => {
  try {
    return { record: await runLevel(plan, { profiles: unpackProfiles(profiles), connectorHosts }, signal) };
  } catch (error) {
    const failed =
      error instanceof GhostfleetError ? error : new GhostfleetError('no-level', messageOf(error), EXIT.internal);
    return { failure: failureOf(failed) };
  }
});
