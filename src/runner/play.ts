/**
 * Runs a plan up to its verdict, without a report. A run, the repetitions that answer questions about it, and the attempts of
 * `shrink` are all played here.
 */
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { InterruptedError } from '../kernel/errors.js';
import { SILENT } from '../kernel/log.js';
import { openFileLimit } from '../kernel/open-files.js';
import type { ExpectationResult } from '../report/result.js';
import { evaluate } from '../scenario/expect/evaluate.js';
import type { PlannedScope } from '../scenario/model/plan.js';
import { needsOneProcess, needsOneThread, needsOneWorld } from '../scenario/plan/divide.js';
import type { SeenAcks } from '../trace/invariants/invariant.js';
import type { Fold, LineSink } from '../trace/log.js';
import type { RunSummary } from '../trace/metrics/index.js';
import type { Crew } from './divided/crew.js';
import { runInRealTime } from './divided/real-time.js';
import { ThreadCrew } from './divided/threads/thread-crew.js';
import { runInVirtualTime } from './divided/virtual-time.js';
import { findLossSpoiling } from './divided/worker-reports.js';
import { cutShort, describeEarlyEnd, judge } from './judge.js';
import { checkRate } from './planned-rate.js';
import { findClockSpoiling, judgeRules } from './targets/audit/rules.js';
import { runInOneWorld } from './world/course.js';
import type { End } from './world/end.js';
import { Journal } from './world/journal.js';
import { checkOpenFiles } from './world/open-files.js';
import type { CourseEnd, WorldControl, WorldOptions } from './world/options.js';
import { findDeviceSpoiling, findUnsentSpoiling } from './world/spoiled.js';

/** Maximum number of workers of a run. Starting more threads would take more time than they save. */
export const MOST_WORKERS = 64;

export interface PlayOptions extends WorldOptions {
  /** Receivers of the lines of the event log, for example its file. */
  readonly sinks: readonly LineSink[];
  /** Further parts whose metrics can be read during the run, besides those of the plan. Default: none. */
  readonly scopes?: readonly PlannedScope[] | undefined;
  /** Receives every event of the run. */
  readonly watch?: Fold | undefined;
  /** Number of events to keep for explanations; undefined: as many as a run keeps. */
  readonly mostEvents?: number | undefined;
  /**
   * Number of threads among which to divide the devices; with {@link crew}, number of workers. Default: 1. If the devices
   * cannot be divided ({@link findUndividedReason}), the run takes one thread. In virtual time, the number does not change the
   * result.
   */
  readonly workers?: number | undefined;
  /** Workers that carry out the parts of a run against another cloud. Default: threads of this process. */
  readonly crew?: Crew | undefined;
}

interface Played {
  readonly journal: Journal;
  readonly course: CourseEnd;
  readonly expectations: readonly ExpectationResult[];
  /** @param contradictions further ones than those of the metrics, one sentence each */
  readonly judge: (contradictions?: readonly string[]) => Pick<End, 'exitCode' | 'failure'>;
}

/**
 * @param started called before the provisioning
 * @throws UsageError if the cloud or the fleet cannot be set up, or this process may open too few files
 */
export async function play(
  options: PlayOptions,
  started: (control: WorldControl, journal: Journal) => void = () => {},
): Promise<Played> {
  const { plan, scopes, sinks, watch, mostEvents } = options;
  checkRate({ ...options, workers: isDivided(options) ? options.workers : 1 });
  // The workers of a crew check their own parts.
  if (options.crew === undefined) checkOpenFiles(plan, options.profiles, countSockets(options), openFileLimit());
  const watched = options.webConsole !== undefined;
  const journal = new Journal({
    plan,
    scopes,
    virtual: options.clock === 'virtual',
    watched,
    acks: chooseSeenAcks(options),
    sinks,
    watch,
    mostEvents,
  });
  const course = await endBySignal(options.signal, (begun) =>
    runCourse(options, journal, (control) => {
      started(control, journal);
      begun(control);
    }),
  );
  journal.invariants.end();
  const expectations = evaluateAll(options, journal, course);
  const spoiled = findSpoiling(journal.metrics.summarise(), course, journal.nameOf);
  return {
    journal,
    course,
    expectations,
    judge: (contradictions = []) => {
      const all = [...journal.metrics.contradictions, ...contradictions];
      return judge(course.end, expectations, all, spoiled, course.lost);
    },
  };
}

/** Plays a plan in virtual time with everything in memory. */
export function repeat(
  options: Pick<
    PlayOptions,
    'plan' | 'profiles' | 'transport' | 'connectorHosts' | 'mostEvents' | 'workers' | 'signal'
  >,
): Promise<Played> {
  return play({ ...options, clock: 'virtual', speed: 1, db: 'memory', sinks: [], log: SILENT });
}

/** @param run passes on the control of the run when it has started */
async function endBySignal<T>(
  signal: AbortSignal | undefined,
  run: (begun: (control: WorldControl) => void) => Promise<T>,
): Promise<T> {
  let control: WorldControl | undefined;
  const end = () => control?.stop(new InterruptedError('its caller'));
  signal?.addEventListener('abort', end);
  try {
    return await run((begun) => {
      control = begun;
      if (signal?.aborted) end();
    });
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

function isDivided({ workers = 1, crew, ...rest }: PlayOptions): boolean {
  return (crew !== undefined || workers > 1) && findUndividedReason(rest) === undefined;
}

/** Runs the plan undivided, in several threads, or among workers. */
function runCourse(
  options: PlayOptions,
  journal: Journal,
  started: (control: WorldControl) => void,
): Promise<CourseEnd> {
  const { workers = 1, plan, clock, crew } = options;
  if (!isDivided(options)) return runInOneWorld(options, journal, started);
  const divide = { ...options, crew: crew ?? new ThreadCrew() };
  if (clock === 'real') return runInRealTime({ ...divide, workers }, journal, started);
  const parts = Math.min(workers, plan.devices.length);
  return parts > 1
    ? runInVirtualTime({ ...divide, workers: parts }, journal, started)
    : runInOneWorld(options, journal, started);
}

/** Why the devices of a run cannot be divided among threads, worded to follow "because"; undefined if they can. */
export function findUndividedReason(options: PlayOptions): string | undefined {
  const { clock, transport, pace, db, plan, cloud, recorder } = options;
  if (recorder !== undefined) return 'a capture is written in one thread';
  if (cloud !== undefined) return needsOneProcess(plan);
  if (clock === 'real') {
    return transport === 'memory' ? 'messages in memory do not leave a thread' : needsOneThread(plan);
  }
  if (pace !== undefined) return 'it runs at a pace';
  if (isPostgresUrl(db)) return 'its cloud keeps the data in PostgreSQL';
  return needsOneWorld(plan);
}

function evaluateAll(
  { plan: { expectations } }: PlayOptions,
  journal: Journal,
  { end, simulatedMs, audited, workers }: CourseEnd,
): readonly ExpectationResult[] {
  const evidence = journal.evidence(simulatedMs);
  const rules = judgeRules(audited, journal.nameOf);
  const outcomes = [...expectations.map((expectation) => evaluate(expectation, evidence)), ...rules];
  const early = describeEarlyEnd(end, workers);
  if (early === null) return outcomes;
  return outcomes.map((outcome, index) => cutShort(outcome, early, expectations[index], simulatedMs));
}

/** Why the measurement is invalid; null if it is valid. */
function findSpoiling(
  { fleet, calls }: RunSummary,
  { workers, generator, audited }: CourseEnd,
  nameOf: Journal['nameOf'],
): string | null {
  return (
    findDeviceSpoiling(fleet, nameOf) ??
    findLossSpoiling(workers) ??
    generator?.spoiled ??
    findUnsentSpoiling(calls) ??
    findClockSpoiling(audited)
  );
}

/** Whether the trace of the run shows which lost messages the cloud has acknowledged; see {@link SeenAcks}. */
function chooseSeenAcks({ cloud, transport }: PlayOptions): SeenAcks {
  if (cloud !== undefined) return 'unseen';
  return transport === 'http' ? 'certain' : 'seen';
}

function countSockets({ cloud, transport, clock }: PlayOptions) {
  const virtual = clock === 'virtual';
  return cloud === undefined
    ? { udp: transport === 'udp', service: true, virtual }
    : { udp: cloud.gateway !== null, service: false, virtual };
}
