/** One device of each type in `TYPES` boots, opens its session and reports to a cloud, in virtual time. */
import { describe, expect, it } from 'vitest';
import { hours } from '../../src/kernel/time.js';
import { testCloud } from '../support/cloud.js';
import { testDevice } from '../support/device.js';

/** The row of a device in the cloud after 80 minutes, and its decoded reports. */
async function reportsOf(profile: string, config: readonly string[] = []) {
  const cloud = await testCloud();
  await cloud.addDevice();
  const { clock, gateway } = cloud;
  const { device } = testDevice({
    clock,
    profile,
    config,
    network: (datagram, answer) => {
      clock.after(1, 'datagram', () => gateway.receive(datagram, 'base64', answer));
    },
  });
  device.powerOn();
  await clock.runUntil(hours(4 / 3));
  const row = await cloud.device();
  const bodies = (await cloud.messages(row)).filter(({ type }) => type === 'data').map(({ body }) => body);
  return { row, bodies };
}

const WINDOW = {
  timestamp: expect.any(Number),
  min: expect.any(Number),
  max: expect.any(Number),
  avg: expect.any(Number),
  mdn: expect.any(Number),
};
const windows = (count: number) => Array.from({ length: count }, () => WINDOW);
const VALUE = { timestamp: expect.any(Number), value: expect.any(Number) };
const NUMBER = expect.any(Number);
const ATTRIBUTE = {
  vendor_name: 'HARDWARIO',
  product_name: 'CHESTER-M',
  hw_variant: 'CGLS',
  hw_revision: 'R3.4',
  fw_version: 'v4.0.0',
  serial_number: '2159017986',
};
const ONE_WIRE = [{ serial_number: NUMBER, measurements: expect.arrayContaining([WINDOW]) }];

interface Type {
  readonly config?: readonly string[];
  readonly decoder: string;
  readonly encoder?: string;
  /** Sections of a body, in the order in which they are sent. */
  readonly sections: readonly string[];
  /** Parts of the second report that are expected for this type. */
  readonly second: object;
}

const BASE = ['message', 'system', 'network', 'thermometer', 'accelerometer'];

const TYPES: Readonly<Record<string, Type>> = {
  demo: {
    decoder: '6940c0933067d636',
    encoder: 'e074aea1e4183ce4',
    sections: ['message', 'system', 'attribute', 'network', 'thermometer', 'accelerometer'],
    second: { attribute: ATTRIBUTE, accelerometer: { acceleration_z: NUMBER, orientation: 2 } },
  },
  motion: {
    decoder: '501c25ef349d91f3',
    sections: [...BASE, 'motion'],
    second: {
      motion: {
        totalizer: { detect_left: NUMBER, detect_right: NUMBER, motion_left: NUMBER, motion_right: NUMBER },
        samples: expect.arrayContaining([
          { timestamp: NUMBER, detect_left: NUMBER, detect_right: NUMBER, motion_left: NUMBER, motion_right: NUMBER },
        ]),
      },
    },
  },
  meteo: {
    decoder: 'abc1159609336525',
    sections: [
      ...['message', 'system', 'attribute', 'network', 'thermometer', 'accelerometer', 'w1_thermometers', 'barometer'],
      ...['hygrometer', 'soil_sensors', 'ble_tags', 'weather_station'],
    ],
    second: {
      attribute: ATTRIBUTE,
      w1_thermometers: ONE_WIRE,
      barometer: { pressure: { measurements: expect.arrayContaining([WINDOW]) } },
      hygrometer: { temperature: { events: [], measurements: expect.arrayContaining([WINDOW]) } },
      weather_station: {
        wind_speed: { measurements: expect.arrayContaining([WINDOW]) },
        wind_direction: { measurements: expect.arrayContaining([VALUE]) },
        rainfall: { measurements: expect.arrayContaining([VALUE]) },
      },
    },
  },
  range: {
    decoder: 'd94a4103737a73d2',
    sections: [...BASE, 'w1_thermometers', 'ultrasonic_ranger', 'ble_tags'],
    second: { w1_thermometers: ONE_WIRE, ultrasonic_ranger: { measurements: expect.arrayContaining([WINDOW]) } },
  },
  current: {
    config: ['app config channel-active-3 true'],
    decoder: '7b034ffc6623f887',
    sections: [...BASE, 'analog_channels', 'w1_thermometers', 'ble_tags'],
    second: {
      analog_channels: [
        {
          channel: 3,
          raw_rms: { measurements: windows(3) },
          raw_mean: { measurements: windows(3) },
          calibration: {
            mode: 'rms',
            measurements: windows(3).map(() => ({ timestamp: NUMBER, min: null, max: null, avg: null, mdn: null })),
          },
        },
      ],
    },
  },
  push: {
    decoder: '7db07ef6fc417121',
    sections: [
      ...['message', 'attribute', 'system', 'network', 'thermometer', 'accelerometer'],
      ...['backup', 'buttons', 'ble_tags'],
    ],
    second: {
      backup: { line_voltage: NUMBER, batt_voltage: NUMBER, state: 'connected', events: [] },
      buttons: ['button_x', 'button_1', 'button_2', 'button_3', 'button_4'].map((button) =>
        expect.objectContaining({ button, count_click: NUMBER, count_hold: NUMBER }),
      ),
    },
  },
  scale: {
    config: ['app config channel-b1-active false'],
    decoder: '0cf3c030b992b548',
    sections: [
      ...['message', 'attribute', 'system', 'network', 'accelerometer', 'thermometer'],
      ...['weight', 'ble_tags'],
    ],
    second: {
      weight: expect.arrayContaining([
        { timestamp: NUMBER, raw_result_a1: NUMBER, raw_result_a2: NUMBER, raw_result_b1: null, raw_result_b2: NUMBER },
      ]),
    },
  },
};

describe.each(Object.entries(TYPES))('a device of the type %s', (name, type) => {
  it('opens its session, uploads its codecs, and sends reports that are decoded as documented', async () => {
    const { row, bodies } = await reportsOf(name, type.config);
    expect(row).toMatchObject({ decoderHash: type.decoder, encoderHash: type.encoder ?? null });
    const [first, second] = bodies;
    expect(first).toMatchObject({
      message: { sequence: 0, timestamp: NUMBER },
      system: { uptime: NUMBER, voltage_rest: null },
    });
    // The sections of a body are the same in every report.
    for (const body of [first, second]) expect(Object.keys(body ?? {})).toEqual(type.sections);
    expect(second).toMatchObject({
      message: { sequence: 1, timestamp: NUMBER },
      system: { voltage_rest: NUMBER, voltage_load: NUMBER, current_load: NUMBER },
      thermometer: { temperature: NUMBER },
      network: { parameter: { rsrp: NUMBER } },
      ...type.second,
    });
  });
});

it('a device with a jitter of 0 % reports exactly at its interval', async () => {
  const { bodies } = await reportsOf('current');
  const uptimes = bodies.map((body) => (body as { system: { uptime: number } }).system.uptime);
  expect(uptimes.slice(1).map((uptime, n) => uptime - (uptimes[n] ?? 0))).toEqual([900, 900, 900, 900, 900]);
});
