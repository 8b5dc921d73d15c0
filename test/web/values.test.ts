/** The values of reports, as the console shows them. */
import { describe, expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import type { BodyNode, Profile } from '../../src/profile/profile.js';
import { nameOf } from '../../web/src/model/names.js';
import { unitOf } from '../../web/src/model/units.js';
import {
  madeAt,
  quantitiesOf,
  readingsOf,
  shortName,
  upFor,
  uptimeOf,
  valueText,
  voltageOf,
} from '../../web/src/model/values.js';

const shown = (body: unknown) => readingsOf(body).map(({ name, value, unit }) => `${name} ${valueText(value, unit)}`);

/** The unit of each quantity that a profile reports, by the path of the value. */
function unitsIn({ body, decoder, sensors }: Profile): ReadonlyMap<string, string> {
  const units = new Map<string, string>();
  const note = (key: number, sensor: number, quantity: number) => {
    const path = (decoder.keys[key]?.path ?? '').replace(/\.measurements(_div)?$/, '');
    // The pulses of a rain gauge are reported as an amount of rain, which has another unit.
    if (sensors[sensor]?.windows?.kind !== 'amount') units.set(path, sensors[sensor]?.quantities[quantity]?.unit ?? '');
  };
  const walk = (nodes: readonly BodyNode[]): void => {
    for (const node of nodes) {
      if (node.kind === 'map' || node.kind === 'each') walk(node.children);
      if (node.kind === 'last' || node.kind === 'windows') note(node.key, node.sensor, node.quantity);
      if (node.kind !== 'samples') continue;
      for (const [sensor, columns] of node.columns) for (const [n, { key }] of columns.entries()) note(key, sensor, n);
    }
  };
  walk(body);
  return units;
}

/** Units of the same quantity, of which the console shows one. */
const SAME: Readonly<Record<string, string>> = { Pa: 'hPa', kPa: 'hPa', mbar: 'hPa', klx: 'lx' };
/** Texts of profiles for counts, and for a unit that a user chooses. */
const NONE = /count|pulse|calibrat|^raw|^as /;

describe('the names of values', () => {
  it('are those that people use', () => {
    const body = {
      ...{ thermometer: { temperature: 21 }, w1_thermometers: [{ measurements: [{ timestamp: 1, avg: 4 }] }] },
      ...{ soil_sensors: [{ moisture: 5 }], sensecap: { pm2_5: 3, co2: 400 }, backup: { batt_voltage: 4 } },
      ...{ system: { voltage_rest: 3.6 }, network: { parameter: { rsrp: -90, eest: 8 } } },
    };
    expect(quantitiesOf(body).map(({ name }) => name)).toEqual([
      ...['thermometer', '1-Wire thermometer 1', 'soil sensor 1 moisture', 'SenseCAP PM2.5', 'SenseCAP CO₂'],
      ...['backup battery voltage', 'battery voltage at rest', 'signal strength (RSRP)', 'energy estimate (EEST)'],
    ]);
  });

  it.each([...packagedProfiles().values()].map((profile) => [profile.name, profile] as const))(
    'differ for all values of the device type %s',
    (_, { decoder }) => {
      const paths = [...new Set(Object.values(decoder.keys).map(({ path }) => path))];
      const values = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
      expect(new Set(values.map((path) => nameOf(path.split('.')))).size).toBe(values.length);
    },
  );
});

describe('the units of reports', () => {
  it.each([...packagedProfiles().values()].map((profile) => [profile.name, profile] as const))(
    'are those of the device type %s',
    (_, profile) => {
      const differing = [...unitsIn(profile)].filter(([path, unit]) => {
        const wanted = NONE.test(unit) ? '' : (SAME[unit] ?? unit);
        return unitOf(path).unit !== wanted;
      });
      expect(differing).toEqual([]);
    },
  );

  it('are volts for every voltage, also of device types that report millivolts', () => {
    const volts = { backup: { line_voltage: 24.36, batt_voltage: 3.997 } };
    const millivolts = { backup: { line_voltage: 23_833, batt_voltage: 3997 } };
    expect(shown(volts)).toEqual(['line voltage 24.36 V', 'backup battery voltage 4.00 V']);
    expect(shown(millivolts)).toEqual(['line voltage 23.83 V', 'backup battery voltage 4.00 V']);
    const meter = { devices: [{ type: 3, data: [{ timestamp: 1_700_000_000, voltage: 231.4 }] }] };
    expect(shown(meter)).toEqual(['device 1 voltage 231.40 V']);
  });

  it('are hectopascals for every pressure, and lux for every illuminance', () => {
    expect(shown({ barometer: { pressure: { measurements: [{ timestamp: 1, avg: 98_640 }] } } })).toEqual([
      'barometer pressure 986.4 hPa',
    ]);
    const station = {
      pressure: { measurements: [{ value: 98.71 }] },
      illuminance: { measurements: [{ value: 12.5 }] },
    };
    expect(shown({ lambrecht_weather_station: station })).toEqual([
      'Lambrecht station pressure 987.1 hPa',
      'Lambrecht station illuminance 12500 lx',
    ]);
  });
});

describe('the time since the boot of a device', () => {
  it('goes on after the report, and is never negative: the clock of the page may be behind that of the service', () => {
    expect(upFor(44, 1_000_000, 1_060_000)).toBe(104_000);
    expect(upFor(44, 1_000_000, 0)).toBe(44_000);
  });
});

describe('the time of a report', () => {
  const of = (timestamp: number | undefined) =>
    madeAt({ created_at: '2026-01-10T05:00:00.000Z', body: { message: { timestamp } } });
  const [arrived, noon] = [Date.parse('2026-01-10T05:00:00.000Z'), Date.parse('2026-01-09T12:00:00.000Z')];

  it('is the one at which the device made it: after an outage, it may arrive hours later', () => {
    expect(of(noon / 1000)).toBe(noon);
  });

  it('is that of its arrival without a time of its own, and if the clock of the device is wrong', () => {
    expect([undefined, 60, arrived / 1000 + 90].map(of)).toEqual([arrived, arrived, arrived]);
  });
});

describe('the readings of a report', () => {
  it('are the latest window of a series with its least and greatest sample, and not its header, identity and events', () => {
    const body = {
      message: { version: 2, sequence: 7, timestamp: 1_700_000_000 },
      attribute: { serial_number: '2159017985' },
      hygrometer: {
        temperature: {
          events: [{ timestamp: 5, type: 'alarm', value: 40 }],
          measurements: [
            { timestamp: 1, avg: 20, min: 19, max: 21, mdn: 20 },
            { timestamp: 2, avg: 22, min: 21.5, max: 23, mdn: 22 },
          ],
        },
      },
    };
    expect(readingsOf(body)).toEqual([{ name: 'hygrometer temperature', value: 22, unit: '°C', min: 21.5, max: 23 }]);
  });

  it('have the number of their channel in their name, and each column of a counter', () => {
    const counter = [{ channel: 3, value: 12, delta: 2, measurements: [{ timestamp: 1, value: 12, delta: 2 }] }];
    expect(shown({ counter })).toEqual(['counter 3 12', 'counter 3 delta 2']);
    expect(shown({ voltage: [{ channel: 2, measurements: [{ timestamp: 1, avg: 12.04 }] }] })).toEqual([
      'voltage 2 12.04 V',
    ]);
    expect(shown({ counter: [{ channel: 1, value: 3, measurements: [] }] })).toEqual(['counter 1 value 3']);
  });

  it('leave out missing values, and come only from objects', () => {
    expect(shown({ hygrometer: { temperature: { measurements: [{ timestamp: 1, avg: null }] } } })).toEqual([]);
    for (const body of [null, 'text', 7, [], [1], { a: 'b' }]) expect(shown(body)).toEqual([]);
  });

  it('do not contain what is about the device itself, which comes last among the quantities', () => {
    const body = { system: { uptime: 61, voltage_rest: 3.6 }, thermometer: { temperature: 21 } };
    expect(shown(body)).toEqual(['thermometer 21.00 °C']);
    expect(quantitiesOf(body).map(({ name, isOwn }) => [name, isOwn])).toEqual([
      ['thermometer', false],
      ['uptime', true],
      ['battery voltage at rest', true],
    ]);
    expect(valueText(5_400, 's')).toBe('1h 30m');
    expect([uptimeOf({ state: { uptime: 5 } }), voltageOf({ battery: { voltage_rest: 3.5 } })]).toEqual([5, 3.5]);
    expect(shortName('hygrometer temperature')).toBe('hygrometer');
    expect(shortName('backup battery voltage')).toBe('backup battery voltage');
  });
});
