/** Builds the world of a plan: its clock, its network with faults, and its fleet. */
import type { DrivenClock, EdgeClock } from '../../kernel/clock.js';
import type { Pace } from '../../kernel/pace.js';
import { PacedClock } from '../../kernel/paced-clock.js';
import type { Random } from '../../kernel/random.js';
import { RealClock } from '../../kernel/real-clock.js';
import type { Millis } from '../../kernel/time.js';
import { VirtualClock } from '../../kernel/virtual-clock.js';
import { apiBase, secretsInBasic } from '../../kernel/web-address.js';
import type { GeneratorReport } from '../../report/result.js';
import type { Trace } from '../../trace/events.js';
import { withFaults } from '../../transport/faults/with-faults.js';
import type { Failed } from '../../transport/transport.js';
import type { Callers } from '../load/callers.js';
import { Loads } from '../load/loads.js';
import type { Target } from '../targets/target.js';
import { renewTokens } from './claim-tokens.js';
import { buildFleet } from './fleet.js';
import { makeFleetDevices } from './fleet-device.js';
import { type GeneratorMeter, GeneratorWatch } from './generator.js';
import type { Journal } from './journal.js';
import type { LiveFaults } from './live-faults.js';
import type { OneWorldOptions, WorldOptions } from './options.js';
import { makeWorld } from './run-world.js';
import type { RunFixture } from './schedule.js';

/** What a clock that keeps a pace needs of the journal. */
export type PacingJournal = Pick<Journal, 'settle'> & Partial<Pick<Journal, 'events'>>;

/** The clock of a run, and in real time the measurement of how well this process keeps up. */
export function makeTime(
  { clock, speed, pace, plan, meter = (rate) => new GeneratorWatch(rate, plan.loads.length > 0) }: WorldOptions,
  virtual: DrivenClock | undefined,
  journal: PacingJournal,
  trace: Trace,
): {
  readonly clock: DrivenClock;
  /** Undefined in virtual time that passes as fast as possible. */
  readonly pace?: Pace | undefined;
  /** @param ago real time that has passed since the beginning of the run. Default: 0 */
  readonly begin: (ago?: Millis) => void;
  /** Records how late an action ran, in real ms. */
  readonly late: (lateBy: Millis) => void;
  readonly generatorReport: () => GeneratorReport | null;
} {
  if (clock === 'virtual') {
    const none = { begin: () => {}, late: () => {}, generatorReport: () => null };
    if (pace !== undefined) {
      const paced = new PacedClock({
        start: plan.start,
        speed: pace,
        rest: () => journal.settle(),
        events: () => journal.events ?? 0,
      });
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

interface Parts {
  readonly clock: EdgeClock;
  readonly random: Random;
  readonly faults: LiveFaults;
  readonly callers: Callers;
  readonly evidence: RunFixture['evidence'];
  readonly late: (lateBy: Millis) => void;
  readonly waited: RunFixture['waited'];
  readonly failed: Failed;
}

/** Builds the fleet, switched off and not yet registered in the cloud. */
export function buildWorld(
  options: OneWorldOptions,
  target: Target,
  { clock, random, callers, faults, evidence, late, waited, failed: limited }: Parts,
): RunFixture {
  const { recorder } = options;
  // A recording of virtual time is the same for the same seed, to the tag of each datagram.
  const plan = recorder && options.clock === 'virtual' ? options.plan : renewTokens(options.plan);
  const { api, address, wire, format, trace, audit, accepted, admit } = target;
  const virtual = options.clock === 'virtual';
  const faulty = withFaults(wire, { clock, random, trace, faults: faults.list, checksummed: format === 'http' });
  const transport = recorder?.record(faulty) ?? faulty;
  const failed = (serial: number, { stack }: Error) => {
    const device = plan.devices.find((planned) => planned.serial === serial)?.name;
    options.log.error({ device, stack }, 'the code of a device has thrown an error');
  };
  const fleet = { ...options, plan, clock, random, trace, witness: audit, failed, transport, format };
  const handles = makeFleetDevices(plan, buildFleet(fleet));
  const world = makeWorld(target, options.profiles, options.part?.shared);
  const own = { spaceId: api.spaceId, apiKey: address.apiKey };
  const startLoads = () =>
    new Loads(plan.loads, {
      clock,
      random,
      trace,
      handles,
      accepted,
      secrets: [...(plan.secrets ?? []), ...secretsInBasic(apiBase(address.baseUrl)?.headers.authorization ?? '')],
      leastPause: virtual ? 1 : 0,
      admit,
      limit: target.limit,
      unanswered: audit?.noteUnanswered.bind(audit),
      speed: options.speed,
      serviceSpeed: target.speed,
      callerOf: ({ as }) => callers.getCaller((as === undefined ? undefined : world.client(as)) ?? own),
      late: (lateBy) => late(lateBy / options.speed),
      failed: limited,
    });
  return {
    plan,
    handles,
    world,
    trace,
    evidence,
    waited,
    live: faults,
    startLoads,
    atRest: options.atRest,
  };
}
