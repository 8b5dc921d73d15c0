/**
 * Devices against clouds that send what no cloud should send. Nothing may throw, and no device may send faster than the radio of
 * the real device allows, set alarms without end, or stay silent after the cloud is correct again.
 *
 * A case is a device of one type and version with a list of moves (moves.ts). The same seed and number always give the same case.
 */
import { Device } from '../../../src/device/device.js';
import type { Command } from '../../../src/device/shell/command.js';
import { type DeviceType, deviceType } from '../../../src/device/type/device-type.js';
import { type Draws, integerBetween, type Random, seededRandom } from '../../../src/kernel/random.js';
import { hours, type Millis, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { defineScenario } from '../../../src/library/scenario.js';
import { inVersion, profileNamed } from '../../../src/profile/library.js';
import type { ParameterSpec } from '../../../src/profile/parameters.js';
import type { Profile } from '../../../src/profile/profile.js';
import { writeImage } from '../../../src/protocol/firmware-image.js';
import { datagramBytes, type EnvelopeFormat, FRAGMENT_SIZE, tokenBytes } from '../../../src/protocol/flap/envelope.js';
import { makeFlashSettings } from '../../../src/runner/world/flash-settings.js';
import { buildFleet } from '../../../src/runner/world/fleet.js';
import { datagramsOf, type FaultCall } from '../../../src/scenario/faults/index.js';
import type { Plan, PlannedDevice } from '../../../src/scenario/model/plan.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { withFaults } from '../../../src/transport/faults/with-faults.js';
import type { Receiver, Transport } from '../../../src/transport/transport.js';
import { oneIn, pick } from '../draw.js';
import type { Vocabulary } from './bytes.js';
import { HostileCloud } from './hostile-cloud.js';
import { hostileMove, type Move } from './moves.js';

/** A device type in one version. */
export interface Subject {
  readonly profile: string;
  /** Default: the newest. */
  readonly version?: string;
}

/** The two families and all versions whose rules differ. */
export const SUBJECTS: readonly Subject[] = [
  { profile: 'clime', version: '3.5.5' },
  { profile: 'clime', version: '4.0.0' },
  { profile: 'hio-node', version: '1.0.0' },
];

/** Moves of a case, at most. */
const MOST_MOVES = 60;
/** Moves of the case that looks for memory that is not freed: one life of a device. */
const LONG_LIFE = 20_000;
/** Lives among which at least one is long enough. */
const MOST_LIVES = 20;
/** Largest growth of the heap in the last three quarters of that life, in bytes. */
const GROWTH = 2 * 1024 * 1024;
/** Time in which a device meets the moves of a case; then its cloud is correct. */
const HOSTILE_TIME: Millis = hours(12);
/** A user asks for a downlink this often, because a downlink may have changed the intervals of the device. */
const POLL_EVERY: Millis = seconds(20);
/**
 * Longest silence afterwards. The longest of the rules: a back-off of 600 s, the retry of a failed poll after 300 s, the swap of
 * an image and back, the watchdog, and the pause after a reset loop of 32 min.
 */
const RECOVERY: Millis = hours(2);
/** Alarms of one device, or at one instant, beyond which its code runs in a loop. */
const MOST_ALARMS = 64;
const INSTANT_LIMIT = 5000;
/** Devices of a fleet. */
const FLEET = 50;
const ENOUGH_FAULTS = 5;
/** What happens to the answers on their way to a fleet. */
const NETWORK: readonly FaultCall[] = [
  { kind: 'loss', options: 0.02 },
  { kind: 'corruption', options: 0.02 },
  { kind: 'duplication', options: 0.05 },
  { kind: 'latency', options: { min: 100, max: 900 } },
  { kind: 'reorder', options: { ratio: 0.05, by: seconds(20) } },
];

/** A case that failed. */
export interface DownlinkFault {
  readonly why: string;
  /** The shortest list of moves found with which a single device fails; undefined if the case fails only in its fleet. */
  readonly moves: readonly Move[] | undefined;
}

export interface DownlinkVerdict {
  /** Lives of devices. */
  readonly cases: number;
  /** Answers that were not those of a correct cloud. */
  readonly messages: number;
  /** Datagrams of the devices. */
  readonly datagrams: number;
  /** Cases that ended with a device that a downlink has cut off, as the rules say: by a change of its radio or of its cloud. */
  readonly cutOff: number;
  readonly faults: readonly DownlinkFault[];
}

/** Plays cases against a single device until `count` moves were made. */
export async function fuzzDevice(subject: Subject, seed: string, count: number): Promise<DownlinkVerdict> {
  const bench = benchOf(subject);
  const random = seededRandom(`${seed}/device`);
  const sum = new Sum(bench);
  while (sum.messages < count && sum.faults.length < ENOUGH_FAULTS) {
    const moves = movesOf(bench, random.fork(String(sum.cases)), MOST_MOVES);
    await sum.add(single(bench, moves), [moves]);
  }
  return sum;
}

/** The same against fleets, over a network that loses, changes, doubles and reorders answers and delivers some to other devices. */
export async function fuzzFleet(
  subject: Subject,
  seed: string,
  count: number,
  devices = FLEET,
): Promise<DownlinkVerdict> {
  const bench = benchOf(subject, devices);
  const random = seededRandom(`${seed}/fleet`);
  const sum = new Sum(bench);
  while (sum.messages < count && sum.faults.length < ENOUGH_FAULTS) {
    const own = random.fork(String(sum.cases));
    const lists = Array.from({ length: devices }, (_, n) =>
      movesOf(bench, own.fork(String(n)), MOST_MOVES, MOST_MOVES),
    );
    await sum.add(fleet(bench, lists, own.fork('network')), lists);
  }
  return sum;
}

/**
 * One life of a device with very many moves. A life that a move cuts off by the rules is too short to be measured, so another one
 * follows. Returns how many bytes the heap grew by, with the verdict.
 */
export async function fuzzLongLife(
  subject: Subject,
  seed: string,
  heap: () => number,
): Promise<DownlinkVerdict & { readonly growth: number }> {
  const bench = benchOf(subject);
  const sum = new Sum(bench);
  for (let life = 1; life <= MOST_LIVES; life++) {
    const moves = movesOf(bench, seededRandom(`${seed}/life ${life}`), LONG_LIFE, LONG_LIFE);
    let first: number | undefined;
    const watch = ({ made }: HostileCloud) => {
      if (first === undefined && made > LONG_LIFE / 4) first = heap();
    };
    const trial = single(bench, moves, watch);
    await sum.add(trial, [[]], hours(24 * 365));
    if (first === undefined) continue;
    const growth = heap() - first;
    if (growth > GROWTH) sum.faults.push({ why: `the heap has grown by ${growth} bytes`, moves: undefined });
    // The trial must live until the heap is measured.
    return { ...sum.verdict, growth: trial.devices.length === 1 ? growth : 0 };
  }
  sum.faults.push({
    why: `each of ${MOST_LIVES} lives was cut off before its heap could be measured`,
    moves: undefined,
  });
  return { ...sum.verdict, growth: 0 };
}

/** Plays one case again. Returns why it fails; undefined if it does not. */
export async function playMoves(subject: Subject, moves: readonly Move[]): Promise<string | undefined> {
  const [outcome] = await played(single(benchOf(subject), moves));
  return outcome?.why;
}

interface Bench {
  readonly type: DeviceType;
  readonly words: Vocabulary;
  readonly plan: Plan;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** @param count number of devices in the plan */
function benchOf({ profile: name, version }: Subject, count = 1): Bench {
  const profile = inVersion(profileNamed(name), version);
  const type = deviceType(profile);
  const profiles = new Map([[name, profile]]);
  const group = { name: 'fuzzed', profile: name, count };
  const plan = defineScenario({ name: 'fuzz', duration: '1h', seed: 1, fleet: [group] }, { profiles });
  return { type, words: vocabularyOf(type), plan, profiles };
}

function vocabularyOf({ shell, layout, build }: DeviceType): Vocabulary {
  const lines = (command: Command, before: string): readonly string[] => {
    const line = before === '' ? command.word : `${before} ${command.word}`;
    return [line, ...(command.children ?? []).flatMap((child) => lines(child, line))];
  };
  const settings = layout.modules.flatMap(({ name, items }) =>
    items.flatMap(({ spec }) => valuesOf(spec).map((value) => `${name} config ${spec.name} ${value}`)),
  );
  const image = writeImage({ ...build, version: 'v9.9.9' }, 600);
  return { commands: shell.commands.flatMap((command) => lines(command, '')), settings, image };
}

function valuesOf(spec: ParameterSpec): readonly (string | number)[] {
  if (spec.type === 'enum') return spec.values;
  if (spec.type === 'int' || spec.type === 'float') return [spec.min, spec.max];
  return spec.type === 'bool' ? ['true', 'false'] : ['""'];
}

function movesOf({ words }: Bench, random: Draws, most: number, least = 1): readonly Move[] {
  return Array.from({ length: integerBetween(random, least, most) }, () => hostileMove(random, words));
}

/** Devices on one clock, each with a hostile cloud of its own. */
interface Trial {
  readonly clock: VirtualClock;
  readonly type: DeviceType;
  readonly devices: readonly Device[];
  readonly clouds: readonly HostileCloud[];
  /** The errors that the code of the devices has thrown, by serial number. */
  readonly errors: ReadonlyMap<number, Error>;
  /** Boots, failed polls, and polls of users of all devices. */
  readonly causes: { boots: number; failedPolls: number; userPolls: number };
  /** Whether the network still spoils answers: like the clouds, it becomes correct. */
  isSpoiling: boolean;
}

function single({ type, plan }: Bench, moves: readonly Move[], watch?: (cloud: HostileCloud) => void): Trial {
  const clock = new VirtualClock({ instantLimit: INSTANT_LIMIT });
  const errors = new Map<number, Error>();
  const { serial, claimToken } = plan.devices[0] as PlannedDevice;
  const format = formatOf(type);
  const causes = noCauses();
  const device: Device = new Device({
    ...{ type, serial, claimToken, format, random: seededRandom('fuzz') },
    flash: makeFlashSettings(type.layout, plan.groups[0]?.config ?? []),
    world: {
      clock,
      trace: { emit: (event) => counted(causes, event) },
      failed: (_, error) => void errors.set(serial, error),
    },
    connect: () => ({
      send: (datagram) => {
        cloud.receive(datagramBytes(datagram));
        watch?.(cloud);
      },
      reopen: () => {},
    }),
  });
  const deliver = (datagram: Uint8Array) => device.receive(datagram);
  const cloud = cloudOf(type, clock, serial, claimToken, moves, deliver);
  return { clock, type, devices: [device], clouds: [cloud], errors, causes, isSpoiling: false };
}

function fleet({ type, plan, profiles }: Bench, lists: readonly (readonly Move[])[], random: Random): Trial {
  const clock = new VirtualClock({ instantLimit: INSTANT_LIMIT });
  const errors = new Map<number, Error>();
  const receivers = new Map<number, Receiver>();
  const serials = plan.devices.map(({ serial }) => serial);
  const clouds = plan.devices.map(({ serial, claimToken }, n) =>
    cloudOf(type, clock, serial, claimToken, lists[n] ?? [], (datagram) => {
      const to = trial.isSpoiling && oneIn(random, 30) ? pick(random, serials) : serial;
      receivers.get(to)?.receive(datagram);
    }),
  );
  const wire: Transport = {
    connect: (serial, receiver) => {
      receivers.set(serial, receiver);
      return {
        send: (datagram) => clouds[serials.indexOf(serial)]?.receive(datagramBytes(datagram)),
        reopen: () => {},
      };
    },
    close: async () => {},
  };
  const trace = { emit: () => {} };
  const always = { from: 0, until: Number.POSITIVE_INFINITY, way: 'down', hits: () => trial.isSpoiling } as const;
  const faults = NETWORK.flatMap((call) => {
    const datagrams = datagramsOf(call);
    return datagrams === undefined ? [] : [{ ...datagrams, ...always }];
  });
  const devices = buildFleet({
    ...{ plan, profiles, clock, random, trace, format: formatOf(type) },
    transport: withFaults(wire, { clock, random, trace, faults }),
    failed: (serial, error) => void errors.set(serial, error),
  });
  const trial: Trial = { clock, type, devices, clouds, errors, causes: noCauses(), isSpoiling: true };
  return trial;
}

function noCauses(): Trial['causes'] {
  return { boots: 0, failedPolls: 0, userPolls: 0 };
}

function counted(causes: Trial['causes'], { kind }: TraceEvent): void {
  if (kind === 'device.boot') causes.boots++;
  if (kind === 'poll.failed') causes.failedPolls++;
}

function formatOf({ policy }: DeviceType): EnvelopeFormat {
  return policy.transfers.alwaysRaw ? 'raw' : 'base64';
}

function cloudOf(
  type: DeviceType,
  clock: VirtualClock,
  serial: number,
  claimToken: string,
  moves: readonly Move[],
  deliver: (datagram: Uint8Array) => void,
): HostileCloud {
  const format = formatOf(type);
  const fragmentSize = format === 'raw' ? type.policy.transfers.rawFragments.down : FRAGMENT_SIZE.base64.down;
  return new HostileCloud({ clock, serial, token: tokenBytes(claimToken), format, fragmentSize, moves, deliver });
}

interface Outcome {
  readonly why: string | undefined;
  readonly cutOff: boolean;
}

/** Plays a trial to its end. @param hostile longest time in which the clouds make their moves */
async function played(trial: Trial, hostile: Millis = HOSTILE_TIME): Promise<readonly Outcome[]> {
  const { clock, type, devices, clouds, errors } = trial;
  const before = devices.map(connectivity);
  let most = 0;
  const pass = async (end: Millis, enough: () => boolean) => {
    while (clock.now < end && !enough()) {
      await clock.runUntil(Math.min(end, clock.now + minutes(5)));
      most = Math.max(most, clock.waiting - clouds.reduce((sum, { inFlight }) => sum + inFlight, 0));
    }
  };
  for (const device of devices) device.powerOn();
  let stuck: string | undefined;
  let since = Number.POSITIVE_INFINITY;
  const talks = (device: Device) => (device.firmware?.cloud.lastSuccess ?? 0) > since;
  userOf(trial, () => devices.filter((device, n) => !clouds[n]?.isHonest || (clock.now > since && !talks(device))));
  try {
    await pass(hostile, () => clouds.every(({ isHonest }) => isHonest));
    for (const cloud of clouds) cloud.repent();
    trial.isSpoiling = false;
    since = clock.now;
    await pass(since + RECOVERY, () => devices.every(talks));
  } catch (error) {
    stuck = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  if (most > devices.length * MOST_ALARMS) stuck ??= `${most} alarms are set`;
  return devices.map((device, n) => {
    const cutOff = connectivity(device) !== before[n];
    const silent = talks(device) || cutOff ? undefined : `silent for ${RECOVERY} ms: ${device.busyWith ?? 'at rest'}`;
    const error = errors.get(device.serial);
    const hurry = tooFast(clouds[n]?.gap ?? 0, type) ?? (trial.devices.length === 1 ? withoutCause(trial) : undefined);
    const why = error ? (error.stack ?? error.message) : (stuck ?? hurry ?? silent);
    return { why, cutOff };
  });
}

function userOf(trial: Trial, devices: () => readonly Device[]): void {
  for (const device of devices()) {
    if (!device.firmware?.application.running) continue;
    trial.causes.userPolls++;
    device.shell('cloud poll');
  }
  trial.clock.after(POLL_EVERY, 'a user who polls', () => userOf(trial, devices));
}

/** Whether the device has, or may have had, an interval of polls: that of its type, or a setting. */
function pollsByItself({ config }: Device): boolean {
  const interval = config.layout.find('app', 'interval-poll');
  if (interval !== undefined && config.read(interval) !== 0) return true;
  return [...config.flash.keys()].some((key) => key.includes('poll'));
}

/** The settings without which a device has no contact with its cloud. */
function connectivity({ config, build }: Device): string {
  const settings = [...config.flash].filter(([key]) => /^(lte|cloud)\b|\/(mode|test)$/.test(key));
  return JSON.stringify([build.bundle, ...settings.sort()]);
}

/** Each datagram is followed by an evaluation of the connection (timing T-36): the pace of the real device. */
function tooFast(gap: Millis, { modemTimings }: DeviceType): string | undefined {
  return gap < modemTimings.evaluation ? `sent two datagrams within ${gap} ms` : undefined;
}

/**
 * A device has a cause for each poll and each session: its boot, a poll flag, a user, the retry of a failed poll, its own interval,
 * or a move of the cloud that lets it start over.
 */
function withoutCause({ causes, clouds, devices }: Trial): string | undefined {
  const { boots, failedPolls, userPolls } = causes;
  const [cloud] = clouds;
  const [device] = devices;
  if (cloud === undefined || device === undefined || pollsByItself(device)) return undefined;
  const { polls, sessions, pollFlags, disturbances, made } = cloud;
  if (sessions > boots + made) return `${sessions} sessions for ${boots} boots and ${made} moves`;
  const most = sessions + pollFlags + failedPolls + userPolls + disturbances;
  return polls > most ? `${polls} polls, but causes for only ${most}` : undefined;
}

class Sum implements DownlinkVerdict {
  readonly #bench: Bench;
  cases = 0;
  messages = 0;
  datagrams = 0;
  cutOff = 0;
  readonly faults: DownlinkFault[] = [];

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  get verdict(): DownlinkVerdict {
    const { cases, messages, datagrams, cutOff, faults } = this;
    return { cases, messages, datagrams, cutOff, faults };
  }

  async add(trial: Trial, lists: readonly (readonly Move[])[], hostile?: Millis): Promise<void> {
    const outcomes = await played(trial, hostile);
    this.cases += outcomes.length;
    this.cutOff += outcomes.filter(({ cutOff }) => cutOff).length;
    for (const { made, received } of trial.clouds) {
      this.messages += made;
      this.datagrams += received;
    }
    const failed = outcomes.findIndex(({ why }) => why !== undefined);
    const why = outcomes[failed]?.why;
    if (why !== undefined) this.faults.push({ why, moves: await shrunk(this.#bench, lists[failed] ?? [], why) });
  }
}

/** Leaves out moves as long as a single device fails for the same reason. */
async function shrunk(bench: Bench, moves: readonly Move[], why: string): Promise<readonly Move[] | undefined> {
  const fails = async (list: readonly Move[]) => {
    const [outcome] = await played(single(bench, list));
    return outcome?.why !== undefined && kindOf(outcome.why) === kindOf(why);
  };
  if (!(await fails(moves))) return undefined;
  let kept = moves;
  for (let size = Math.ceil(moves.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const less = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await fails(less)) kept = less;
      else from += size;
    }
  }
  return kept;
}

/** The reason without its numbers. */
function kindOf(why: string): string {
  return why.replace(/\d+/g, '#').split('\n').slice(0, 2).join('\n');
}
