/** Virtual devices for programs and tests: `await using device = await startDevice({ profile: 'clime', service })`. */
import PQueue from 'p-queue';
import type { DeviceCloudClient } from '../client/client.js';
import { parseControl, runControl } from '../console/control-line.js';
import type { Answer } from '../console/member.js';
import type { DeviceWorld } from '../device/device.js';
import { type Check, integer, list, optional, record, text } from '../input/checks.js';
import { Problems } from '../input/document.js';
import { readNamed } from '../input/text-file.js';
import { valueNode } from '../input/value.js';
import { entropy } from '../kernel/entropy.js';
import { EXIT, GhostfleetError } from '../kernel/errors.js';
import { integerBetween } from '../kernel/random.js';
import { RealClock } from '../kernel/real-clock.js';
import { inVersion, profileNamed } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import { type DeviceAccount, makeDeviceKind, switchOn } from '../runner/single-device.js';
import { makeClaimToken } from '../runner/world/claim-tokens.js';
import { type DeviceKind, makeRegisteredSecret } from '../runner/world/connection.js';
import type { FleetDevice } from '../runner/world/fleet-device.js';
import type { DeviceState } from '../scenario/selector/device.js';
import type { Transport } from '../transport/transport.js';
import { objectOf } from './options.js';
import { clientOf, insideOf, openUdp, type Service, type ServiceAddress, type ServiceInside } from './service.js';

/** Options of {@link startDevice}. */
export interface DeviceOptions {
  /** Name of a packaged device type such as `clime`, path of a profile (`.yaml`), or a profile. */
  readonly profile: string | Profile;
  /** The cloud: the result of `startService`, or the address of another cloud. */
  readonly service: Service | ServiceAddress;
  /** Firmware version, such as `3.5.5`. Default: the newest of the device type. */
  readonly firmware?: string;
  /**
   * Serial number, 1 to 4294967295. Default in virtual time: 2159017985 for the first device of a service, then the following
   * ones. Default in real time: at random, because the cloud may keep devices of other processes and of earlier runs.
   */
  readonly serial?: number;
  /** Claim token, 32 hex digits. Default: a random token. */
  readonly token?: string;
  /** Name in the cloud. Default: the name of the profile with the serial number. */
  readonly name?: string;
  /** Configuration lines stored before the first start, such as `app config interval-report 900`. */
  readonly config?: readonly string[];
}

/** Options of {@link startFleet}. `name` begins the names: `name-0001` … Default: the name of the profile. */
export interface FleetOptions extends Omit<DeviceOptions, 'serial' | 'token'> {
  /** Number of devices, 1 to 100000. */
  readonly count: number;
  /** Serial number of the first device; those of the others follow. Default: as for {@link startDevice}. */
  readonly firstSerial?: number;
}

/** Output of a shell command. */
export interface ShellAnswer {
  /** 0, 1 (the shell printed help) or a negative errno; -12 without output for a line of more than 255 characters. */
  readonly code: number;
  readonly lines: readonly string[];
}

/** Several devices that were started together. */
export interface VirtualFleet extends AsyncDisposable {
  readonly devices: readonly VirtualDevice[];
  /** Switches all of them off. They stay in the cloud. */
  stop(): Promise<void>;
}

/**
 * Creates a device in the cloud and switches it on: it boots, opens its session and reports, in the time of the service.
 * @throws InputError with all invalid options
 * @throws UsageError for an unknown profile or firmware version, or a configuration that the device rejects
 * @throws ApiError if the cloud rejects the device, for example because its serial number is in use
 */
export async function startDevice(options: DeviceOptions): Promise<VirtualDevice> {
  check(options, SINGLE, 'startDevice', 'a device');
  const [device] = await start(options, (serial) => options.name ?? `${nameOf(options.profile)}-${serial}`, 1, options);
  // The cast is safe because `start` creates `count` devices, here 1.
  return device as VirtualDevice;
}

/** Creates several devices of one kind and switches them on. Throws like {@link startDevice}. */
export async function startFleet(options: FleetOptions): Promise<VirtualFleet> {
  check(options, SEVERAL, 'startFleet', 'a fleet');
  const { count, firstSerial, name = nameOf(options.profile) } = options;
  const width = Math.max(4, String(count).length);
  const named = (_serial: number, index: number) => `${name}-${String(index + 1).padStart(width, '0')}`;
  const devices = await start(options, named, count, { serial: firstSerial });
  const stop = async () => {
    const stopped = await Promise.allSettled(devices.map((device) => device.stop()));
    for (const each of stopped) if (each.status === 'rejected') throw each.reason;
  };
  return { devices, stop, [Symbol.asyncDispose]: stop };
}

/**
 * A device that {@link startDevice} or {@link startFleet} switched on.
 *
 * If its code throws an error (a bug in ghostfleet or in its profile), the device stops for good: see {@link failure}. The
 * error is reported once. In virtual time, the call that lets time pass rejects with it. In real time, the next call of
 * {@link shell}, {@link control} or {@link stop} does.
 */
export class VirtualDevice implements AsyncDisposable {
  /** Id (UUID) in the cloud. */
  readonly id: string;
  readonly #device: FleetDevice;
  readonly #left: () => Promise<void>;
  readonly #checkOpen: () => void;
  #unreported = true;

  constructor(id: string, device: FleetDevice, reached: Reached) {
    const { left, checkOpen, virtual } = reached;
    this.id = id;
    // In virtual time, the call that lets time pass reports it.
    this.#unreported = !virtual;
    this.#left = once(left);
    this.#checkOpen = checkOpen;
    this.#device = device;
  }

  /** Name in the cloud. */
  get name(): string {
    return this.#device.name;
  }

  get serial(): number {
    return this.#device.serial;
  }

  /** Version of the firmware that runs, such as `v4.0.0`. An update changes it. */
  get firmware(): string {
    return this.#device.fw;
  }

  /** State of the device: `off`, `starting`, `asleep`, or `ready` while it works. */
  get state(): DeviceState {
    return this.#device.state;
  }

  /** Charge of its battery in percent, to a tenth. */
  get battery(): number {
    return this.#device.battery;
  }

  /** The error that its code has thrown, with the code `device-failed`; undefined while the device works. */
  get failure(): GhostfleetError | undefined {
    const { failure } = this.#device.device;
    return failure && deviceFailed(this.name, failure);
  }

  /**
   * Runs a line on its shell and resolves with the whole output, passwords and keys included. In virtual time, a command that
   * takes time ends only when time passes.
   * @throws Error if no firmware runs
   * @throws GhostfleetError `device-failed` if the device has failed, also while the command runs
   * @throws UsageError `service-closed`
   */
  async shell(line: string): Promise<ShellAnswer> {
    this.#checkOpen();
    this.#check();
    const lines: string[] = [];
    const code = await new Promise<number>((resolve) => {
      const take = (part: Answer): void => {
        lines.push(...part.lines);
        if (!part.more) resolve(part.code);
      };
      take(this.#device.shell(line, take));
    }).finally(() => this.#check());
    return { code, lines };
  }

  /**
   * Changes the device from outside with a control command of the console (docs/CONSOLE.md): `battery 5%`, `radio off`, `sensor
   * hygrometer.temperature 31.5`, `button int 2`. The dot at the beginning of these commands may be left out.
   * @throws UsageError for an unknown command or invalid arguments
   * @throws Error for a change that is not possible on this device
   * @throws GhostfleetError `device-failed` if the device has failed
   * @throws UsageError `service-closed`
   */
  async control(line: string): Promise<void> {
    this.#checkOpen();
    this.#check();
    const dotted = line.trimStart().startsWith('.') ? line : `.${line.trimStart()}`;
    await runControl(parseControl(dotted, this.#device.type, readNamed), this.#device);
  }

  /**
   * Takes the power away and gives it back: the device boots.
   * @throws Error if the device has failed
   * @throws UsageError `service-closed`
   */
  powerCycle(): void {
    this.#checkOpen();
    this.#device.controls.powerCycle();
  }

  /** Switches it off. */
  powerOff(): void {
    this.#device.device.powerOff();
  }

  /** Switches it on again. @throws UsageError `service-closed` */
  powerOn(): void {
    this.#checkOpen();
    this.#device.device.powerOn();
  }

  /**
   * Switches it off; it stays in the cloud. The same as the end of `await using`.
   * @throws GhostfleetError `device-failed` if the device has failed and nothing has reported this before
   */
  async stop(): Promise<void> {
    this.powerOff();
    await this.#left();
    if (this.#unreported) this.#check();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** @throws GhostfleetError if the device has failed */
  #check(): void {
    const { failure } = this;
    if (failure === undefined) return;
    this.#unreported = false;
    throw failure;
  }
}

function deviceFailed(name: string, error: Error): GhostfleetError {
  const message = `the device ${name} has failed (a bug in ghostfleet or in its profile): ${error.name}: ${error.message}`;
  const failed = new GhostfleetError('device-failed', message, EXIT.internal);
  failed.cause = error;
  return failed;
}

/** Serial number of the first device of a service in virtual time, and the lowest default in real time. */
const FIRST_SERIAL = 2_159_017_985;
const LAST_SERIAL = 4_294_967_295;
/** Maximum number of concurrent requests. */
const REQUESTS = 16;

/** The serial number of the next device of each service in virtual time. */
const nextSerials = new WeakMap<object, number>();

/** Chooses the first of `count` serial numbers, and reserves them: another call may begin before the devices exist. */
function chooseSerials(service: ServiceAddress, count: number): number {
  if (insideOf(service)?.virtual !== true) return integerBetween(entropy, FIRST_SERIAL, LAST_SERIAL + 1 - count);
  const first = nextSerials.get(service) ?? FIRST_SERIAL;
  nextSerials.set(service, first + count);
  return first;
}

interface FirstDevice {
  readonly serial?: number | undefined;
  readonly token?: string | undefined;
}

async function start(
  options: Omit<DeviceOptions, 'serial' | 'token' | 'name'>,
  named: (serial: number, index: number) => string,
  count: number,
  { serial: given, token }: FirstDevice,
): Promise<readonly VirtualDevice[]> {
  const { service, firmware, config = [] } = options;
  const kind = makeDeviceKind(profileOf(options.profile, firmware), config);
  const first = given ?? chooseSerials(service, count);
  const identities = Array.from({ length: count }, (_, i) => {
    const serial = first + i;
    return { name: named(serial, i), serial, claimToken: token ?? makeClaimToken() };
  });
  const reached = await connectTo(service, count);
  try {
    const ids = await created(reached.client, kind, identities);
    const { transport, clock, virtual, devices } = reached;
    reached.checkOpen();
    const names = new Map(identities.map(({ serial, name }) => [serial, name]));
    const failed: DeviceWorld['failed'] = (serial, error) => {
      if (!virtual) return;
      // An alarm whose error reaches the caller who lets time pass: the caller of the device may be the gateway.
      clock.after(0, 'the failure of a device', () => {
        throw deviceFailed(names.get(serial) ?? String(serial), error);
      });
    };
    const wire = { transport, format: 'base64', clock, trace: { emit: () => {} }, failed } as const;
    return identities.map((identity, i) => {
      const device = switchOn(kind, identity, wire);
      devices.add(device.device);
      return new VirtualDevice(ids[i] ?? '', device, reached);
    });
  } catch (error) {
    await reached.failed();
    reached.checkOpen();
    throw error;
  }
}

interface Reached extends Pick<ServiceInside, 'clock' | 'virtual' | 'devices' | 'checkOpen'> {
  readonly client: DeviceCloudClient;
  readonly transport: Transport;
  /** To call for each device that is stopped. */
  readonly left: () => Promise<void>;
  /** To call in place of `left` if the devices could not be created. */
  readonly failed: () => Promise<void>;
}

/** @param devices number of devices that share the connection */
async function connectTo(service: ServiceAddress, devices: number): Promise<Reached> {
  const inside = insideOf(service);
  const none = async () => {};
  if (inside) {
    inside.checkOpen();
    return { ...inside, client: inside.client(), transport: await inside.transport(), left: none, failed: none };
  }
  const client = clientOf(service);
  try {
    const transport = await openUdp(new URL(service.api).hostname, service);
    let running = devices;
    const failed = async () => {
      await client.close();
      await transport.close();
    };
    const left = async () => {
      if (--running === 0) await failed();
    };
    const clock = new RealClock();
    return { client, transport, clock, virtual: false, devices: new Set(), checkOpen: () => {}, left, failed };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Creates the devices in the cloud and returns their ids. If the cloud rejects one of them, none stays there. */
async function created(
  client: DeviceCloudClient,
  kind: DeviceKind,
  devices: readonly DeviceAccount[],
): Promise<readonly string[]> {
  const queue = new PQueue({ concurrency: REQUESTS });
  const ids: string[] = [];
  const faults: unknown[] = [];
  for (const [index, { name, serial, claimToken }] of devices.entries()) {
    void queue.add(async () => {
      if (faults.length > 0) return;
      const body = { name, serial_number: String(serial).padStart(10, '0'), token: claimToken };
      try {
        ids[index] = (await client.createDevice({ ...body, ...makeRegisteredSecret(kind, claimToken) })).id;
      } catch (error) {
        faults.push(error);
      }
    });
  }
  await queue.onIdle();
  if (faults.length === 0) return ids;
  // The error of the creation is the one that matters; a cloud that no longer answers keeps them.
  for (const id of ids) if (id !== undefined) void queue.add(() => client.deleteDevice(id).catch(() => {}));
  await queue.onIdle();
  throw faults[0];
}

function profileOf(profile: string | Profile, firmware: string | undefined): Profile {
  return typeof profile === 'string' ? profileNamed(profile, firmware) : inVersion(profile, firmware);
}

function nameOf(profile: string | Profile): string {
  return typeof profile === 'string' ? profileNamed(profile).name : profile.name;
}

const SERIAL = integer(1, LAST_SERIAL);
/** Accepts values that are not plain data; {@link check} checks them. */
const ANY: Check<unknown> = () => true;
const COMMON = {
  profile: optional(ANY),
  service: optional(ANY),
  firmware: optional(text()),
  name: optional(text()),
  config: optional(list(text())),
};
const SINGLE = {
  ...COMMON,
  serial: optional(SERIAL),
  token: optional(text(/^[0-9a-f]{32}$/i, 'a claim token of 32 hex digits')),
};
const SEVERAL = { ...COMMON, count: integer(1, 100_000), firstSerial: optional(SERIAL) };

/** Callers in JavaScript are not checked by the compiler. @throws InputError with all invalid options */
function check(
  options: FleetOptions | DeviceOptions,
  rules: typeof SINGLE | typeof SEVERAL,
  call: string,
  what: string,
): void {
  objectOf(call, options, Object.keys(rules));
  const { profile, service, ...rest } = options;
  const problems = new Problems();
  const node = valueNode(rest, what);
  record(what, rules)(node, problems);
  if (profile === undefined) problems.add(node, `${what} needs "profile"`);
  else if (!isDeviceType(profile)) {
    problems.add(
      valueNode(true, 'profile'),
      `"${profile}" is not a device type: a name, the path of a file, or a profile`,
    );
  }
  if (!isAddress(service)) {
    problems.add(
      node,
      `${what} needs "service", the result of startService, or { api, udp, spaceId, apiKey } with the UDP port as a number`,
    );
  }
  problems.finish();
}

function isDeviceType(profile: unknown): boolean {
  return typeof profile === 'string' || (typeof profile === 'object' && profile !== null && 'name' in profile);
}

/** Whether the service or its address is complete: the type demands it, but callers in JavaScript may pass anything. */
function isAddress(service: Partial<ServiceAddress> | null | undefined): boolean {
  if (typeof service?.api !== 'string' || typeof service.spaceId !== 'string') return false;
  const { udp, udpRaw = null, udpDtls = null } = service;
  return [udp, udpRaw, udpDtls].every((port) => port === null || (Number.isInteger(port) && isPort(Number(port))));
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= action());
}
