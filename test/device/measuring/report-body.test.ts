import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { listNumberedNames } from '../../../src/profile/quantities.js';
import { type CborKey, type CborValue, decodeCbor } from '../../../src/protocol/cbor.js';
import { BOOT, NETWORK, profiles, type RigOptions, rig } from './fixtures.js';

const FOUR_MODES = {
  'channel-mode-1': 'trigger',
  'channel-mode-2': 'counter',
  'channel-mode-3': 'voltage',
  'channel-mode-4': 'current',
};
const TAG = { settings: { 'tag.enabled': true }, tags: { 0: '7cd9f41a2b3c' } };
const FIRST = BOOT / 1000 + 300;

/** The shape of a decoded body: the type of each value, and for each list the shape of its first element. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shape(member)]));
}

const STATISTICS = [{ timestamp: 'number', min: 'number', max: 'number', avg: 'number', mdn: 'number' }];
const PARAMETER = Object.fromEntries(Object.keys(NETWORK).map((name) => [name, 'number']));
const ACCELEROMETER = { accel_x: 'number', accel_y: 'number', accel_z: 'number', orientation: 'number' };
const TAGS = [
  {
    addr: 'string',
    rssi: 'number',
    voltage: 'number',
    temperature: { measurements: STATISTICS },
    humidity: { measurements: STATISTICS },
  },
];
const SOIL = [
  {
    serial_number: 'number',
    temperature: { measurements: STATISTICS },
    moisture: { measurements: STATISTICS },
  },
];

/** The raw value at the end of a path; each step is a key of a map or an index of a list. */
function raw(body: Uint8Array, ...path: readonly number[]): CborValue | undefined {
  return path.reduce<CborValue | undefined>((value, step) => {
    if (value instanceof Map) return (value as Map<CborKey, CborValue>).get(step);
    return Array.isArray(value) ? value[step] : undefined;
  }, decodeCbor(body));
}

describe('the body of clime', () => {
  it('has the documented shape', () => {
    const device = rig(TAG);
    device.until(minutes(30));
    device.set('backup.line_voltage', 0);
    expect(shape(device.report())).toEqual({
      message: { version: 'number', sequence: 'number', timestamp: 'number' },
      system: { uptime: 'number', voltage_load: 'number', voltage_rest: 'number', current_load: 'number' },
      network: { parameter: PARAMETER },
      thermometer: { temperature: 'number' },
      accelerometer: ACCELEROMETER,
      w1_thermometers: [{ serial_number: 'number', measurements: STATISTICS }],
      hygrometer: {
        temperature: { events: [], measurements: STATISTICS },
        humidity: { measurements: STATISTICS },
      },
      soil_sensors: SOIL,
      ble_tags: TAGS,
      backup: {
        line_voltage: 'number',
        batt_voltage: 'number',
        state: 'string',
        events: [{ timestamp: 'number', type: 'string' }],
      },
    });
  });

  it('has no values, ten seconds after the start, for measurements that take longer', () => {
    const device = rig();
    device.until(seconds(10));
    const body = device.report();
    expect(body.message).toEqual({ version: 2, sequence: 0, timestamp: BOOT / 1000 + 10 });
    expect(body.system).toEqual({ uptime: 40, voltage_load: null, voltage_rest: null, current_load: null });
    expect(body.thermometer.temperature).toBeGreaterThan(-30);
    expect(body.hygrometer).toEqual({ temperature: { events: [], measurements: [] }, humidity: { measurements: [] } });
    expect(body.ble_tags).toEqual([]);
    expect(body.backup).toMatchObject({ state: 'connected', events: [] });
  });

  it('has null for a connection that was not evaluated', () => {
    const none = Object.fromEntries(Object.keys(NETWORK).map((name) => [name, null]));
    expect(rig().report(null).network.parameter).toEqual(none);
    expect(rig().report().network.parameter).toEqual(NETWORK);
  });

  it('dates windows from the first one on, at the interval of aggregation', () => {
    const device = rig();
    device.until(minutes(30));
    const { measurements } = device.report().hygrometer.humidity;
    expect(measurements.map((window: { timestamp: number }) => window.timestamp)).toEqual(
      [0, 300, 600, 900, 1200, 1500].map((offset) => FIRST + offset),
    );
  });

  it('shows the windows as they were measured, cut to hundredths', () => {
    const device = rig();
    device.feed('hygrometer.temperature', [20.129, 20.137, 21, -0.019, 21]);
    expect(device.report().hygrometer.temperature.measurements).toEqual([
      // -0.019 is cut to -0.01, and the average 16.4494 to 16.44.
      { timestamp: FIRST, min: -0.01, max: 21, avg: 16.44, mdn: 20.13 },
    ]);
  });

  it('has whole numbers for soil moisture', () => {
    const device = rig();
    device.feed('soil_sensor.moisture', [6120, 6121, 6122, 6123, 6124.9]);
    expect(device.report().soil_sensors[0].moisture.measurements).toEqual([
      { timestamp: FIRST, min: 6120, max: 6124, avg: 6122, mdn: 6122 },
    ]);
  });

  it('has null in windows without a value', () => {
    const device = rig();
    device.feed('hygrometer.temperature', [20, null, 20, 20, 20]);
    expect(device.report().hygrometer.temperature.measurements).toEqual([
      { timestamp: FIRST, min: null, max: null, avg: null, mdn: null },
    ]);
  });

  it('does not lose a thousandth to binary fractions', () => {
    const device = rig();
    // Values have single precision: 4.1 is 4.0999999, and 24.3 is 24.2999992. Cut to whole millivolts, they would be 4099 and
    // 24299.
    device.set('backup.batt_voltage', 4.1);
    device.set('backup.line_voltage', 24.3);
    device.until(0);
    const body = device.encode();
    expect([raw(body, 92, 93), raw(body, 92, 94)]).toEqual([24300, 4100]);
  });

  it('shows alarms with their value', () => {
    const device = rig({ settings: { 'hygro-t-alarm-hi-report': true, 'hygro-t-alarm-hi-thr': 25 } });
    device.feed('hygrometer.temperature', [24, 26.5, 27, 20]);
    expect(device.report().hygrometer.temperature.events).toEqual([
      { timestamp: BOOT / 1000 + 120, type: 'alarm_hi_activated', value: 26.5 },
      { timestamp: BOOT / 1000 + 240, type: 'alarm_hi_deactivated', value: 20 },
    ]);
  });

  it('writes the events of the backup into the map of the backup, under the key 96', () => {
    const device = rig();
    device.until(seconds(100));
    device.set('backup.line_voltage', 0);
    device.until(seconds(107));
    device.set('backup.line_voltage', 24);
    const body = device.encode();
    expect(raw(body, 92, 96)).toEqual([BOOT / 1000 + 100, 0, 0, 7, 1]);
    expect(device.report().backup.events).toEqual([
      { timestamp: BOOT / 1000 + 100, type: 'disconnected' },
      { timestamp: BOOT / 1000 + 107, type: 'connected' },
    ]);
  });

  it('has an entry for every filled tag slot, once tags are enabled', () => {
    const tags = { 2: '7cd9f41a2b3c', 5: '0102030405ff' };
    expect(rig({ tags }).report().ble_tags).toEqual([]);
    const enabled = rig({ tags, settings: { 'tag.enabled': true } });
    enabled.until(minutes(5));
    expect(enabled.report().ble_tags.map((tag: { addr: string }) => tag.addr)).toEqual([
      '7cd9f41a2b3c',
      '0102030405ff',
    ]);
  });

  it('counts bodies, and drops windows and events after their acknowledgement', () => {
    const device = rig();
    device.until(minutes(10));
    device.set('backup.line_voltage', 0);
    device.encode();
    const again = device.report();
    expect(again.message.sequence).toBe(1);
    expect(again.hygrometer.humidity.measurements).toHaveLength(2);
    expect(again.backup.events).toHaveLength(1);
    const next = device.report();
    expect(next.hygrometer.humidity.measurements).toEqual([]);
    expect(next.backup).toMatchObject({ state: 'disconnected', events: [] });
  });

  it('keeps the time and interval of a list without windows', () => {
    const device = rig();
    expect(raw(device.encode(), 47, 51, 52)).toEqual([0, 300]);
    device.until(minutes(5));
    device.report();
    expect(raw(device.encode(), 47, 51, 52)).toEqual([FIRST, 300]);
  });
});

describe('the body of control', () => {
  const fourModes = () => rig({ profile: 'control', settings: { ...FOUR_MODES, ...TAG.settings }, tags: TAG.tags });

  it('has the documented shape, with channels in all four modes', () => {
    const device = fourModes();
    device.until(minutes(30));
    device.set('trigger.1.state', 1);
    expect(shape(device.report())).toEqual({
      message: { version: 'number', sequence: 'number', timestamp: 'number' },
      system: { uptime: 'number', voltage_rest: 'number', voltage_load: 'number', current_load: 'number' },
      backup: { line_voltage: 'number', batt_voltage: 'number', state: 'string', events: [] },
      network: { parameter: PARAMETER },
      thermometer: { temperature: 'number' },
      accelerometer: ACCELEROMETER,
      trigger: [{ channel: 'number', state: 'string', events: [{ timestamp: 'number', type: 'string' }] }],
      counter: [
        {
          channel: 'number',
          value: 'number',
          delta: 'number',
          measurements: [{ timestamp: 'number', value: 'number', delta: 'number' }],
        },
      ],
      voltage: [{ channel: 'number', measurements: STATISTICS }],
      current: [{ channel: 'number', measurements: STATISTICS }],
      w1_thermometers: [{ serial_number: 'number', measurements: STATISTICS }],
      soil_sensors: SOIL,
      ble_tags: TAGS,
    });
  });

  it('has an entry for every channel of a mode, and empty lists for the others', () => {
    const settings = { 'channel-mode-2': 'voltage', 'channel-mode-5': 'trigger', 'channel-mode-8': 'voltage' };
    const device = rig({ profile: 'control', settings });
    device.until(minutes(5));
    const body = device.report();
    expect(body.voltage.map(({ channel }: { channel: number }) => channel)).toEqual([2, 8]);
    expect(body.trigger.map(({ channel }: { channel: number }) => channel)).toEqual([5]);
    expect([body.counter, body.current]).toEqual([[], []]);
  });

  it('writes the channel of a counter with the key for the channel of a trigger', () => {
    const body = fourModes().encode();
    const counter = raw(body, 36, 0) as Map<CborKey, CborValue>;
    expect([...counter.keys()]).toEqual([33, 38, 39, 40]);
    expect(counter.get(33)).toBe(2);
  });

  it('has the events of the backup as a plain list of numbers', () => {
    const device = fourModes();
    device.until(seconds(60));
    device.set('backup.line_voltage', 0);
    device.until(seconds(65));
    device.set('backup.line_voltage', 24);
    expect(device.report().backup).toMatchObject({ state: 'connected', events: [BOOT / 1000 + 60, 0, 0, 5, 1] });
  });

  it('has the state of a trigger and its events', () => {
    const device = rig({ profile: 'control', settings: { 'channel-mode-1': 'trigger' } });
    device.set('trigger.1.state', 0);
    device.measurements.clear(0);
    device.until(seconds(20));
    device.set('trigger.1.state', 1);
    device.until(seconds(50));
    expect(device.report().trigger).toEqual([
      { channel: 1, state: 'active', events: [{ timestamp: BOOT / 1000 + 20, type: 'activated' }] },
    ]);
  });

  it('has the total of a counter and its increment per window', () => {
    const device = rig({ profile: 'control', settings: { 'channel-mode-2': 'counter' } });
    device.set('counter.2.pulses', 0);
    for (const total of [10, 25]) {
      device.set('counter.2.pulses', total);
      device.until(device.now + minutes(5));
    }
    device.set('counter.2.pulses', 30);
    const [counter] = device.report().counter;
    expect(counter).toMatchObject({
      delta: counter.value,
      measurements: [
        { timestamp: FIRST, delta: counter.measurements[0].value },
        { timestamp: FIRST + 300, delta: 15 },
      ],
    });
    expect(counter.value).toBe(counter.measurements[1].value + 5);
    expect(device.report().counter[0].delta).toBe(0);
  });

  it('dates the windows of soil sensors and tags by the intervals of other sensors', () => {
    const device = rig({
      profile: 'control',
      settings: { ...TAG.settings, 'w1-therm-interval-aggreg': 120, 'analog-interval-aggreg': 600 },
      tags: TAG.tags,
    });
    device.until(minutes(10));
    const body = device.encode();
    expect((raw(body, 55, 0, 57, 58) as CborValue[])[1]).toBe(120);
    expect((raw(body, 61, 0, 65, 66) as CborValue[])[1]).toBe(600);
  });
});

describe('any body', () => {
  // Six windows and one probe of each kind (behaviour B-21): both bodies need three packets of 360 bytes.
  it.each([
    ['clime', 780, {}],
    ['control', 850, FOUR_MODES],
  ] as const)('of %s is about %i bytes long', (profile, bytes, settings) => {
    const device = rig({ profile, settings: { ...TAG.settings, ...settings }, tags: TAG.tags });
    device.until(minutes(30));
    const { length } = device.encode();
    expect(Math.abs(length - bytes)).toBeLessThan(0.05 * bytes);
  });

  it.each(['clime', 'control'] as const)('of %s is one map of indefinite length, without floats', (profile) => {
    const device = rig({ profile, settings: profile === 'control' ? FOUR_MODES : {} });
    device.until(minutes(30));
    const body = device.encode();
    expect([body[0], body.at(-1)]).toEqual([0xbf, 0xff]);
    const numbers: number[] = [];
    const walk = (value: CborValue): void => {
      if (typeof value === 'number') numbers.push(value);
      else if (value instanceof Map) for (const member of value.values()) walk(member);
      else if (Array.isArray(value)) value.forEach(walk);
    };
    walk(decodeCbor(body));
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.every(Number.isInteger)).toBe(true);
  });

  it('is the same for the same device at the same time', () => {
    const run = () => {
      const device = rig({ seed: 77 });
      device.until(minutes(30));
      return Buffer.from(device.encode()).toString('hex');
    };
    expect(run()).toBe(run());
  });

  it('does not depend on the number of other devices that measure at the same time', () => {
    const alone = rig({ seed: 5 });
    alone.until(minutes(30));
    const [first, ...others] = Array.from({ length: 20 }, (_, i) => rig({ seed: 5 + i }));
    for (let minute = 0; minute <= 30; minute++)
      for (const device of [first, ...others]) device?.until(minutes(minute));
    expect(first?.encode()).toEqual(alone.encode());
  });
});

describe('the keys of a body are in the order of the firmware', () => {
  // `app_cbor.c` of each application, as far as the build writes the section.
  it.each([
    [
      'clime',
      'message system backup network thermometer accelerometer hygrometer w1_thermometers soil_sensors ble_tags',
    ],
    ['clime-iaq', 'message system network thermometer accelerometer iaq_sensor soil_sensors'],
    ['current-z', 'message system network thermometer accelerometer backup analog_channels w1_thermometers ble_tags'],
    [
      'meteo-z',
      'message system attribute network thermometer accelerometer backup w1_thermometers barometer hygrometer',
    ],
    ['push', 'message attribute system network thermometer accelerometer backup buttons ble_tags'],
    ['range-z', 'message system network thermometer accelerometer backup w1_thermometers ultrasonic_ranger ble_tags'],
    ['scale-z', 'message attribute system network accelerometer thermometer backup weight ble_tags'],
  ])('%s', (profile, wanted) => {
    const keys = Object.keys(rig({ profile }).report());
    const order = wanted.split(' ').filter((key) => keys.includes(key));
    expect(keys.filter((key) => order.includes(key))).toEqual(order);
    expect(order.length).toBeGreaterThan(5);
  });

  it.each(['clime', 'current', 'meteo', 'push', 'scale'])(
    '%s writes the voltage at rest before that under load',
    (profile) => {
      expect(Object.keys(rig({ profile }).report().system)).toEqual([
        'uptime',
        'voltage_rest',
        'voltage_load',
        'current_load',
      ]);
    },
  );

  it('range writes the voltage under load first, unlike the other applications', () => {
    const { system } = rig({ profile: 'range' }).report();
    expect(Object.keys(system)).toEqual(['uptime', 'voltage_load', 'voltage_rest', 'current_load']);
  });

  it('also if a profile that extends another one adds a section', () => {
    const keys = Object.keys(rig({ profile: 'clime-iaq' }).report());
    expect(keys.indexOf('iaq_sensor')).toBe(keys.indexOf('accelerometer') + 1);
  });
});

describe('a value beyond the integers of the firmware', () => {
  const SETTINGS: Readonly<Record<string, RigOptions>> = {
    clime: TAG,
    control: { settings: FOUR_MODES },
  };

  // A body of the receiver also needs a scan.
  const named = [...profiles].filter(([, { receiver }]) => receiver === undefined).map(([name]) => name);
  it.each(named)('saturates in every field of %s', (name) => {
    for (const value of [1e20, -1e20, 9.91e37, 1e300, -1e300]) {
      const device = rig({ profile: name, ...SETTINGS[name] });
      for (const quantity of listNumberedNames(device.profile)) device.set(quantity, value);
      device.until(minutes(31));
      expect(deepNumbers(decodeCbor(device.encode())).filter((found) => !Number.isFinite(found))).toEqual([]);
      expect(() => device.report()).not.toThrow();
    }
  });

  it('is the largest number of 32 bits in hundredths', () => {
    const device = rig();
    device.set('hygrometer.temperature', 1e20);
    device.set('thermometer.temperature', -1e20);
    device.until(minutes(31));
    const body = device.report();
    expect(body.hygrometer.temperature.measurements[0].max).toBe(21_474_836.47);
    expect(body.thermometer.temperature).toBe(-21_474_836.48);
  });
});

/** All numbers in a value. */
function deepNumbers(value: CborValue | undefined): readonly number[] {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(deepNumbers);
  if (value instanceof Map) return [...value.values()].flatMap(deepNumbers);
  return [];
}
