/**
 * The course of a plan in one world, which is a clock, a fleet of devices and a connection with a cloud: opens and builds the
 * world, lets its time pass, waits until all devices are at rest, and cleans up.
 */
import type { DrivenClock } from '../../kernel/clock.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import { seededRandom } from '../../kernel/random.js';
import { sinceStart, type UnixMillis } from '../../kernel/time.js';
import type { GeneratorReport, SystemError } from '../../report/result.js';
import type { Trace } from '../../trace/events.js';
import { Callers } from '../load/callers.js';
import { RunPatience } from '../targets/paced.js';
import type { Target } from '../targets/target.js';
import { buildWorld, makeTime, type PacingJournal } from './build.js';
import { listUndeleted } from './clean-up.js';
import { awaitEnd, type End } from './end.js';
import { makeFleet } from './fleet-device.js';
import type { Journal } from './journal.js';
import { LiveFaults } from './live-faults.js';
import { openTarget } from './open-target.js';
import type { CourseEnd, OneWorldOptions, WireRecorder, WorldControl, WorldOptions } from './options.js';
import { listMade, listToDelete, provision, tearDown } from './provision.js';
import { type RunFixture, runSchedule } from './schedule.js';
import { StepTimes } from './step-times.js';
import { describeError, findErrorSpoiling, SystemErrors } from './system-errors.js';
import { warnOfUndelivered } from './undelivered.js';

/** Concurrent requests of the provisioning in real time. */
const PROVISIONING = 16;

/**
 * Runs a plan in one world of this thread.
 * @param started called before the provisioning
 * @param virtual the clock of virtual time. Default: a clock that keeps `pace`, or without it passes time as fast as possible
 * @throws UsageError if the cloud or the fleet cannot be set up
 */
export async function runInOneWorld(
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

/** The parts of a divided run, which has no pace, leave out the number of events. */
type WorldJournal = Pick<Journal, 'trace' | 'evidence' | 'settle' | 'close'> & PacingJournal;

async function withPatience(
  patience: RunPatience,
  options: OneWorldOptions,
  journal: WorldJournal,
  started: (control: WorldControl) => void,
  virtual: DrivenClock | undefined,
): Promise<CourseEnd> {
  const { plan, recorder } = options;
  const trace = recorder ? heardBy(recorder, journal.trace) : journal.trace;
  const { clock, pace, begin, late, generatorReport } = makeTime(options, virtual, journal, trace);
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
  const names = new Map(recorder && plan.devices.map(({ serial, name }) => [serial, name]));
  recorder?.begin(clock, (serial) => names.get(serial), stop);
  const common = { clock, trace, random, failed: errors.add, patience };
  const target = await patience.opening(options.signal, () => openTarget(options, common, options.part?.cloud));
  faults.serve(target.faults);
  const callers = new Callers({
    baseUrl: target.address.baseUrl,
    virtual: options.clock === 'virtual',
    failed: errors.add,
  });
  const times = new StepTimes(clock, trace);
  const happened = () => ({ plan: faults.happened, times });
  const evidence = () => journal.evidence(clock.now);
  const parts = { callers, clock, random, late, evidence, waited: times.waited, faults, failed: errors.add };
  const fixture = await builtOrClosed(target, () => buildWorld(options, target, parts));
  let end: End;
  const over = new AbortController();
  let generator: GeneratorReport | null = null;
  let remarks: readonly string[] = [];
  try {
    const api = { ...target.address, spaceId: target.api.spaceId };
    const fleet = makeFleet(plan, fixture.handles, times.noted);
    const sessions = {
      consoleLink: () => target.consoleLink?.(),
      hasSession: async (secret: string) => (await target.hasSession?.(secret)) ?? false,
      noteQueued: (answer: string, asked: string) => void target.accepted(answer, asked),
    };
    started({ clock, stop, world: { fleet, api, faults, happened, pace, ...sessions, over: over.signal } });
    await provision(plan, fixture.world, fixture.handles, { concurrency: atOnce(options), signal: abort.signal });
    const since = await options.part?.begins();
    patience.runBegins();
    begin(since?.());
    target.begin();
    end = await awaitEnd(async () => {
      await runSchedule(fixture, clock);
      patience.runEnds();
      await target.lastLook();
    });
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
      over.abort();
      await closeAll(fixture, target, callers, options);
    }
  }
  const audited = target.audit?.listTallies() ?? [];
  const targetClock = target.clockOffset?.();
  // Only now: the devices have closed their connections.
  const lost = recorder && (await awaitEnd(async () => recorder.end()));
  return {
    end,
    ...(lost?.failure && { lost }),
    simulatedMs: sinceStart(clock.now),
    generator,
    audited,
    remarks,
    happened: happened(),
    targetClock,
  };
}

/** At once: the journal passes the events of an instant on when it has all of them. */
function heardBy(recorder: WireRecorder, trace: Trace): Trace {
  return {
    emit: (event) => {
      recorder.take(event);
      trace.emit(event);
    },
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
  fixture: RunFixture,
  target: Target,
  callers: Callers,
  options: OneWorldOptions,
): Promise<void> {
  for (const { device } of fixture.handles) device.powerOff();
  if (target.outlivesRun) await cleanUp(fixture, options, target.since?.() ?? 0);
  await callers.close();
  await target.close();
}

/**
 * Number of devices that are provisioned at the same time. In virtual time it is 1, so that equal runs create them in the same
 * order.
 */
function atOnce({ clock }: WorldOptions): number {
  return clock === 'virtual' ? 1 : PROVISIONING;
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

async function cleanUp(
  { world, handles }: RunFixture,
  { keep, left, part }: OneWorldOptions,
  since: UnixMillis,
): Promise<void> {
  if (keep !== undefined) return keep(listMade(world, handles));
  const { spaceId } = world.api;
  // For a part, the run has recorded everything.
  if (part === undefined) left?.({ spaceId, since, things: listUndeleted(listToDelete(world, handles)) });
  left?.({ spaceId, since, things: await tearDown(world, handles, since, PROVISIONING) });
}
