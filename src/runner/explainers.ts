/**
 * Keeps the explainer and the downlinks of each run of this process. An explainer finds out why a downlink was late. Both are
 * kept beside the result of the run, because a result is plain data without events.
 */
import { RunExplainer } from '../explain/run-explainer.js';
import type { Profile } from '../profile/profile.js';
import type { RunResult } from '../report/result.js';
import type { Plan } from '../scenario/model/plan.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { situationOf } from './situation.js';
import type { WorldControl } from './world/course.js';
import type { Journal } from './world/journal.js';

interface Known {
  readonly explainer: RunExplainer;
  readonly downlinks: Iterable<DownlinkRecord>;
}

const KNOWN = new WeakMap<RunResult, Known>();

export function keepKnown(result: RunResult, known: Known): void {
  KNOWN.set(result, known);
}

/** The explainer of a run; undefined if `result` is a copy, or comes from another process. */
export function explainerOf(result: RunResult): RunExplainer | undefined {
  return KNOWN.get(result)?.explainer;
}

/**
 * All downlinks that users queued in a run, in the order in which they were queued; undefined if `result` is a copy, or comes
 * from another process.
 */
export function downlinksOf(result: RunResult): Iterable<DownlinkRecord> | undefined {
  return KNOWN.get(result)?.downlinks;
}

/** Note in an explanation if the oldest events of the run are no longer kept. */
const LATEST = ['Only the latest events of the device are known.'];

/** Explains the downlinks of a run that has not ended, from its events so far. */
export function explainerNow(
  { plan, profiles }: { readonly plan: Plan; readonly profiles: ReadonlyMap<string, Profile> },
  { histories, names }: Pick<Journal, 'histories' | 'names'>,
  { clock, world }: Pick<WorldControl, 'clock' | 'world'>,
): RunExplainer {
  const end = { kind: 'world.closing', at: clock.now } as const;
  const soFar = {
    overflowed: false,
    withDownlinks: histories.withDownlinks,
    of: (serial: number) => ({ serial, events: [...histories.of(serial).events, end], goesOn: true }),
  };
  const { plan: carriedOut, times } = world?.happened() ?? { plan, times: undefined };
  return new RunExplainer(soFar, situationOf(carriedOut, profiles, times), names, histories.overflowed ? LATEST : []);
}
