/** A device for the shell to work on: answers with round values and writes down what it was asked to do. */
import { DeviceConfig } from '../../../src/device/config/device-config.js';
import { configLayout } from '../../../src/device/config/layout.js';
import type {
  ChannelState,
  CloudMetrics,
  CloudState,
  DeviceIdentity,
  LteState,
  ShellHost,
  ShellSensors,
} from '../../../src/device/shell/host.js';
import { modules } from '../config/specs.js';

export interface FakeHostOptions {
  readonly identity?: Partial<DeviceIdentity>;
  readonly uptime?: number;
  readonly unixTime?: number;
  readonly cloud?: Partial<CloudState>;
  readonly metrics?: Partial<CloudMetrics>;
  readonly lte?: Partial<LteState>;
  readonly sensors?: Partial<ShellSensors>;
  readonly spooled?: number;
  readonly channels?: readonly ChannelState[];
}

export interface FakeHost extends ShellHost {
  /** What the host was asked to do, in order. */
  readonly asked: readonly string[];
}

/** 2026-08-07T12:34:56Z */
export const NOON = 1_786_106_096;

export function fakeHost(options: FakeHostOptions = {}): FakeHost {
  const asked: string[] = [];
  const ask = (what: string) => () => {
    asked.push(what);
  };
  const config = new DeviceConfig(configLayout(modules()));
  return {
    asked,
    config,
    identity: { ...IDENTITY, ...options.identity },
    uptime: () => options.uptime ?? 90_061_007,
    unixTime: () => options.unixTime ?? NOON,
    setUnixTime: (seconds) => asked.push(`set time ${seconds}`),
    cloud: () => ({
      initialized: true,
      lastSeen: NOON - 10,
      metrics: { ...NO_TRAFFIC, ...options.metrics },
      ...options.cloud,
    }),
    lte: () => ({ ...LTE, ...options.lte }),
    requestSample: ask('sample'),
    requestAggregate: ask('aggregate'),
    requestReport: ask('report'),
    requestPoll: ask('poll'),
    requestReconnect: ask('reconnect'),
    requestFirmware: (id) => {
      asked.push(`firmware ${id}`);
      return id === 'unknown' ? -2 : 0;
    },
    sensors: { ...SENSORS, ...options.sensors },
    setLed: (led, on) => asked.push(`led ${led} ${on ? 'on' : 'off'}`),
    setBatteryLoad: (on) => asked.push(`load ${on ? 'on' : 'off'}`),
    ...(options.spooled === undefined
      ? {}
      : {
          spool: {
            count: options.spooled,
            fake: (count: number) => asked.push(`fake ${count}`),
            clean: ask('clean spool'),
          },
        }),
    ...(options.channels === undefined
      ? {}
      : {
          channels: {
            count: options.channels.length,
            state: (n: number) => options.channels?.[n - 1] ?? { mode: 'disabled' as const },
            reset: (n: number) => asked.push(`reset channel ${n}`),
          },
        }),
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

const NO_TRAFFIC: CloudMetrics = {
  uplinkCount: 0,
  uplinkFragments: 0,
  uplinkBytes: 0,
  uplinkLast: undefined,
  uplinkErrors: 0,
  uplinkErrorLast: undefined,
  downlinkCount: 0,
  downlinkFragments: 0,
  downlinkBytes: 0,
  downlinkLast: undefined,
  downlinkErrors: 0,
  downlinkErrorLast: undefined,
  pollCount: 0,
  pollLast: undefined,
  uplinkDataCount: 0,
  uplinkDataLast: undefined,
  downlinkDataCount: 0,
  downlinkDataLast: undefined,
  shellCount: 0,
  shellLast: undefined,
};

const LTE: LteState = {
  attached: true,
  registration: { status: 'registered-home', mode: 'lte-m' },
  evaluation: undefined,
  fsm: 'sleep',
  attachAttempt: 0,
  wait: undefined,
  imei: '351358811124772',
  imsi: '901288910018982',
  iccid: '8988228066610345123',
  modemFirmware: 'mfw_nrf91x1_2.0.2',
  metrics: {
    attachCount: 1,
    attachFailCount: 2,
    attachDuration: 15_000,
    attachLast: NOON,
    attachLastDuration: 5000,
    uplinkCount: 3,
    uplinkBytes: 400,
    uplinkErrors: 5,
    uplinkLast: NOON + 1,
    downlinkCount: 6,
    downlinkBytes: 700,
    downlinkErrors: 8,
    downlinkLast: undefined,
    connectedDuration: 9000,
    connectedLastDuration: 1000,
  },
};

const SENSORS: ShellSensors = {
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
