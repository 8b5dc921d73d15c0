/** One run of a search in virtual time. */
import type { Profile } from '../../profile/profile.js';
import type { Plan } from '../../scenario/model/plan.js';
import { repeat } from '../play.js';
import { type LevelRecord, recordOf } from './judge-level.js';

/** What all runs of a search share. */
export interface LevelSettings {
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Hosts to which connectors of the scenario may send. */
  readonly connectorHosts: readonly string[];
}

/** Runs a plan in virtual time, with everything in memory, in this thread. Undefined if the signal has ended it. */
export async function runLevel(
  plan: Plan,
  { profiles, connectorHosts }: LevelSettings,
  signal: AbortSignal,
): Promise<LevelRecord | undefined> {
  // No downlink is explained, so no events are kept.
  const played = await repeat({ plan, profiles, connectorHosts, transport: 'memory', mostEvents: 0, signal });
  if (signal.aborted) return undefined;
  const { journal, course, expectations, judge } = played;
  const { generator, simulatedMs } = course;
  const measured = {
    ...journal.metrics.summarise(),
    digest: journal.digest.short,
    clock: 'virtual',
    expectations,
  } as const;
  return recordOf({ ...measured, ...judge(), generator, simulatedMs }, plan);
}
