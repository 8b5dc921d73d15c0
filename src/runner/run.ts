/**
 * Runs a plan: builds the world, lets its time pass, waits until it is at rest, and judges the result.
 */

import type { Fleet } from '../console/member.js';
import type { Device } from '../device/device.js';
import { Histories } from '../explain/histories.js';
import { RunExplainer } from '../explain/run-explainer.js';
import type { DrivenClock, EdgeClock } from '../kernel/clock.js';
import { EXIT, type GhostfleetError, UsageError } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';
import { type Random, seededRandom } from '../kernel/random.js';
import { RealClock } from '../kernel/real-clock.js';
import { type Millis, sinceStart } from '../kernel/time.js';
import { VirtualClock } from '../kernel/virtual-clock.js';
import type { Profile } from '../profile/profile.js';
import type { GeneratorReport, RunResult } from '../report/result.js';
import { type Evidence, evaluate } from '../scenario/expect/evaluate.js';
import { termsOf } from '../scenario/expect/expectation.js';
import type { Plan } from '../scenario/model/plan.js';
import { planDigest } from '../scenario/plan/describe.js';
import { outline } from '../scenario/plan/outline.js';
import type { Trace } from '../trace/events.js';
import { Invariants } from '../trace/invariants/index.js';
import { type Fold, type LineSink, TraceLog } from '../trace/log.js';
import { type MetricScopes, Metrics } from '../trace/metrics/index.js';
import { DigestSink } from '../trace/sinks.js';
import type { ScheduledFault } from '../transport/faults/fault.js';
import type { FaultSpec } from '../transport/faults/index.js';
import { withFaults } from '../transport/faults/with-faults.js';
import { keepExplainer } from './explainers.js';
import { buildFleet } from './fleet.js';
import { type GeneratorMeter, GeneratorWatch } from './generator.js';
import { deviceHandle, type RunWorld, worldOf } from './handles.js';
import { type End, endOf, judge, undecided } from './judge.js';
import { Callers } from './load/callers.js';
import { Loads } from './load/loads.js';
import { fleetOf } from './members.js';
import { madeBy, provision, tearDown } from './provision.js';
import { type RunFixture, runSchedule } from './schedule.js';
import { situationOf } from './situation.js';
import { spoiledByUnsent } from './spoiled.js';
import { StepTimes } from './step-times.js';
import { embeddedTarget, type TransportName } from './targets/embedded.js';
import { type RemoteCloud, remoteTarget } from './targets/remote.js';
import type { Target } from './targets/target.js';

/** Concurrent requests of the provisioning in real time. */
const PROVISIONING = 16;

/** Number of downlinks that the result of a run explains. */
const EXPLAINED = 5;

/** Simulated time, or the time of this machine. */
export const CLOCKS = ['virtual', 'real'] as const;

export interface RunOptions {
  readonly plan: Plan;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly clock: (typeof CLOCKS)[number];
  /** Simulated milliseconds per real millisecond; only for the real clock. */
  readonly speed: number;
  /** A cloud to use instead of the embedded one; needs the real clock. */
  readonly cloud?: RemoteCloud;
  /** Transport to the embedded cloud. */
  readonly transport: TransportName;
  /** Where the embedded cloud keeps its data: a path, or `memory`. */
  readonly db: string;
  /** Further receivers of the event log. */
  readonly sinks: readonly LineSink[];
  readonly log: Log;
  /** The command that repeats the run. */
  readonly reproduce: string;
  readonly out: string | null;
  /** Keeps the resources that the run created in another cloud; called with their names. Undefined: they are deleted. */
  readonly keep?: (what: readonly string[]) => void;
  /** Version of the program, for the result. */
  readonly version?: string;
  /** ISO 8601 time in UTC at which the run starts, for the result. */
  readonly startedAt?: string;
  /** Real milliseconds since any fixed moment, to measure the duration of the run. */
  readonly stopwatch: () => number;
  /** Measures in real time whether this process keeps up. Default: {@link GeneratorWatch}. */
  readonly meter?: (speed: number) => GeneratorMeter;
  /** Receives every event, like the sinks. */
  readonly watch?: Fold;
  /** Called before the provisioning. */
  readonly started?: (control: RunControl) => void;
}

/** Where the API of a cloud is, and the space and the key of a run. */
export interface ApiAccess {
  readonly baseUrl: string;
  readonly spaceId: string;
  /** Secret. */
  readonly apiKey: string;
}

/** Control of a running run. */
export interface RunControl {
  readonly clock: DrivenClock;
  readonly metrics: Metrics;
  /** Its devices, for a console. */
  readonly fleet: Fleet;
  /** The API of its cloud. */
  readonly api: ApiAccess;
  /** Ends the run at once; the result contains the reason. */
  stop(reason: GhostfleetError): void;
}

/** Runs a plan. @throws UsageError if the world cannot be built */
export async function run(options: RunOptions): Promise<RunResult> {
  const { plan } = options;
  const began = options.stopwatch();
  const { clock, begin, late, generatorReport } = timeOf(options);
  const metrics = new Metrics(plan.devices.length, plan.warmUp, plan.duration, scopesOf(plan));
  const digest = new DigestSink();
  let opened: Target | undefined;
  const invariants = invariantsOf(plan, () => opened);
  const histories = new Histories();
  const folds = [metrics, invariants, histories, ...(options.watch ? [options.watch] : [])];
  const trace = new TraceLog(folds, [digest, ...options.sinks]);
  const random = seededRandom(plan.seed);
  const abort = new AbortController();
  const stop = (reason: GhostfleetError) => {
    abort.abort(reason);
    clock.stop(reason);
  };
  const target = await openTarget(options, clock, trace, random);
  opened = target;
  const callers = new Callers({ baseUrl: target.address.baseUrl, virtual: options.clock === 'virtual' });
  const names = Object.fromEntries(plan.devices.map(({ serial, name }) => [serial, name]));
  const evidence = { metrics, invariants, nameOf: (serial: number) => names[serial] ?? String(serial) };
  const times = new StepTimes(clock, trace);
  const fixture = build(options, target, { callers, clock, random, late, evidence, waited: times.waited });
  let end: End;
  let generator: GeneratorReport | null = null;
  try {
    const api = { ...target.address, spaceId: target.api.spaceId };
    const fleet = fleetOf(plan, fixture.devices, fixture.handles, times.noted);
    options.started?.({ clock, metrics, stop, fleet, api });
    await provision(plan, fixture.world, fixture.handles, { concurrency: atOnce(options), signal: abort.signal });
    begin();
    target.begin();
    end = await endOf(runSchedule(fixture, clock).then(() => target.lastLook()));
  } finally {
    target.end();
    generator = generatorReport();
    try {
      trace.close();
    } finally {
      // Also if the event log could not be written: the run must clean up in another cloud.
      await closeAll(fixture, target, callers, options);
    }
  }
  invariants.end();
  const audited = target.audit?.results(evidence.nameOf) ?? [];
  const evaluated = [...plan.expectations.map((expectation) => evaluate(expectation, evidence)), ...audited];
  const expectations = end.exitCode === EXIT.interrupted ? evaluated.map(undecided) : evaluated;
  const summary = metrics.summary();
  const spoiled = generator?.spoiled ?? spoiledByUnsent(summary.calls);
  const { exitCode, failure } = judge(end, expectations, metrics.contradictions, spoiled);
  const slowest = summary.downlinks.slowest.map(({ serial }) => serial);
  const planned = { ...outline(plan, slowest), ...situationOf(plan, options.profiles, times) };
  const explainer = new RunExplainer(histories, planned, names);
  const result: RunResult = {
    ...summary,
    format: 1,
    scenario: plan.scenario,
    seed: plan.seed,
    digest: digest.short,
    planDigest: planDigest(plan),
    ...(options.version !== undefined && { version: options.version }),
    ...(options.startedAt !== undefined && { startedAt: options.startedAt }),
    ...(plan.about.trim() !== '' && { about: plan.about.trim() }),
    passed: exitCode === EXIT.fine,
    exitCode,
    failure,
    clock: options.clock,
    speed: options.clock === 'real' ? options.speed : null,
    target: options.cloud?.api ?? 'embedded',
    transport: transportOf(options),
    out: options.out,
    simulatedMs: sinceStart(clock.now),
    wallMs: options.stopwatch() - began,
    generator,
    events: trace.events,
    expectations,
    planned,
    ...(!histories.overflowed && { explanations: explainer.slowest(EXPLAINED) }),
    reproduce: options.reproduce + withoutConsole(summary.console.actions),
    next: plan.next,
    names,
  };
  keepExplainer(result, explainer);
  return result;
}

async function closeAll(
  fixture: ReturnType<typeof build>,
  target: Target,
  callers: Callers,
  options: RunOptions,
): Promise<void> {
  for (const device of fixture.devices) device.powerOff();
  if (target.outlivesRun) await cleanUp(fixture, options);
  await callers.close();
  await target.close();
}

/** @param target undefined until it is open */
function invariantsOf({ expectations }: Plan, target: () => Target | undefined): Invariants {
  const names = expectations.flatMap((line) => ('invariant' in line ? line.invariant : []));
  return new Invariants(names, { unstoredAcks: (serial) => target()?.unstoredAcks?.(serial) });
}

function scopesOf(plan: Plan): MetricScopes {
  const { scopes = [], devices } = plan;
  const serials = (indices: readonly number[]) => indices.flatMap((i) => devices[i]?.serial ?? []);
  return {
    devices: new Map(scopes.flatMap((scope) => ('devices' in scope ? [[scope.name, serials(scope.devices)]] : []))),
    loads: new Map(scopes.flatMap((scope) => ('loads' in scope ? [[scope.name, scope.loads]] : []))),
    limits: limitsOf(plan),
  };
}

/** The durations of all `within` in the expectations and conditions. */
function limitsOf({ expectations, waits = [] }: Plan): readonly Millis[] {
  const limits = [...expectations, ...waits.map(({ condition }) => condition)].flatMap((line) =>
    'invariant' in line
      ? []
      : [line.left, line.right]
          .flatMap(termsOf)
          .flatMap(({ aggregate }) => (aggregate.kind === 'within' ? aggregate.limit : [])),
  );
  return [...new Set(limits)];
}

/** The clock of a run, and in real time the measurement of how well this process keeps up. */
function timeOf({
  clock,
  speed,
  plan,
  meter = (rate) => new GeneratorWatch(rate, plan.loads.length > 0),
}: RunOptions): {
  readonly clock: DrivenClock;
  readonly begin: () => void;
  /** Records how late an action ran, in real ms. */
  readonly late: (lateBy: Millis) => void;
  readonly generatorReport: () => GeneratorReport | null;
} {
  if (clock === 'virtual') {
    const none = { begin: () => {}, late: () => {}, generatorReport: () => null };
    return { clock: new VirtualClock({ start: plan.start }), ...none };
  }
  let measured: GeneratorMeter | undefined;
  const late = (lateBy: Millis) => measured?.late(lateBy);
  const real = new RealClock({ speed, frozen: true, onAlarm: late });
  const begin = () => {
    measured = meter(speed);
    real.begin();
  };
  return { clock: real, begin, late, generatorReport: () => measured?.end() ?? null };
}

/** Number of devices that are provisioned at the same time. In virtual time their order is part of the run. */
function atOnce({ clock }: RunOptions): number {
  return clock === 'virtual' ? 1 : PROVISIONING;
}

/** A shell comment after the command if it cannot repeat the run. */
function withoutConsole(actions: number): string {
  if (actions === 0) return '';
  return ` # not the same run: without ${actions} ${actions === 1 ? 'action' : 'actions'} from a console`;
}

function transportOf({ cloud, transport }: RunOptions): string {
  if (cloud === undefined) return transport;
  return cloud.gateway === null ? 'http' : 'udp';
}

/** Opens the cloud of the run. @throws UsageError if it cannot be used, or cannot have a fault of the scenario */
function openTarget(options: RunOptions, clock: DrivenClock, trace: Trace, random: Random): Promise<Target> {
  const { transport, db, log, plan, cloud, speed } = options;
  const { serviceFaults = [] } = plan;
  if (cloud === undefined) {
    const virtual = options.clock === 'virtual';
    const world = { clock, random, trace, log };
    const { cloud: settings } = plan;
    return embeddedTarget({
      ...{ ...world, transport, db, space: plan.scenario, virtual, faults: serviceFaults },
      ...(settings && { settings }),
    });
  }
  const [unknown] = serviceFaults;
  if (unknown !== undefined) {
    const { kind } = unknown.fault;
    throw new UsageError('bad-fault', `the fault ${kind} requires the embedded cloud`);
  }
  const serials = new Set(plan.devices.map(({ serial }) => serial));
  return remoteTarget({ cloud, serials, profiles: options.profiles.values(), speed, clock, trace });
}

interface WorldParts {
  readonly clock: EdgeClock;
  readonly random: Random;
  readonly callers: Callers;
  readonly evidence: Evidence;
  readonly late: (lateBy: Millis) => void;
  readonly waited: RunFixture['waited'];
}

/** Builds the fleet, switched off and not yet registered in the cloud. */
function build(
  options: RunOptions,
  target: Target,
  { clock, random, callers, evidence, late, waited }: WorldParts,
): RunFixture & { readonly world: RunWorld } {
  const { plan } = options;
  const { api, address, wire, format, trace, audit, accepted, admit } = target;
  const virtual = options.clock === 'virtual';
  const transport = withFaults(wire, { clock, random, trace, faults: faultsOf(plan), checksummed: format === 'http' });
  const devices = buildFleet({ ...options, clock, random, trace, witness: audit, transport, format });
  const handles = plan.devices.map((planned, index) => {
    const tags = plan.groups[planned.group]?.tags ?? [];
    return deviceHandle(planned, tags, devices[index] as Device);
  });
  const world = worldOf(target, options.profiles);
  const own = { spaceId: api.spaceId, apiKey: address.apiKey };
  const startLoads = () =>
    new Loads(plan.loads, {
      ...{ clock, random, trace, handles, accepted, leastPause: virtual ? 1 : 0 },
      ...(admit && { admit }),
      serviceSpeed: target.speed,
      callerOf: ({ as }) => callers.of((as === undefined ? undefined : world.client(as)) ?? own),
      late: (lateBy) => late(lateBy / options.speed),
    });
  return { plan, devices, handles, world, trace, evidence, waited, startLoads };
}

async function cleanUp({ world, handles }: RunFixture & { world: RunWorld }, { keep, log }: RunOptions): Promise<void> {
  if (keep !== undefined) return keep(madeBy(world, handles));
  const left = await tearDown(world, handles, PROVISIONING);
  if (left.length > 0) log.warn({ left }, `${left.length} things that the run created could not be deleted`);
}

function faultsOf(plan: Plan): readonly ScheduledFault<FaultSpec>[] {
  return plan.network.map(({ fault, from, until, devices, way }) => {
    const serials = new Set(devices?.map((index) => plan.devices[index]?.serial));
    return {
      fault,
      from,
      until: until ?? Number.POSITIVE_INFINITY,
      way,
      hits: devices === null ? () => true : (serial) => serials.has(serial),
    };
  });
}
