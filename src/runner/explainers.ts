/**
 * Keeps the explainer and the downlinks of each run of this process. An explainer finds out why a downlink was late. Both are
 * kept beside the result of the run, because a result is plain data without events.
 */
import { untilNow } from '../explain/histories.js';
import { RunExplainer } from '../explain/run-explainer.js';
import type { Situation } from '../explain/situation.js';
import { EXIT } from '../kernel/errors.js';
import { type Millis, sinceStart } from '../kernel/time.js';
import type { RunResult } from '../report/result.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { DownlinkRepeats } from './repeats.js';
import { situationOf } from './situation.js';
import { WhatIf } from './what-if.js';
import type { End } from './world/end.js';
import type { Journal } from './world/journal.js';
import type { CourseEnd, WorldControl, WorldOptions } from './world/options.js';

interface Known {
  readonly explainer: RunExplainer;
  readonly downlinks: Iterable<DownlinkRecord>;
  readonly whatIf: WhatIf;
}

const KNOWN = new WeakMap<RunResult, Known>();

export function keepKnown(result: RunResult, known: Known): void {
  KNOWN.set(result, known);
}

/** The explainer of a run; undefined if `result` is a copy, or comes from another process. */
export function getExplainer(result: RunResult): RunExplainer | undefined {
  return KNOWN.get(result)?.explainer;
}

/** Repeats a run; undefined if `result` is a copy, or comes from another process. */
export function getWhatIf(result: RunResult): WhatIf | undefined {
  return KNOWN.get(result)?.whatIf;
}

/** All downlinks of users, as queued; undefined if `result` is a copy or of another process. */
export function getDownlinks(result: RunResult): Iterable<DownlinkRecord> | undefined {
  return KNOWN.get(result)?.downlinks;
}

interface Explained extends Pick<WorldOptions, 'profiles' | 'transport' | 'clock' | 'cloud'> {
  readonly repeats?: boolean;
}

/** What explains the downlinks of a run that has ended. */
interface Explainers {
  readonly situation: Situation;
  readonly whatIf: WhatIf;
  /** Repeats devices. */
  readonly explainer: RunExplainer;
  /** For the report; repeats devices only if the options of the run say so. */
  readonly reported: RunExplainer;
}

/** @param end how the run ended, with the simulated time */
export function makeExplainers(
  { profiles, transport, clock, cloud, repeats: repeated = false }: Explained,
  { histories, names, metrics }: Pick<Journal, 'histories' | 'names' | 'metrics'>,
  { plan, times }: CourseEnd['happened'],
  { at, exitCode }: Pick<End, 'exitCode'> & { readonly at: Millis },
): Explainers {
  const situation = situationOf(plan, profiles, times);
  const isExact = clock === 'virtual' && cloud === undefined;
  const run = { plan, profiles, transport, end: at, isExact, histories, downlinks: () => metrics.downlinks };
  const whatIf = WhatIf.ofRun(run);
  const explainer = new RunExplainer(histories, names, { situation, repeats: new DownlinkRepeats(whatIf, situation) });
  // A report does not wait for repetitions of the whole run, and after an interrupt for none.
  const repeats =
    repeated && exitCode !== EXIT.interrupted
      ? new DownlinkRepeats(WhatIf.ofRun({ ...run, onlyAlone: true }), situation)
      : undefined;
  const reported = new RunExplainer(histories, names, { situation, repeats });
  return { situation, whatIf, explainer, reported };
}

/** Note in an explanation if the oldest events of the run are no longer kept. */
const LATEST = ['Only the latest events of the device are known.'];

/**
 * Explains the downlinks of a run that has not ended, from its events so far.
 * @param repeated whether to say what would have delivered them sooner, for which their devices are repeated: the run waits for
 * that. Only in virtual time
 */
export function makeExplainerNow(
  { plan, profiles, clock: kind, transport }: Pick<WorldOptions, 'plan' | 'profiles' | 'clock' | 'transport'>,
  { histories, names }: Pick<Journal, 'histories' | 'names'>,
  { clock, world }: Pick<WorldControl, 'clock' | 'world'>,
  repeated: boolean,
): RunExplainer {
  const soFar = untilNow(histories, clock.now);
  const { plan: carriedOut, times } = world?.happened() ?? { plan };
  const situation = situationOf(carriedOut, profiles, times);
  const whatIf = WhatIf.ofRun({
    plan: carriedOut,
    profiles,
    transport,
    end: sinceStart(clock.now),
    isExact: true,
    onlyAlone: true,
    histories: soFar,
  });
  return new RunExplainer(soFar, names, {
    situation,
    unknown: histories.overflowed ? LATEST : [],
    repeats:
      repeated && kind === 'virtual' && !histories.overflowed ? new DownlinkRepeats(whatIf, situation) : undefined,
  });
}
