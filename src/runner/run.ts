/**
 * Carries a plan out: builds the world, lets its time pass, waits for it to come to rest, and judges it.
 */
import PQueue from 'p-queue';
import { DeviceCloudClient } from '../client/client.js';
import type { Log } from '../cloud/context.js';
import { type Service, startService } from '../cloud/service.js';
import type { Device } from '../device/device.js';
import type { DrivenClock, EdgeClock } from '../kernel/clock.js';
import { EXIT, type ExitCode, GhostfleetError, StuckError } from '../kernel/errors.js';
import { InFlight } from '../kernel/in-flight.js';
import { type Random, seededRandom } from '../kernel/random.js';
import { RealClock } from '../kernel/real-clock.js';
import { formatDuration, seconds } from '../kernel/time.js';
import { VirtualClock } from '../kernel/virtual-clock.js';
import type { Profile } from '../profile/profile.js';
import type { RunResult } from '../report/result.js';
import { planDigest } from '../scenario/describe.js';
import { evaluate } from '../scenario/expect/evaluate.js';
import type { Plan, PlannedAction } from '../scenario/plan.js';
import { describeStep, runStep } from '../scenario/steps/index.js';
import type { DeviceHandle, World } from '../scenario/world.js';
import type { Trace } from '../trace/events.js';
import { type LineSink, TraceLog } from '../trace/log.js';
import { Metrics } from '../trace/metrics/index.js';
import { DigestSink } from '../trace/sinks.js';
import type { ScheduledFault } from '../transport/faults/fault.js';
import type { FaultSpec } from '../transport/faults/index.js';
import { withFaults } from '../transport/faults/with-faults.js';
import { httpTransport, pooledRequests } from '../transport/http.js';
import { memoryTransport } from '../transport/memory.js';
import type { Transport } from '../transport/transport.js';
import { udpTransport } from '../transport/udp.js';
import { buildFleet } from './fleet.js';
import { deviceHandle, worldOf } from './handles.js';

/** Requests of the provisioning that are under way at once in real time. */
const PROVISIONING = 16;
/** How often the world is asked whether it has come to rest. */
const REST_CHECK = seconds(1);
const LOOPBACK = '127.0.0.1';

export interface RunOptions {
  readonly plan: Plan;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly clock: 'virtual' | 'real';
  /** Simulated milliseconds in a real one; only for the real clock. */
  readonly speed: number;
  /** What carries messages: datagrams in memory or over UDP, or HTTP requests. */
  readonly transport: 'memory' | 'udp' | 'http';
  /** Where the embedded cloud keeps its data: a path, or `memory`. */
  readonly db: string;
  /** Further receivers of the event log. */
  readonly sinks: readonly LineSink[];
  readonly log: Log;
  /** The command that repeats the run. */
  readonly reproduce: string;
  readonly out: string | null;
  /** Real milliseconds since some moment, for what the run took. */
  readonly stopwatch: () => number;
  /** Called once the world is built. */
  readonly started?: (control: RunControl) => void;
}

/** What may be done to a run from outside. */
export interface RunControl {
  readonly clock: DrivenClock;
  readonly metrics: Metrics;
  /** Ends it at once; the result says why. */
  stop(reason: GhostfleetError): void;
}

/** @throws UsageError when the world can not be built */
export async function run(options: RunOptions): Promise<RunResult> {
  const { plan } = options;
  const began = options.stopwatch();
  const clock: DrivenClock =
    options.clock === 'virtual' ? new VirtualClock({ start: plan.start }) : new RealClock({ speed: options.speed });
  const metrics = new Metrics(plan.devices.length);
  const digest = new DigestSink();
  const trace = new TraceLog([metrics], [digest, ...options.sinks]);
  const random = seededRandom(plan.seed);
  const built = await build(options, clock, trace, random);
  let end: { readonly exitCode: ExitCode; readonly failure: string | null };
  try {
    options.started?.({ clock, metrics, stop: (reason) => clock.stop(reason) });
    end = await letTimePass(built, plan, clock, trace);
  } finally {
    trace.close();
    for (const device of built.devices) device.powerOff();
    await built.close();
  }
  const expectations = plan.expectations.map((expectation) => evaluate(expectation, metrics));
  const held = expectations.every((expectation) => expectation.passed);
  const exitCode = end.exitCode !== EXIT.fine || held ? end.exitCode : EXIT.expectation;
  return {
    ...metrics.summary(),
    scenario: plan.scenario,
    seed: plan.seed,
    digest: digest.short,
    planDigest: planDigest(plan),
    passed: exitCode === EXIT.fine,
    exitCode,
    failure: end.failure,
    clock: options.clock,
    speed: options.clock === 'real' ? options.speed : null,
    transport: options.transport,
    out: options.out,
    simulatedMs: clock.now,
    wallMs: options.stopwatch() - began,
    events: trace.events,
    expectations,
    reproduce: options.reproduce,
    next: plan.next,
    names: Object.fromEntries(plan.devices.map(({ serial, name }) => [serial, name])),
  };
}

interface BuiltWorld {
  readonly service: Service;
  readonly devices: readonly Device[];
  readonly handles: readonly DeviceHandle[];
  readonly world: World;
  close(): Promise<void>;
}

async function build(options: RunOptions, clock: DrivenClock, trace: Trace, random: Random): Promise<BuiltWorld> {
  const { plan } = options;
  const virtual = options.clock === 'virtual';
  const udp = options.transport === 'udp';
  const wires = {
    toCloud: new InFlight(clock, 'a datagram on its way to the gateway'),
    toDevices: new InFlight(clock, 'a datagram on its way to a device'),
  };
  const service = await startService({
    db: options.db,
    host: LOOPBACK,
    port: 0,
    udpPort: udp ? 0 : null,
    udpRawPort: null,
    space: plan.scenario,
    clock,
    random: random.fork('cloud'),
    trace,
    log: options.log,
    ...(virtual && udp && { wires }),
  });
  const closers = [() => service.close()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const api = new DeviceCloudClient({ baseUrl: service.api, apiKey: keyOf(service), spaceId: service.spaceId });
    closers.push(() => api.close());
    const wire = await openWire(options.transport, service, clock, virtual && udp ? wires : undefined);
    const transport = withFaults(wire, { clock, random, trace, faults: faultsOf(plan) });
    closers.push(() => transport.close());
    const format = options.transport === 'http' ? 'http' : 'base64';
    const devices = buildFleet({ ...options, clock, random, trace, transport, format });
    const handles = plan.devices.map((planned, index) => {
      const tags = plan.groups[planned.group]?.tags ?? [];
      return deviceHandle(planned, tags, devices[index] as Device);
    });
    const world = worldOf(api);
    await provision(plan, world, handles, virtual ? 1 : PROVISIONING);
    return { service, devices, handles, world, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function keyOf(service: Service): string {
  if (service.apiKey !== undefined) return service.apiKey;
  throw new GhostfleetError('old-database', 'the database of a run must be a new one', EXIT.usage);
}

async function openWire(
  kind: RunOptions['transport'],
  service: Service,
  clock: EdgeClock,
  wires: { toCloud: InFlight; toDevices: InFlight } | undefined,
): Promise<Transport> {
  if (kind === 'http') {
    const requests = pooledRequests(service.api);
    return httpTransport(requests.send, clock, () => requests.close());
  }
  if (service.udp === null) {
    return memoryTransport((datagram, reply) => service.gateway.receive(datagram, 'base64', reply));
  }
  return udpTransport({ host: LOOPBACK, port: service.udp, format: 'base64', ...(wires && { wires }) });
}

function faultsOf(plan: Plan): readonly ScheduledFault<FaultSpec>[] {
  return plan.network.map(({ fault, from, until, group, way }) => {
    const index = plan.groups.findIndex((candidate) => candidate.name === group);
    const serials = new Set(plan.devices.filter((device) => device.group === index).map((device) => device.serial));
    return {
      fault,
      from,
      until: until ?? Number.POSITIVE_INFINITY,
      way,
      hits: group === null ? () => true : (serial) => serials.has(serial),
    };
  });
}

/**
 * Creates the fleet in the cloud, through its public API.
 * @param concurrency requests at once: one in virtual time, where their order is part of the run
 */
async function provision(
  plan: Plan,
  world: World,
  handles: readonly DeviceHandle[],
  concurrency: number,
): Promise<void> {
  const queue = new PQueue({ concurrency });
  const create = { step: 'create-device', options: null } as const;
  const work = handles.map((handle, index) => {
    const group = plan.groups[plan.devices[index]?.group ?? -1];
    return group?.register ? queue.add(() => runStep(world, handle, create)) : undefined;
  });
  await Promise.all(work);
}

async function letTimePass(
  built: BuiltWorld,
  plan: Plan,
  clock: DrivenClock,
  trace: Trace,
): Promise<{ exitCode: ExitCode; failure: string | null }> {
  plan.devices.forEach((planned, index) => {
    clock.after(planned.bootAt, 'the first power-up of a device', () => built.devices[index]?.powerOn());
  });
  for (const action of plan.actions) schedule(action, built, clock, trace);
  try {
    await clock.runUntil(plan.duration);
    trace.emit({ kind: 'world.closing', at: clock.now });
    for (const device of built.devices) device.close();
    await settle(built.devices, plan, clock);
    return { exitCode: EXIT.fine, failure: null };
  } catch (error) {
    if (error instanceof GhostfleetError) return { exitCode: error.exit, failure: error.message };
    throw error;
  }
}

/** A step's requests keep virtual time still, device after device: the order of requests is part of the run. */
function schedule(action: PlannedAction, built: BuiltWorld, clock: DrivenClock, trace: Trace): void {
  const step = describeStep(action);
  clock.after(action.at, 'a step of the scenario', () => {
    const release = clock.hold(`the step "${step}"`);
    const carryOut = async () => {
      for (const index of action.devices) {
        const handle = built.handles[index];
        if (handle === undefined) continue;
        const note = await runStep(built.world, handle, action).then(
          () => '',
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
        trace.emit({ kind: 'step', at: clock.now, step, ok: note === '', note });
      }
    };
    carryOut().finally(release);
  });
}

/** Lets open exchanges end. @throws StuckError naming who is still busy, and with what */
async function settle(devices: readonly Device[], plan: Plan, clock: DrivenClock): Promise<void> {
  const deadline = plan.duration + plan.settle;
  for (;;) {
    const busy = devices.flatMap((device, index) => {
      const work = device.busyWith;
      return work === undefined ? [] : [`${plan.devices[index]?.name} with ${work}`];
    });
    if (busy.length === 0) return;
    if (clock.now >= deadline) {
      const shown = busy.slice(0, 5).join(', ') + (busy.length > 5 ? ` and ${busy.length - 5} more` : '');
      throw new StuckError(`not at rest ${formatDuration(plan.settle)} after the end: ${shown}`, shown);
    }
    await clock.runUntil(Math.min(deadline, clock.now + REST_CHECK));
  }
}
