/**
 * A real device for tests of the shell. Its clock stands still until a test lets time pass, and its alarms never fire. What the
 * tests quote of a device, such as readings and identities, replaces the values of the firmware; all else that commands read or
 * do is the firmware's own. The calls by which commands act on the device are recorded, and then carried out.
 */
import { DeviceConfig } from '../../../src/device/config/device-config.js';
import { configLayout } from '../../../src/device/config/layout.js';
import { Device } from '../../../src/device/device.js';
import type { Firmware } from '../../../src/device/firmware/firmware.js';
import { Bootloader } from '../../../src/device/hardware/bootloader.js';
import type { CommandResult } from '../../../src/device/shell/command.js';
import type {
  ChannelState,
  MotionSample,
  ShellBoard,
  ShellTags,
  TagReading,
} from '../../../src/device/shell/equipment.js';
import type { CloudMetrics, DeviceIdentity, ShellHost, ShellModem } from '../../../src/device/shell/host.js';
import { type DeviceType, deviceType } from '../../../src/device/type/device-type.js';
import { type Clock, DEFAULT_START } from '../../../src/kernel/clock.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import type { ModuleSpec } from '../../../src/profile/parameters.js';
import type { SensorSpec } from '../../../src/profile/profile.js';
import { listNumberedNames } from '../../../src/profile/quantities.js';
import { TOKEN } from '../../support/cloud.js';
import { modules } from '../config/specs.js';

/** What a test states about its device. */
export interface ShellDeviceOptions {
  /** Nothing is quoted of a device of this type. */
  readonly type?: DeviceType;
  /** Without `type`: the device is a Clime, or of the first type that has all these commands. */
  readonly commands?: readonly string[];
  /** Default: the configuration modules of `config/specs.ts`. */
  readonly modules?: readonly ModuleSpec[];
  readonly config?: DeviceConfig;
  readonly identity?: Partial<DeviceIdentity>;
  readonly uptime?: number;
  readonly unixTime?: number;
  readonly cloud?: { readonly initialized?: boolean; readonly lastSeen?: number | undefined };
  readonly metrics?: Partial<CloudMetrics>;
  readonly lte?: Partial<LteOptions>;
  readonly sensors?: Partial<ShellBoard>;
  /** Number of messages in the spool. */
  readonly spooled?: number;
  readonly channels?: readonly ChannelState[];
  readonly inputs?: { readonly silent?: boolean };
  readonly motion?: readonly MotionSample[];
  readonly tags?: Partial<ShellTags>;
  readonly images?: { readonly requested?: string };
}

/** `lte state`, and the numbers of modem and SIM card, which are undefined until the modem has started. */
interface LteOptions extends Pick<ShellModem, 'registration' | 'wait'> {
  readonly attached: boolean;
  readonly evaluation: ReturnType<ShellModem['evaluation']>;
  readonly fsm: ShellModem['state'];
  readonly attachAttempt: number;
  readonly imei: string | undefined;
  readonly modemFirmware: string | undefined;
}

export interface ShellDevice extends ShellHost {
  /** The calls by which commands acted on the device, in order. */
  readonly asked: readonly string[];
  /** Lets time pass. */
  pass(duration: number): void;
}

/** 2026-08-07T12:34:56Z */
export const NOON = 1_786_106_096;
/** 2 s before the quoted detectors of motion see a pass. */
const BEFORE_PASS = NOON - 2;

export function shellDevice(options: ShellDeviceOptions = {}): ShellDevice {
  const clock = new StillClock();
  const device = new Device({
    type: options.type ?? typeWith(options.commands ?? []),
    serial: 2_159_018_267,
    claimToken: TOKEN,
    world: { clock, trace: { emit: () => {} } },
    random: seededRandom('shell'),
    format: 'base64',
    connect: () => ({ send: () => {}, reopen: () => {} }),
  });
  device.powerOn();
  const { firmware } = device;
  if (firmware === undefined) throw new Error('the device does not start');
  clock.now = options.uptime ?? 90_061_007;
  firmware.setUnixTime(options.unixTime ?? (options.motion ? BEFORE_PASS : NOON));
  firmware.noteInitialized();
  for (let n = 0; n < (options.spooled ?? 0); n++) device.spool.add({ uplink: -1, message: SPOOLED, stored: n }, 100);
  const bootloader = new Bootloader(device.build);
  const { requested } = options.images ?? {};
  if (requested !== undefined) bootloader.request({ ...device.build, version: requested });
  device.bootloader = bootloader;
  const asked: string[] = [];
  const quotes = options.type ? {} : quoteClime(options, device, firmware, asked);
  return showWith(
    firmware,
    { ...quotes, asked, pass: (duration: number) => clock.pass(duration) },
    asked,
  ) as ShellDevice;
}

/** Runs a command to its end. `lines` are all lines that it has printed, `takes` is its duration in milliseconds. */
export function finish(device: ShellDevice, begun: CommandResult): CommandResult & { readonly takes: number } {
  let { rest, ...result } = begun;
  let takes = 0;
  while (rest) {
    takes += rest.wait;
    device.pass(rest.wait);
    const { rest: next, ...more } = rest.go();
    result = { ...more, lines: [...result.lines, ...more.lines] };
    rest = next;
  }
  return { ...result, takes };
}

class StillClock implements Clock {
  now = 0;

  get wall(): number {
    return DEFAULT_START + this.now;
  }

  after() {
    return { cancel: () => {} };
  }

  pass(duration: number): void {
    this.now += duration;
  }
}

const types = new Map<string, DeviceType>();

/** The first device type that has these commands; Clime if it has them, or if no type has all of them. */
function typeWith(commands: readonly string[]): DeviceType {
  const { clime, ...others } = Object.fromEntries(packagedProfiles());
  if (clime === undefined) throw new Error('no profile clime');
  const profile =
    [clime, ...Object.values(others)].find((each) =>
      commands.every((word) => new Set<string>(each.commands).has(word)),
    ) ?? clime;
  const type = types.get(profile.name) ?? deviceType({ ...profile, sensors: profile.sensors.map(equip) });
  types.set(profile.name, type);
  return type;
}

/** With thermometers at all four inputs of the modules in both slots. */
function equip(sensor: SensorSpec): SensorSpec {
  return /^(?:rtd|tc)_/.test(sensor.name) ? { ...sensor, count: 4 } : sensor;
}

/** Calls to record, by their path in the firmware; the words of the record. */
const RECORDED: Readonly<Record<string, (...args: readonly unknown[]) => string>> = {
  requestFirmware: (id) => `firmware ${id}`,
  moveClock: (time) => `set time ${time}`,
  'cloud.requestPoll': () => 'poll',
  'application.measureNow': (kind) => `${kind}`,
  'application.measureSensor': (sensor) => `measure ${sensor}`,
  'application.reportNow': () => 'report',
  'hardware.modem.reconnect': () => 'reconnect',
  'hardware.bootloader.confirm': () => 'confirm image',
  'board.setLed': (led, on) => `led ${led} ${on ? 'on' : 'off'}`,
  'board.setBatteryLoad': (on) => `load ${on ? 'on' : 'off'}`,
  'equipment.spool.remove': (n) => `remove spooled ${n}`,
  'equipment.spool.fake': (count) => `fake ${count}`,
  'equipment.spool.clean': () => 'clean spool',
  'equipment.channels.reset': (n) => `reset channel ${n}`,
};
/** The objects on the way to these calls and to quoted values. */
const SHOWN =
  /^(?:cloud(?:\.counters)?|application|hardware(?:\.(?:identity|subscriber|modem|build|bootloader))?|board|equipment(?:\.\w+)?)$/;

type Members = Readonly<Record<string, unknown>>;

/** A part of a device with quoted values in place of its own; calls are recorded. */
function showWith(part: object, quotes: Members, asked: string[], path = ''): object {
  return new Proxy(part, {
    get(target, key) {
      if (typeof key === 'symbol') return Reflect.get(target, key, target);
      const at = path === '' ? key : `${path}.${key}`;
      const own: unknown = Reflect.get(target, key, target);
      const quoted = quotes[key];
      const value = key in quotes && !(quoted && own && SHOWN.test(at)) ? quoted : own;
      if (typeof value === 'function') {
        return (...args: readonly unknown[]) => {
          const words = RECORDED[at]?.(...args);
          if (words !== undefined) asked.push(words);
          return Reflect.apply(value, target, args);
        };
      }
      // The casts are safe because only objects have these paths.
      return value && SHOWN.test(at) ? showWith(value as object, (quoted ?? {}) as Members, asked, at) : value;
    },
  });
}

/** The values that tests quote. */
function quoteClime(
  options: ShellDeviceOptions,
  device: Device,
  firmware: Firmware,
  asked: readonly string[],
): Members {
  for (const name of listNumberedNames(device.type.profile)) {
    const reading = READINGS[name.replace(/\.\d+\./, '.')];
    if (reading !== undefined) device.controls.hold(name, options.inputs?.silent ? Number.NaN : reading);
  }
  const { motion, channels } = options;
  const { uptime } = firmware;
  const lte: LteOptions = { ...LTE, ...options.lte };
  return {
    config: options.config ?? new DeviceConfig(configLayout(options.modules ?? modules())),
    // A device reports success for any id, because only the cloud knows its images.
    requestFirmware: (id: string) => (id === 'unknown' ? -2 : firmware.requestFirmware(id)),
    cloud: {
      initialized: options.cloud?.initialized ?? true,
      counters: { lastSeen: NOON - 10, ...options.metrics, ...options.cloud },
    },
    hardware: {
      identity: { fwVersion: 'v3.5.1', bleDevaddr: 'aa:bb:cc:dd:ee:ff', blePasskey: '123456', ...options.identity },
      subscriber: { imei: '351358811124772', imsi: '901288910018982', iccid: '8988228066610345123' },
      build: { version: 'v3.5.1' },
      modem: {
        started: lte.imei !== undefined && lte.modemFirmware !== undefined,
        registered: lte.attached,
        registration: lte.registration,
        evaluation: () => lte.evaluation,
        state: lte.fsm,
        attempt: lte.attachAttempt,
        wait: lte.wait,
        counters: MODEM_COUNTERS,
      },
    },
    board: { ...BOARD, ...options.sensors },
    equipment: {
      spool: options.spooled === undefined ? undefined : {},
      ...(options.tags && { tags: { ...TAGS, ...options.tags } }),
      ...(motion && {
        motion: {
          samples: () => motion.slice(0, 2 + asked.filter((what) => what === 'sample').length),
          totals: () => ({
            ...{ detectLeft: 40, detectRight: 50, motionLeft: 3 },
            motionRight: 4 + Math.floor((firmware.uptime - uptime) / 2000),
          }),
        },
      }),
      ...(channels && {
        channels: { count: channels.length, state: (n: number) => channels[n - 1], reset: () => {} },
      }),
    },
  };
}

const SPOOLED = Uint8Array.from([0x06, 0x41, 0x42]);

const LTE: LteOptions = {
  attached: true,
  registration: { status: 'registered-home', mode: 'lte-m' },
  evaluation: undefined,
  fsm: 'sleep',
  attachAttempt: 0,
  wait: undefined,
  imei: '351358811124772',
  modemFirmware: 'mfw_nrf91x1_2.0.2',
};

const MODEM_COUNTERS: ShellModem['counters'] = {
  attaches: 1,
  failed: 2,
  duration: 15_000.824,
  lastAt: NOON,
  lastDuration: 5000.5,
  connected: 9000.999,
  lastConnected: 1000.25,
};

/** The tag in slot 0, with all values. */
const TAG: TagReading = {
  address: '0000000000aa',
  rssi: -67,
  voltage: 2.97,
  temperature: 20.8,
  humidity: 48.25,
  magnet: false,
  moving: true,
  movements: 12,
  roll: 1.5,
  pitch: -2.25,
  lowBattery: false,
};
/** A tag without a slot. */
export const STRANGER: TagReading = { address: '0000000000cc', rssi: -35, voltage: 3 };

const TAGS: ShellTags = {
  enabled: true,
  scanDuration: 12_000,
  scan: () => [TAG, undefined, undefined],
  cached: () => [TAG, undefined, undefined],
  nearby: () => [TAG, STRANGER],
};

/** What the sensors of the device measure. */
const READINGS: Readonly<Record<string, number>> = {
  'thermometer.temperature': 21.456,
  'accelerometer.accel_x': 0.1234,
  'accelerometer.accel_y': -0.5,
  'accelerometer.accel_z': 9.81,
  'accelerometer.orientation': 2,
  'battery.voltage_rest': 3.655,
  'battery.voltage_load': 3.5123,
  'hygrometer.temperature': 22.222,
  'hygrometer.humidity': 45.67,
  'barometer.pressure': 98_640,
  'rtd_thermometer.temperature': 21.5,
  'tc_thermometer.temperature': 23.4567,
  'sps30.pm1': 4.1,
  'sps30.pm2_5': 5.2,
  'sps30.pm4': 5.9,
  'sps30.pm10': 6.2,
  'sps30.num_pm0_5': 26,
  'sps30.num_pm1': 31,
  'sps30.num_pm2_5': 31.5,
  'sps30.num_pm4': 31.6,
  'sps30.num_pm10': 31.7,
  'radon_probe.chamber_temperature': 21.9,
  'radon_probe.chamber_humidity': 47,
  'radon_probe.concentration_hourly': 96,
  'radon_probe.concentration_daily': 88,
  'analog_channel.raw_mean': 50.31,
  'analog_channel.raw_rms': 71.44,
};

const BOARD: Partial<ShellBoard> = {
  position: () => ({ latitude: 49.7384137, longitude: 13.3736371, altitude: 310.25, byModem: false }),
  weather: () => ({ rainfall: 1.397, windSpeed: 2.8, windDirection: 112.5 }),
  probes: () => [{ serialNumber: 0x1a2b3c, temperature: 20.5 }],
  button: (button) => button === 'ext',
  backup: () => ({
    serialNumber: 0x80ad0005,
    hwRevision: 0x0104,
    hwVariant: 1,
    fwVersion: 0x01020000,
    connected: true,
    lineVoltage: 24.1,
    batteryVoltage: 4.05,
  }),
};
