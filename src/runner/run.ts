/** Runs a plan and judges the result. */

import { findDisagreements } from '../explain/agreement.js';
import type { Explanation } from '../explain/explanation.js';
import type { RunExplainer } from '../explain/run-explainer.js';
import { isoTime } from '../kernel/calendar.js';
import { EXIT } from '../kernel/errors.js';
import { plainBase, shownAddress } from '../kernel/web-address.js';
import type { Leftovers, RunResult, RunSource, SystemError } from '../report/result.js';
import type { Evidence } from '../scenario/expect/evaluate.js';
import type { Plan } from '../scenario/model/plan.js';
import { planDigest } from '../scenario/plan/describe.js';
import { outline } from '../scenario/plan/outline.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { Metrics } from '../trace/metrics/index.js';
import { keepKnown, makeExplainerNow, makeExplainers } from './explainers.js';
import { findIdleLoads, warnOfHeld } from './idle-loads.js';
import { describeEarlyEnd } from './judge.js';
import { warnOfNeverReady } from './never-ready.js';
import { withoutEffect } from './no-effect.js';
import { warnOfOversized } from './oversized.js';
import { readParts } from './part-results.js';
import { type PlayOptions, play } from './play.js';
import { makeRedCauses } from './red-causes.js';
import { warnOfClock } from './targets/target-clock.js';
import { describeLeftovers } from './world/clean-up.js';
import type { LeftBehind, WorldControl } from './world/options.js';
import { describeError } from './world/system-errors.js';

/** Maximum number of slow downlinks that the result of a run explains. */
const EXPLAINED = 5;

export interface RunOptions extends Omit<PlayOptions, 'mostEvents'> {
  /** The command that repeats the run. */
  readonly reproduce: string;
  readonly out: string | null;
  /** Version of the program, for the result. */
  readonly version?: string;
  /** ISO 8601 time in UTC at which the run starts, for the result. */
  readonly startedAt?: string;
  /** Real milliseconds since any fixed moment, to measure the duration of the run. */
  readonly stopwatch: () => number;
  /**
   * Whether the explanations of the slowest downlinks say what would have delivered them sooner, for which their devices are
   * repeated after the run. Default: false
   */
  readonly repeats?: boolean;
  /** The scenario file, for the result. */
  readonly source?: RunSource | undefined;
  /**
   * Called with what the run created in another cloud and has not deleted, even if the run fails: before the clean-up, and
   * after it, then with no things if all are deleted. Returns the run or the directory with the record for `ghostfleet clean`;
   * undefined if there is none.
   */
  readonly leftBehind?: (left: Leftovers) => string | undefined;
  /** Called before the provisioning. */
  readonly started?: (control: RunControl) => void;
}

/** Control of a run in progress. */
export interface RunControl extends WorldControl {
  readonly metrics: Metrics;
  /** The results so far, for expectations. */
  readonly evidence: () => Evidence;
  /**
   * Explains the downlinks so far.
   * @param repeats whether to say what would have delivered them sooner: only in virtual time, which waits for it. Default: false
   */
  readonly explainer: (repeats?: boolean) => RunExplainer;
  /** The likely cause of an expectation that fails, as a sentence; null if nothing is known. @param line the expectation */
  readonly causeOf: (line: string) => string | null;
  /** The latest event, as a sentence; null before the first one. */
  readonly lastEvent: () => string | null;
}

/** Runs a plan. @throws UsageError if the cloud or the fleet cannot be set up, or this process may open too few files */
export async function run(options: RunOptions): Promise<RunResult> {
  const { plan } = options;
  const began = options.stopwatch();
  let left: Leftovers | undefined;
  let record: string | undefined;
  // Later, the clock of the cloud is known better; the name stays.
  let run: string | undefined;
  const note = (things: LeftBehind) => {
    run ??= nameLeavingRun(plan, things);
    const noted = makeLeftovers(run, things, options);
    record = options.leftBehind?.(noted);
    left = noted.things.length > 0 ? noted : undefined;
  };
  const played = await play({ ...options, left: note }, (control, journal) => {
    const explainer = (repeats = false) => makeExplainerNow(options, journal, control, repeats);
    const { metrics, nameOf } = journal;
    const now = () => control.clock.now;
    options.started?.({
      ...control,
      metrics,
      evidence: () => journal.soFar(now()),
      explainer,
      causeOf: makeRedCauses({ metrics, explainer, nameOf, now }),
      lastEvent: () => journal.lastEvent,
    });
  });
  const { journal, course, expectations } = played;
  const { metrics, names, histories } = journal;
  const { end, lost, simulatedMs, generator, remarks = [], happened, targetClock, workers } = course;
  // The explanations repeat devices: their time is not that of the run.
  const wallMs = options.stopwatch() - began;
  const summary = metrics.summarise();
  const { situation, whatIf, explainer, reported } = makeExplainers(options, journal, happened, {
    ...end,
    at: simulatedMs,
  });
  const slowest = summary.downlinks.slowest.map(({ serial }) => serial);
  const planned = { ...outline(plan, slowest), ...situation };
  const explanations = histories.overflowed ? undefined : await reported.explainSlowest(EXPLAINED);
  const parts = readParts(plan, metrics);
  const { exitCode, failure } = played.judge(findDiffering(explanations ?? [], metrics.downlinks));
  const result: RunResult = {
    ...summary,
    format: 2,
    scenario: plan.scenario,
    seed: plan.seed,
    digest: journal.digest.short,
    planDigest: planDigest(plan),
    ...(options.version !== undefined && { version: options.version }),
    ...(options.startedAt !== undefined && { startedAt: options.startedAt }),
    ...(plan.about.trim() !== '' && { about: plan.about.trim() }),
    passed: exitCode === EXIT.fine,
    exitCode,
    failure,
    warnings: [
      ...withoutEffect(plan, options.profiles, options.clock),
      ...warnOfNeverReady({ fleet: summary.fleet, exitCode, expectations, early: describeEarlyEnd(end) !== null }),
      ...warnOfOversized(summary.fleet, journal.nameOf),
      ...(exitCode === EXIT.invalid ? [] : filterNotable(generator?.errors, options).map(describeError)),
      ...findIdleLoads(plan, summary, simulatedMs),
      ...warnOfHeld(plan, summary.calls),
      ...warnOfClock(targetClock, options.speed),
      ...remarks,
      ...(lost?.failure && lost.failure !== failure ? [lost.failure] : []),
      ...(left === undefined ? [] : [describeLeftovers(left, record)]),
    ],
    clock: options.clock,
    speed: options.clock === 'real' ? options.speed : null,
    target: shownAddress(options.cloud?.api ?? 'embedded'),
    transport: nameTransport(options),
    ...(targetClock && { targetClock }),
    out: options.out,
    simulatedMs,
    wallMs,
    generator,
    ...(workers !== undefined && { workers }),
    events: journal.events,
    expectations,
    ...(parts && { parts }),
    planned,
    ...(explanations && { explanations }),
    reproduce: options.reproduce + remarkOnConsole(summary.console.actions),
    next: plan.next,
    ...(left && { left }),
    ...(options.source && { source: options.source }),
    names,
  };
  keepKnown(result, { explainer, downlinks: metrics.downlinks, whatIf });
  return result;
}

/** Where the waits of explanations differ from those of the tables. */
function findDiffering(explanations: readonly Explanation[], records: Iterable<DownlinkRecord>): readonly string[] {
  const explained = new Map(explanations.map((each) => [each.downlink, each]));
  return [...records].flatMap((record) => {
    const explanation = explained.get(record.id);
    return explanation === undefined ? [] : findDisagreements(explanation, record);
  });
}

/** Errors that need a warning. In a run with an embedded cloud, faults of the cloud refuse connections on purpose. */
function filterNotable(errors: readonly SystemError[] = [], { cloud }: RunOptions): readonly SystemError[] {
  return errors.filter(({ own }) => own || cloud !== undefined);
}

/** Name of a run for `ghostfleet clean`. */
function nameLeavingRun({ scenario }: Plan, { since }: LeftBehind): string {
  const name = scenario
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 40);
  return `${name}-${since.toString(36)}`;
}

/** What the clean-up has not deleted. */
function makeLeftovers(run: string, { since, ...rest }: LeftBehind, { cloud }: RunOptions): Leftovers {
  return {
    run,
    api: plainBase(cloud?.api ?? ''),
    since: isoTime(since),
    ...rest,
  };
}

/** A shell comment for the end of the command, if the command cannot repeat the run; otherwise empty. */
function remarkOnConsole(actions: number): string {
  if (actions === 0) return '';
  return ` # not the same run: without ${actions} ${actions === 1 ? 'action' : 'actions'} from a console`;
}

function nameTransport({ cloud, transport }: RunOptions): string {
  if (cloud === undefined) return transport;
  return cloud.gateway === null ? 'http' : 'udp';
}
