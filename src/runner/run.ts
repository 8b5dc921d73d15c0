/** Runs a plan and judges the result. */

import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { disagreements } from '../explain/agreement.js';
import type { Explanation } from '../explain/explanation.js';
import type { RunExplainer } from '../explain/run-explainer.js';
import { isoTime } from '../kernel/calendar.js';
import { EXIT } from '../kernel/errors.js';
import { openFileLimit } from '../kernel/open-files.js';
import type { Instant } from '../kernel/time.js';
import { plainBase, shownAddress } from '../kernel/web-address.js';
import type { ExpectationResult, Leftovers, RunResult, RunSource, SystemError } from '../report/result.js';
import { type Evidence, evaluate } from '../scenario/expect/evaluate.js';
import type { Plan } from '../scenario/model/plan.js';
import { planDigest } from '../scenario/plan/describe.js';
import { needsOneProcess, needsOneThread, needsOneWorld } from '../scenario/plan/divide.js';
import { outline } from '../scenario/plan/outline.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { SeenAcks } from '../trace/invariants/invariant.js';
import type { Fold, LineSink } from '../trace/log.js';
import type { Metrics, RunSummary } from '../trace/metrics/index.js';
import { inParts } from './divided/conductor.js';
import type { Crew } from './divided/crew.js';
import { spoiledByLoss } from './divided/lost.js';
import { ThreadCrew } from './divided/threads/thread-crew.js';
import { explainerNow, explainersOf, keepKnown } from './explainers.js';
import { idleLoads } from './idle-loads.js';
import { cutShort, earlyEnd, judge } from './judge.js';
import { neverReady } from './never-ready.js';
import { withoutEffect } from './no-effect.js';
import { oversized } from './oversized.js';
import { inThreads } from './parallel/threads.js';
import { ruleResults, spoiledByClock } from './targets/audit/rules.js';
import { clockWarning } from './targets/target-clock.js';
import { describeLeftovers } from './world/clean-up.js';
import { type CourseEnd, inOneWorld, type LeftBehind, type WorldControl, type WorldOptions } from './world/course.js';
import { Journal } from './world/journal.js';
import { checkOpenFiles } from './world/open-files.js';
import { spoiledByDevices, spoiledByFailures, spoiledByUnsent } from './world/spoiled.js';
import { describeError } from './world/system-errors.js';

/** Maximum number of slow downlinks that the result of a run explains. */
const EXPLAINED = 5;

/** Maximum number of workers of a run. Starting more threads would take more time than they save. */
export const MOST_WORKERS = 64;

export interface RunOptions extends WorldOptions {
  /** Receivers of the lines of the event log, for example its file. */
  readonly sinks: readonly LineSink[];
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
  readonly source?: RunSource;
  /** Receives every event of the run. */
  readonly watch?: Fold;
  /**
   * Called with what the run created in another cloud and has not deleted, even if the run fails: before the clean-up, and
   * after it, then with no things if all are deleted.
   */
  readonly leftBehind?: (left: Leftovers) => void;
  /** Called before the provisioning. */
  readonly started?: (control: RunControl) => void;
  /**
   * Number of threads among which to divide the devices; with {@link crew}, number of workers. Default: 1. If the devices
   * cannot be divided ({@link undividedBecause}), the run takes one thread. In virtual time, the number does not change the
   * result.
   */
  readonly workers?: number;
  /** Workers that carry out the parts of a run against another cloud. Default: threads of this process. */
  readonly crew?: Crew;
}

/** Control of a run in progress. */
export interface RunControl extends WorldControl {
  readonly metrics: Metrics;
  /** The results so far, for expectations. */
  readonly evidence: () => Evidence;
  /** Explains the downlinks so far. */
  readonly explainer: () => RunExplainer;
}

/** Runs a plan. @throws UsageError if the cloud or the fleet cannot be set up, or this process may open too few files */
export async function run(options: RunOptions): Promise<RunResult> {
  const { plan, sinks, watch } = options;
  // The workers of a crew check their own parts.
  if (options.crew === undefined) checkOpenFiles(plan, options.profiles, socketsOf(options), openFileLimit());
  const began = options.stopwatch();
  const watched = options.webConsole !== undefined;
  const journal = new Journal({
    ...{ plan, virtual: options.clock === 'virtual', watched, acks: seenAcks(options), sinks, watch },
  });
  const { metrics, names, histories } = journal;
  let left: Leftovers | undefined;
  // Later, the clock of the cloud is known better; the name stays.
  let run: string | undefined;
  const note = (things: LeftBehind) => {
    run ??= leavingRun(plan, things);
    const noted = notedLeftovers(run, things, options);
    left = noted.things.length > 0 ? noted : undefined;
  };
  const started = (control: WorldControl) =>
    options.started?.({
      ...control,
      metrics,
      evidence: () => journal.soFar(control.clock.now),
      explainer: () => explainerNow(options, journal, control),
    });
  const course = await courseOf({ ...options, left: note }, journal, started);
  const { end, simulatedMs, generator, audited, remarks = [], happened, targetClock, workers } = course;
  // The explanations repeat devices: their time is not that of the run.
  const wallMs = options.stopwatch() - began;
  journal.invariants.end();
  const evidence = journal.evidence(simulatedMs);
  const early = earlyEnd(end, workers);
  const expectations = outcomesOf(plan, evidence, ruleResults(audited, journal.nameOf), early, simulatedMs);
  const summary = metrics.summary();
  const spoiled = spoiledBy(summary, course, journal.nameOf);
  const { situation, whatIf, explainer, reported } = explainersOf(options, journal, happened, {
    ...end,
    at: simulatedMs,
  });
  const slowest = summary.downlinks.slowest.map(({ serial }) => serial);
  const planned = { ...outline(plan, slowest), ...situation };
  const explanations = histories.overflowed ? undefined : await reported.slowest(EXPLAINED);
  const contradictions = [...metrics.contradictions, ...differing(explanations ?? [], metrics.downlinks)];
  const { exitCode, failure } = judge(end, expectations, contradictions, spoiled);
  const result: RunResult = {
    ...summary,
    format: 1,
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
      ...withoutEffect(plan, options.profiles),
      ...neverReady({ fleet: summary.fleet, exitCode, expectations, early: earlyEnd(end) !== null }),
      ...oversized(summary.fleet, journal.nameOf),
      ...(exitCode === EXIT.invalid ? [] : notable(generator?.errors, options).map(describeError)),
      ...idleLoads(plan, summary.calls, simulatedMs),
      ...clockWarning(targetClock, options.speed),
      ...remarks,
      ...(left === undefined ? [] : [describeLeftovers(left)]),
    ],
    clock: options.clock,
    speed: options.clock === 'real' ? options.speed : null,
    target: shownAddress(options.cloud?.api ?? 'embedded'),
    transport: transportOf(options),
    ...(targetClock && { targetClock }),
    out: options.out,
    simulatedMs,
    wallMs,
    generator,
    ...(workers !== undefined && { workers }),
    events: journal.events,
    expectations,
    planned,
    ...(explanations && { explanations }),
    reproduce: options.reproduce + withoutConsole(summary.console.actions),
    next: plan.next,
    ...(left && { left }),
    ...(options.source && { source: options.source }),
    names,
  };
  keepKnown(result, { explainer, downlinks: metrics.downlinks, whatIf });
  return result;
}

/** @param rules the results for the rules of a target @param early see {@link earlyEnd} */
function outcomesOf(
  { expectations }: Plan,
  evidence: Evidence,
  rules: readonly ExpectationResult[],
  early: string | null,
  endedAt: Instant,
): readonly ExpectationResult[] {
  const outcomes = [...expectations.map((expectation) => evaluate(expectation, evidence)), ...rules];
  if (early === null) return outcomes;
  return outcomes.map((outcome, index) => cutShort(outcome, early, expectations[index], endedAt));
}

/** Why the measurement is invalid; null if it is valid. */
function spoiledBy(
  { fleet, calls }: RunSummary,
  { workers, generator, audited }: CourseEnd,
  nameOf: Journal['nameOf'],
): string | null {
  return (
    spoiledByDevices(fleet, nameOf) ??
    spoiledByLoss(workers) ??
    generator?.spoiled ??
    spoiledByFailures(calls) ??
    spoiledByUnsent(calls) ??
    spoiledByClock(audited)
  );
}

/** Where the waits of explanations differ from those of the tables. */
function differing(explanations: readonly Explanation[], records: Iterable<DownlinkRecord>): readonly string[] {
  const explained = new Map(explanations.map((each) => [each.downlink, each]));
  return [...records].flatMap((record) => {
    const explanation = explained.get(record.id);
    return explanation === undefined ? [] : disagreements(explanation, record);
  });
}

/** Errors that need a warning. In a run with an embedded cloud, faults of the cloud refuse connections on purpose. */
function notable(errors: readonly SystemError[] = [], { cloud }: RunOptions): readonly SystemError[] {
  return errors.filter(({ own }) => own || cloud !== undefined);
}

/** Name of a run for `ghostfleet clean`. */
function leavingRun({ scenario }: Plan, { since }: LeftBehind): string {
  const name = scenario
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 40);
  return `${name}-${since.toString(36)}`;
}

/** Describes what the clean-up has not deleted, and passes it on. */
function notedLeftovers(run: string, { since, ...rest }: LeftBehind, { cloud, leftBehind }: RunOptions): Leftovers {
  const left = {
    run,
    api: plainBase(cloud?.api ?? ''),
    since: isoTime(since),
    ...rest,
  };
  leftBehind?.(left);
  return left;
}

/** Runs the plan undivided, in several threads, or among workers. */
function courseOf(options: RunOptions, journal: Journal, started: (control: WorldControl) => void): Promise<CourseEnd> {
  const { workers = 1, plan, clock, crew } = options;
  const divided = (crew !== undefined || workers > 1) && undividedBecause(options) === undefined;
  if (!divided) return inOneWorld(options, journal, started);
  if (clock === 'real') return inParts({ ...options, crew: crew ?? new ThreadCrew(), workers }, journal, started);
  const threads = Math.min(workers, plan.devices.length);
  return threads > 1 ? inThreads(options, threads, journal, started) : inOneWorld(options, journal, started);
}

/** Why the devices of a run cannot be divided among threads, worded to follow "because"; undefined if they can. */
export function undividedBecause({ clock, transport, pace, db, plan, cloud }: RunOptions): string | undefined {
  if (cloud !== undefined) return needsOneProcess(plan);
  if (clock === 'real') {
    return transport === 'memory' ? 'messages in memory do not leave a thread' : needsOneThread(plan);
  }
  if (pace !== undefined) return 'it runs at a pace';
  if (isPostgresUrl(db)) return 'its cloud keeps the data in PostgreSQL';
  return needsOneWorld(plan);
}

/** Whether the trace of the run shows which lost messages the cloud has acknowledged; see {@link SeenAcks}. */
function seenAcks({ cloud, transport }: RunOptions): SeenAcks {
  if (cloud !== undefined) return 'unseen';
  return transport === 'http' ? 'certain' : 'seen';
}

/** A shell comment for the end of the command, if the command cannot repeat the run; otherwise empty. */
function withoutConsole(actions: number): string {
  if (actions === 0) return '';
  return ` # not the same run: without ${actions} ${actions === 1 ? 'action' : 'actions'} from a console`;
}

function socketsOf({ cloud, transport }: RunOptions) {
  return cloud === undefined
    ? { udp: transport === 'udp', service: true }
    : { udp: cloud.gateway !== null, service: false };
}

function transportOf({ cloud, transport }: RunOptions): string {
  if (cloud === undefined) return transport;
  return cloud.gateway === null ? 'http' : 'udp';
}
