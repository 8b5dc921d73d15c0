/** A device for tests of the shell: it returns fixed values and records the requests to it. */

import { DeviceConfig } from '../../../src/device/config/device-config.js';
import { configLayout } from '../../../src/device/config/layout.js';
import { CloudCounters } from '../../../src/device/link/cloud-counters.js';
import type { CommandResult } from '../../../src/device/shell/command.js';
import type {
  ChannelState,
  InputCalibration,
  MotionSample,
  ShellBoard,
  ShellInputs,
  ShellTags,
  TagReading,
} from '../../../src/device/shell/equipment.js';
import {
  type CloudMetrics,
  type DeviceIdentity,
  type ModemMetrics,
  type ShellHost,
  ShellMemory,
  type ShellModem,
} from '../../../src/device/shell/host.js';
import type { ModuleSpec } from '../../../src/profile/parameters.js';
import { modules } from '../config/specs.js';

export interface FakeHostOptions {
  readonly identity?: Partial<DeviceIdentity>;
  readonly uptime?: number;
  readonly unixTime?: number;
  readonly cloud?: { readonly initialized?: boolean; readonly lastSeen?: number | undefined };
  readonly metrics?: Partial<CloudMetrics>;
  readonly lte?: Partial<LteOptions>;
  readonly sensors?: Partial<ShellBoard>;
  readonly spooled?: number;
  readonly channels?: readonly ChannelState[];
  readonly inputs?: { readonly silent?: boolean };
  readonly motion?: readonly MotionSample[];
  readonly tags?: Partial<ShellTags>;
  readonly images?: { readonly requested?: string };
  readonly modules?: readonly ModuleSpec[];
}

/** `lte state` and the numbers of modem and SIM card, which are undefined until the modem has started. */
interface LteOptions extends Pick<ShellModem, 'registration' | 'wait'> {
  readonly attached: boolean;
  readonly evaluation: ReturnType<ShellModem['evaluation']>;
  readonly fsm: ShellModem['state'];
  readonly attachAttempt: number;
  readonly imei: string | undefined;
  readonly modemFirmware: string | undefined;
}

export interface FakeHost extends ShellHost {
  /** The requests to the host, in order. */
  readonly asked: readonly string[];
  /** Lets time pass. */
  pass(duration: number): void;
}

/** Runs a command to its end. `lines` are all lines that it has printed, `takes` is its duration in milliseconds. */
export function finish(host: FakeHost, begun: CommandResult): CommandResult & { readonly takes: number } {
  let { rest, ...result } = begun;
  let takes = 0;
  while (rest) {
    takes += rest.wait;
    host.pass(rest.wait);
    const { rest: next, ...more } = rest.go();
    result = { ...more, lines: [...result.lines, ...more.lines] };
    rest = next;
  }
  return { ...result, takes };
}

/** 2026-08-07T12:34:56Z */
export const NOON = 1_786_106_096;

export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const asked: string[] = [];
  const ask = (what: string) => () => {
    asked.push(what);
  };
  const config = new DeviceConfig(configLayout(options.modules ?? modules()));
  const boot = options.uptime ?? 90_061_007;
  let passed = 0;
  const motion = options.motion;
  const counters: CloudMetrics = {
    ...new CloudCounters(),
    ...NO_ERRORS,
    lastSeen: NOON - 10,
    ...options.metrics,
    ...options.cloud,
  };
  return {
    asked,
    pass: (duration) => {
      passed += duration;
    },
    config,
    profile: { identity: { modemFirmware: 'mfw_nrf91x1_2.0.2' }, bootloader: { slotSize: 483_328 } },
    shellMemory: new ShellMemory(),
    get uptime() {
      return boot + passed;
    },
    readUnixTime: () => options.unixTime ?? NOON,
    moveClock: (seconds) => asked.push(`set time ${seconds}`),
    requestFirmware: (id) => {
      asked.push(`firmware ${id}`);
      return id === 'unknown' ? -2 : 0;
    },
    download: undefined,
    receiver: undefined,
    cloud: { initialized: options.cloud?.initialized ?? true, counters, requestPoll: ask('poll') },
    application: {
      measureNow: (kind) => asked.push(kind),
      measureSensor: (sensor) => asked.push(`measure ${sensor}`),
      reportNow: ask('report'),
      planScan: () => {},
      pollBetweenReports: () => {},
    },
    hardware: {
      identity: { ...IDENTITY, ...options.identity },
      subscriber: { imei: '351358811124772', imsi: '901288910018982', iccid: '8988228066610345123' },
      modem: { ...fakeModem(options.lte), reconnect: ask('reconnect') },
      link: { failover: undefined },
      build: { version: 'v3.5.1' },
      bootloader: {
        confirmed: true,
        requested: options.images?.requested === undefined ? undefined : { version: options.images.requested },
        confirm: ask('confirm image'),
      },
    },
    board: {
      ...BOARD,
      setLed: (led, on) => asked.push(`led ${led} ${on ? 'on' : 'off'}`),
      setBatteryLoad: (on) => asked.push(`load ${on ? 'on' : 'off'}`),
      ...options.sensors,
    },
    equipment: {
      ...(options.inputs && { inputs: fakeInputs(options.inputs) }),
      ...(options.tags && { tags: { ...TAGS, ...options.tags } }),
      ...(motion && {
        motion: {
          samples: () => motion.slice(0, 2 + asked.filter((what) => what === 'sample').length),
          totals: () => ({
            detectLeft: 40,
            detectRight: 50,
            motionLeft: 3,
            motionRight: 4 + Math.floor(passed / 2000),
          }),
        },
      }),
      ...(options.spooled !== undefined && {
        spool: {
          count: options.spooled,
          messages: Array.from({ length: options.spooled }, () => Uint8Array.from([0x06, 0x41, 0x42])),
          remove: (n: number) => asked.push(`remove spooled ${n}`),
          fake: (count: number) => asked.push(`fake ${count}`),
          clean: ask('clean spool'),
        },
      }),
      ...(options.channels !== undefined && {
        channels: {
          count: options.channels.length,
          state: (n: number) => options.channels?.[n - 1] ?? { mode: 'disabled' as const },
          reset: (n: number) => asked.push(`reset channel ${n}`),
        },
      }),
    },
  };
}

const IDENTITY: DeviceIdentity = {
  vendorName: 'HARDWARIO',
  productName: 'CHESTER-M',
  hwVariant: 'CGLS',
  hwRevision: 'R3.4',
  fwBundle: 'com.hardwario.chester.app.clime',
  fwName: 'CHESTER Clime',
  fwVersion: 'v3.5.1',
  serialNumber: '2159018267',
  claimToken: '00112233445566778899aabbccddeeff',
  bleDevaddr: 'aa:bb:cc:dd:ee:ff',
  blePasskey: '123456',
};

function fakeModem(options: Partial<LteOptions> = {}): Omit<ShellModem, 'reconnect'> {
  const lte: LteOptions = { ...LTE, ...options };
  return {
    started: lte.imei !== undefined && lte.modemFirmware !== undefined,
    registered: lte.attached,
    registration: lte.registration,
    evaluation: () => lte.evaluation,
    state: lte.fsm,
    attempt: lte.attachAttempt,
    wait: lte.wait,
    positioning: false,
    counters: MODEM_COUNTERS,
  };
}

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

const MODEM_COUNTERS: ModemMetrics = {
  attaches: 1,
  failed: 2,
  duration: 15_000.824,
  lastAt: NOON,
  lastDuration: 5000.5,
  connected: 9000.999,
  lastConnected: 1000.25,
};

/** The counters that a new {@link CloudCounters} computes. */
const NO_ERRORS = {
  uplinkErrors: 0,
  uplinkErrorLast: undefined,
  downlinkErrors: 0,
  downlinkErrorLast: undefined,
  downlinkDataCount: 0,
  downlinkDataLast: undefined,
  shellCount: 0,
  shellLast: undefined,
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

function fakeInputs({ silent = false }: { readonly silent?: boolean }): ShellInputs {
  let calibration: InputCalibration = { mode: 'rms', x0: 0, y0: 0, x1: 0, y1: 0 };
  return {
    read: () => (silent ? undefined : { mean: 50.31, rms: 71.44 }),
    calibration: () => calibration,
    calibrate: (_channel, changes) => {
      calibration = { ...calibration, ...changes };
      return true;
    },
  };
}

const QUANTITIES: Readonly<Record<string, number>> = {
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
};

const BOARD: Omit<ShellBoard, 'setLed' | 'setBatteryLoad'> = {
  position: () => ({ latitude: 49.7384137, longitude: 13.3736371, altitude: 310.25, byModem: false }),
  quantity: (sensor, quantity) => QUANTITIES[`${sensor}.${quantity}`],
  weather: () => ({ rainfall: 1.397, windSpeed: 2.8, windDirection: 112.5 }),
  thermometer: () => 21.456,
  accelerometer: () => ({ x: 0.1234, y: -0.5, z: 9.81, orientation: 2 }),
  battery: () => ({ rest: 3.655, load: 3.5123 }),
  hygrometer: () => ({ temperature: 22.222, humidity: 45.67 }),
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
