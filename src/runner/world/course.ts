/**
 * Runs a plan in one world, which is a clock, a fleet of devices and a connection with a cloud. Builds the world, lets its time
 * pass, and waits until all devices are at rest.
 */

import type { Fleet } from '../../console/member.js';

import type { DrivenClock, EdgeClock } from '../../kernel/clock.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import type { Pace } from '../../kernel/pace.js';
import { PacedClock } from '../../kernel/paced-clock.js';
import { type Random, seededRandom } from '../../kernel/random.js';
import { RealClock } from '../../kernel/real-clock.js';
import { type Millis, sinceStart, type UnixMillis } from '../../kernel/time.js';
import { VirtualClock } from '../../kernel/virtual-clock.js';
import type { GeneratorReport, Leftovers, SystemError, WorkerReport } from '../../report/result.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { Trace } from '../../trace/events.js';
import { withFaults } from '../../transport/faults/with-faults.js';

import { Callers } from '../load/callers.js';
import { Loads } from '../load/loads.js';
import type { RuleTally } from '../targets/audit/rules.js';
import { type RequestWait, RunPatience } from '../targets/paced.js';
import type { ServedCloud } from '../targets/served.js';
import type { Target } from '../targets/target.js';
import type { ClockOffset } from '../targets/target-clock.js';
import { renewTokens } from './claim-tokens.js';
import { listUndeleted } from './clean-up.js';
import { awaitEnd, type End } from './end.js';
import { buildFleet } from './fleet.js';
import { type FleetDevice, makeFleet, makeFleetDevices } from './fleet-device.js';
import { type GeneratorMeter, GeneratorWatch } from './generator.js';
import { makeWorld, type RunWorld, type SharedThings } from './handles.js';
import type { Journal } from './journal.js';
import { LiveFaults } from './live-faults.js';
import { openTarget, type TargetOptions } from './open-target.js';
import { listMade, listToDelete, provision, tearDown } from './provision.js';
import { type RunFixture, runSchedule } from './schedule.js';
import { StepTimes } from './step-times.js';
import { describeError, findErrorSpoiling, SystemErrors } from './system-errors.js';
import { warnOfUndelivered } from './undelivered.js';

/** Concurrent requests of the provisioning in real time. */
const PROVISIONING = 16;

/** Simulated time, or the time of this machine. */
export const CLOCKS = ['virtual', 'real'] as const;

/** What a world needs besides its journal. */
export interface WorldOptions extends TargetOptions {
  readonly clock: (typeof CLOCKS)[number];
  /** Maximum speed of virtual time, in simulated milliseconds per real millisecond. Default: as fast as possible. */
  readonly pace?: number;
  /**
   * If set, the resources that the run created in another cloud are kept, and this function is called with their names.
   * Default: they are deleted.
   */
  readonly keep?: (what: readonly string[]) => void;
  /**
   * Called before the clean-up with everything that it will delete, and after it with what could not be deleted. `since`: when
   * the run began. In a divided run, the first call is at the stop of the run.
   */
  readonly left?: (left: LeftBehind) => void;
  /**
   * Called when another cloud rejects requests with 429 or 503, so that the run waits; with undefined when the requests go on.
   */
  readonly waits?: (wait: RequestWait | undefined) => void;
  /** Measures in real time whether this process keeps up. Default: {@link GeneratorWatch}. */
  readonly meter?: (speed: number) => GeneratorMeter;
}

/** What a clean-up has not deleted. */
export interface LeftBehind extends Pick<Leftovers, 'spaceId' | 'things'> {
  readonly since: UnixMillis;
}

/** The options of a world, which may be one of several worlds of the run. */
interface OneWorldOptions extends WorldOptions {
  /** Set if the world simulates only a part of the run. */
  readonly part?: PartOfRun;
  /** Whether all parts of the run are at rest: see `RunFixture` in schedule.ts. */
  readonly atRest?: (own: boolean) => Promise<boolean>;
}

/** What a world needs if it simulates a part of a run: the common resources, the start and the cloud of the run. */
interface PartOfRun {
  readonly shared: SharedThings;
  /**
   * Called when the fleet of the part is created. Resolves when the run has begun, with a function that returns the real time
   * since then; call this function as late as possible. Resolves with undefined if the run has been stopped.
   */
  readonly begins: () => Promise<(() => Millis) | undefined>;
  /** The embedded cloud of the run; undefined if the run uses {@link WorldOptions.cloud}. */
  readonly cloud?: ServedCloud;
}

/** Address of the API of a cloud, with the space and the key of a run. */
export interface ApiAccess {
  readonly baseUrl: string;
  readonly spaceId: string;
  /** Secret. */
  readonly apiKey: string;
}

/** What happened in a run besides its plan: faults and commands of users, and the times at which waits ended. */
interface Happened {
  /** The plan with the faults of users. A fault that a user lifted ends at that time; one that was cancelled is left out. */
  readonly plan: Plan;
  readonly times: Pick<StepTimes, 'waits' | 'console'>;
}

/** Control of a running world. */
export interface WorldControl {
  readonly clock: DrivenClock;
  /** Its devices, for a console, and the API of its cloud; undefined if the fleet is divided among threads or workers. */
  readonly world?: {
    readonly fleet: Fleet;
    readonly api: ApiAccess;
    /** Its faults. */
    readonly faults: LiveFaults;
    /** What has happened so far besides the plan. */
    happened(): Happened;
    /** Pauses time and changes its speed; undefined if virtual time passes as fast as possible. */
    readonly pace?: Pace | undefined;
    /** The address of the web console with a new one-time token; undefined if the cloud has no console. */
    consoleLink(): string | undefined;
    /** Whether the cookie `secret` belongs to an open console session that began with a one-time token; also while it is down. */
    hasSession(secret: string): Promise<boolean>;
  };
  /** Ends the run at once; the result contains the reason. */
  stop(reason: GhostfleetError): void;
}

/** The results of a course besides its events. */
export interface CourseEnd {
  readonly happened: Happened;
  readonly end: End;
  /** Simulated time at which the run came to rest, or was ended. */
  readonly simulatedMs: Millis;
  /** How well this process kept up with real time; null in virtual time. */
  readonly generator: GeneratorReport | null;
  /** The results for the rules that another cloud has to follow; in a divided run one list from all its parts. */
  readonly audited: readonly RuleTally[];
  /** The clock of another cloud, compared with the clocks of all workers; missing if it was not measured. */
  readonly targetClock?: ClockOffset;
  /** Warnings from the cloud at the end of the run; missing in a divided run. */
  readonly remarks?: readonly string[];
  /** The workers among which a run in real time was divided; missing if it was not. */
  readonly workers?: readonly WorkerReport[];
}

/**
 * Runs a plan in one world of this thread.
 * @param started called before the provisioning
 * @param virtual the clock of virtual time. Default: a clock that keeps `pace`, or without it passes time as fast as possible
 * @throws UsageError if the cloud or the fleet cannot be set up
 */
export async function inOneWorld(
  options: OneWorldOptions,
  journal: WorldJournal,
  started: (control: WorldControl) => void,
  virtual?: DrivenClock,
): Promise<CourseEnd> {
  const patience = new RunPatience(options.waits, options.cloud?.pace);
  try {
    return await withPatience(patience, options, journal, started, virtual);
  } finally {
    patience.close();
  }
}

type WorldJournal = Pick<Journal, 'trace' | 'evidence' | 'settle' | 'close'>;

async function withPatience(
  patience: RunPatience,
  options: OneWorldOptions,
  journal: WorldJournal,
  started: (control: WorldControl) => void,
  virtual: DrivenClock | undefined,
): Promise<CourseEnd> {
  const { plan } = options;
  const { trace } = journal;
  const { clock, pace, begin, late, generatorReport } = timeOf(options, virtual, () => journal.settle(), trace);
  const faults = new LiveFaults(plan, clock);
  const random = seededRandom(plan.seed);
  const abort = new AbortController();
  const stop = (reason: GhostfleetError) => {
    abort.abort(reason);
    patience.end(reason);
    clock.stop(reason);
  };
  const errors = new SystemErrors((error) => {
    // In virtual time, the course of the run must not depend on real failures.
    if (options.clock === 'virtual' && error.own) clock.stop(machineFailed(error));
  });
  const target = await openTarget(options, { clock, trace, random, failed: errors.add, patience }, options.part?.cloud);
  faults.serve(target.faults);
  const callers = new Callers({ baseUrl: target.address.baseUrl, virtual: options.clock === 'virtual' });
  const times = new StepTimes(clock, trace);
  const happened = () => ({ plan: faults.happened, times });
  const evidence = () => journal.evidence(clock.now);
  const parts = { callers, clock, random, late, evidence, waited: times.waited, faults };
  const fixture = await builtOrClosed(target, () => build(options, target, parts));
  let end: End;
  let generator: GeneratorReport | null = null;
  let remarks: readonly string[] = [];
  try {
    const api = { ...target.address, spaceId: target.api.spaceId };
    const fleet = makeFleet(plan, fixture.handles, times.noted);
    const sessions = {
      consoleLink: () => target.consoleLink?.(),
      hasSession: async (secret: string) => (await target.hasSession?.(secret)) ?? false,
    };
    started({ clock, stop, world: { fleet, api, faults, happened, pace, ...sessions } });
    await provision(plan, fixture.world, fixture.handles, { concurrency: atOnce(options), signal: abort.signal });
    const since = await options.part?.begins();
    patience.runBegins();
    begin(since?.());
    target.begin();
    end = await awaitEnd(
      runSchedule(fixture, clock).then(() => {
        patience.runEnds();
        return target.lastLook();
      }),
    );
    target.end();
    if (options.part === undefined)
      remarks = [...(target.remarks?.() ?? []), ...(await warnOfUndelivered(target.api, plan))];
  } finally {
    target.end();
    generator = withErrors(generatorReport(), errors.all);
    try {
      journal.close();
    } finally {
      // Runs even if the event log could not be written, because the run must clean up in another cloud.
      patience.beginCleanUp();
      await closeAll(fixture, target, callers, options);
    }
  }
  const audited = target.audit?.listTallies() ?? [];
  const targetClock = target.clockOffset?.();
  return {
    ...{ end, simulatedMs: sinceStart(clock.now), generator, audited, remarks, happened: happened() },
    ...(targetClock && { targetClock }),
  };
}

function withErrors(report: GeneratorReport | null, errors: readonly SystemError[]): GeneratorReport | null {
  return report && errors.length > 0
    ? { ...report, spoiled: findErrorSpoiling(errors) ?? report.spoiled, errors }
    : report;
}

function machineFailed(error: SystemError): GhostfleetError {
  return new GhostfleetError('machine-failed', `the run is invalid: ${describeError(error)}`, EXIT.invalid);
}

async function closeAll(
  fixture: ReturnType<typeof build>,
  target: Target,
  callers: Callers,
  options: OneWorldOptions,
): Promise<void> {
  for (const device of fixture.devices) device.powerOff();
  if (target.outlivesRun) await cleanUp(fixture, options, target.since?.() ?? 0);
  await callers.close();
  await target.close();
}

/** The clock of a run, and in real time the measurement of how well this process keeps up. */
function timeOf(
  { clock, speed, pace, plan, meter = (rate) => new GeneratorWatch(rate, plan.loads.length > 0) }: WorldOptions,
  virtual: DrivenClock | undefined,
  rest: () => void,
  trace: Trace,
): {
  readonly clock: DrivenClock;
  /** Undefined in virtual time that passes as fast as possible. */
  readonly pace?: Pace;
  /** @param ago real time that has passed since the beginning of the run. Default: 0 */
  readonly begin: (ago?: Millis) => void;
  /** Records how late an action ran, in real ms. */
  readonly late: (lateBy: Millis) => void;
  readonly generatorReport: () => GeneratorReport | null;
} {
  if (clock === 'virtual') {
    const none = { begin: () => {}, late: () => {}, generatorReport: () => null };
    if (pace !== undefined) {
      const paced = new PacedClock({ start: plan.start, speed: pace, rest });
      return { ...none, clock: paced, pace: paced, begin: () => paced.begin() };
    }
    return { clock: virtual ?? new VirtualClock({ start: plan.start }), ...none };
  }
  let measured: GeneratorMeter | undefined;
  const late = (lateBy: Millis) => measured?.late(lateBy);
  const onSpeed = (now: number) => trace.emit({ kind: 'world.speed', at: real.now, speed: now });
  const real = new RealClock({ speed, frozen: true, onAlarm: late, onSpeed });
  const begin = (ago?: Millis) => {
    if (speed !== 1) onSpeed(speed);
    measured = meter(speed);
    real.begin(ago);
  };
  return { clock: real, pace: real, begin, late, generatorReport: () => measured?.end() ?? null };
}

/**
 * Number of devices that are provisioned at the same time. In virtual time it is 1, so that equal runs create them in the same
 * order.
 */
function atOnce({ clock }: WorldOptions): number {
  return clock === 'virtual' ? 1 : PROVISIONING;
}

interface WorldParts {
  readonly clock: EdgeClock;
  readonly random: Random;
  readonly faults: LiveFaults;
  readonly callers: Callers;
  readonly evidence: RunFixture['evidence'];
  readonly late: (lateBy: Millis) => void;
  readonly waited: RunFixture['waited'];
}

/** Closes the target if the fleet cannot be built. */
async function builtOrClosed<T>(target: Target, make: () => T): Promise<T> {
  try {
    return make();
  } catch (error) {
    await target.close();
    throw error;
  }
}

/** Builds the fleet, switched off and not yet registered in the cloud. */
function build(
  options: OneWorldOptions,
  target: Target,
  { clock, random, callers, faults, evidence, late, waited }: WorldParts,
): RunFixture & { readonly world: RunWorld; readonly handles: readonly FleetDevice[] } {
  const plan = renewTokens(options.plan);
  const { api, address, wire, format, trace, audit, accepted, admit } = target;
  const virtual = options.clock === 'virtual';
  const transport = withFaults(wire, { clock, random, trace, faults: faults.list, checksummed: format === 'http' });
  const failed = (serial: number, { stack }: Error) => {
    const device = plan.devices.find((planned) => planned.serial === serial)?.name;
    options.log.error({ device, stack }, 'the code of a device has thrown an error');
  };
  const devices = buildFleet({ ...options, plan, clock, random, trace, witness: audit, failed, transport, format });
  const handles = makeFleetDevices(plan, devices);
  const world = makeWorld(target, options.profiles, options.part?.shared);
  const own = { spaceId: api.spaceId, apiKey: address.apiKey };
  const startLoads = () =>
    new Loads(plan.loads, {
      ...{ clock, random, trace, handles, accepted, leastPause: virtual ? 1 : 0 },
      ...(admit && { admit }),
      ...(audit && { unanswered: audit.noteUnanswered.bind(audit) }),
      ...{ speed: options.speed, serviceSpeed: target.speed },
      callerOf: ({ as }) => callers.getCaller((as === undefined ? undefined : world.client(as)) ?? own),
      late: (lateBy) => late(lateBy / options.speed),
    });
  const { atRest } = options;
  return {
    plan,
    devices,
    handles,
    world,
    trace,
    evidence,
    waited,
    live: faults,
    startLoads,
    ...(atRest && { atRest }),
  };
}

async function cleanUp(
  { world, handles }: RunFixture & { world: RunWorld },
  { keep, left, part }: OneWorldOptions,
  since: UnixMillis,
): Promise<void> {
  if (keep !== undefined) return keep(listMade(world, handles));
  const { spaceId } = world.api;
  // For a part, the run has recorded everything.
  if (part === undefined) left?.({ spaceId, since, things: listUndeleted(listToDelete(world, handles)) });
  left?.({ spaceId, since, things: await tearDown(world, handles, since, PROVISIONING) });
}
