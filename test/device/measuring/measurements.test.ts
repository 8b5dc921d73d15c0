import { describe, expect, it } from 'vitest';
import { Environment } from '../../../src/device/environment/environment.js';
import { days, hours, minutes, seconds } from '../../../src/kernel/time.js';
import { findQuantity } from '../../../src/profile/quantities.js';
import { BOOT, profiles, rig, steadily, the } from './fixtures.js';

const CHANNELS = {
  'channel-mode-1': 'trigger',
  'channel-mode-2': 'counter',
  'channel-mode-3': 'voltage',
  'channel-mode-4': 'current',
};

describe('the tasks', () => {
  it('follow the configuration of the boot', () => {
    const { measurements } = rig({ settings: { 'interval-sample': 10, 'interval-aggreg': 120 } });
    expect(measurements.tasks.map(({ kind, first, every }) => [kind, first, every])).toEqual([
      ['sample', 0, 10_000],
      ['sample', 10_000, 10_000],
      ['aggregate', 120_000, 120_000],
      ['sample', seconds(60), hours(12)],
      ['watch', 0, Number.POSITIVE_INFINITY],
    ]);
  });

  it('run only at the start, or never, if their interval is 0', () => {
    const { measurements } = rig({ settings: { 'interval-sample': 0, 'interval-aggreg': 0 } });
    const never = Number.POSITIVE_INFINITY;
    expect(measurements.tasks.slice(0, 3).map(({ first, every }) => [first, every])).toEqual([
      [0, never],
      [never, never],
      [never, never],
    ]);
    expect(measurements.memory.layout.floats.size).toBeGreaterThan(0);
  });

  it('leave out sensors that the configuration does not use', () => {
    const all = (settings: Record<string, string>) =>
      rig({ profile: 'control', settings }).measurements.tasks.map(({ what }) => what);
    expect(all({})).not.toContain('sample voltage, current');
    expect(all(CHANNELS)).toContain('sample voltage, current');
  });

  it('measure the battery a minute after the start and then twice a day, and not on request of the shell', () => {
    const device = rig();
    const battery = device.sensor('battery');
    const { measurements } = device;
    expect(measurements.tasks.filter(({ onRequest }) => !onRequest).map(({ what }) => what)).toEqual([
      'sample battery',
      'watch inputs',
    ]);
    device.until(seconds(59));
    expect(measurements.memory.last(battery, 0)).toBeNaN();
    device.until(seconds(60));
    expect(measurements.memory.last(battery, 0)).toBeGreaterThan(3.2);
    device.set('battery.voltage_rest', 3.1);
    device.until(hours(12));
    expect(measurements.memory.last(battery, 0)).toBeGreaterThan(3.2);
    device.until(hours(12) + seconds(60));
    expect(measurements.memory.last(battery, 0)).toBeCloseTo(3.1);
  });
});

describe('windows', () => {
  it('hold the statistics of the samples since the previous window', () => {
    const device = rig();
    device.feed('hygrometer.temperature', [20, 24, 21, 23, 22, 30, 30, 30, 30, 31]);
    expect(device.windows('hygrometer')).toEqual([
      [20, 24, 22, 22],
      [30, 31, 30.2, 30],
    ]);
  });

  it('have the time at which the first window since the last report was closed', () => {
    const device = rig();
    const time = () => device.measurements.memory.windowTime(device.sensor('hygrometer')) - BOOT / 1000;
    expect(time()).toBe(-BOOT / 1000);
    device.until(minutes(12));
    expect(time()).toBe(300);
    device.measurements.clear(0);
    device.until(minutes(14));
    expect(time()).toBe(300);
    device.until(minutes(21));
    expect(time()).toBe(900);
  });

  it('are dated by the device’s own clock', () => {
    const { measurements, sensor } = rig();
    measurements.run(2, BOOT + minutes(5), 4000);
    expect(measurements.memory.windowTime(sensor('hygrometer'))).toBe(4000);
  });

  it('are NaN without a sample', () => {
    const device = rig({ settings: { 'interval-sample': 3600 } });
    device.until(minutes(5));
    expect(device.windows('hygrometer')).toEqual([[Number.NaN, Number.NaN, Number.NaN, Number.NaN]]);
  });

  it('are NaN when one sample failed, for a sensor whose samples the firmware checks', () => {
    const device = rig();
    device.feed('hygrometer.temperature', [20, null, 20, 20, 20, 20, 20, 20, 20, 20]);
    expect(device.windows('hygrometer')).toEqual([
      [Number.NaN, Number.NaN, Number.NaN, Number.NaN],
      [20, 20, 20, 20],
    ]);
    expect(device.windows('hygrometer', 1)[0]?.[0]).toBeGreaterThan(0);
  });

  it('ignore a missing sample of a probe on the 1-Wire bus', () => {
    const device = rig();
    device.feed('w1_thermometer.temperature', [20, null, 24, null, 22]);
    expect(device.windows('w1_thermometer')).toEqual([[20, 24, 22, 22]]);
  });

  it('of Control include failed samples, because its firmware does not check them', () => {
    const device = rig({ profile: 'control', settings: { 'channel-mode-1': 'voltage' } });
    device.set('voltage.1.voltage', 12);
    device.until(0);
    device.feed('voltage.1.voltage', [12, null, 12, 12, 13]);
    expect(device.windows('voltage')).toEqual([[12, 13, Number.NaN, 12]]);
  });

  // The buffers hold 32 samples and 32 windows, in Control 64 of each, and for 1-Wire in Clime 128 samples and 32 windows
  // (behaviour B-12).
  it.each([
    ['clime', 'hygrometer', 32, 32],
    ['clime', 'soil_sensor', 32, 32],
    ['clime', 'w1_thermometer', 128, 32],
    ['control', 'voltage', 64, 64],
    ['control', 'w1_thermometer', 64, 64],
  ] as const)('and samples beyond the buffers are dropped: %s, %s', (profile, name, samples, windows) => {
    const settings = profile === 'control' ? { 'channel-mode-1': 'voltage' } : {};
    const slow = rig({
      profile,
      settings: {
        ...settings,
        [profile === 'clime' ? 'interval-aggreg' : 'analog-interval-aggreg']: 86_400,
        'w1-therm-interval-aggreg': 86_400,
      },
    });
    slow.until(hours(20));
    expect(slow.measurements.memory.sampleCount(slow.sensor(name))).toBe(samples);

    const offline = rig({ profile, settings });
    offline.until(hours(20));
    const { memory } = offline.measurements;
    expect(memory.windowCount(offline.sensor(name))).toBe(windows);
    expect(memory.windowTime(offline.sensor(name)) - BOOT / 1000).toBe(300);
  });

  it('leave the samples that follow a full buffer of windows for the next report', () => {
    const device = rig();
    device.set('hygrometer.temperature', 20);
    device.until(minutes(5 * 32));
    device.set('hygrometer.temperature', 30);
    device.until(hours(20));
    expect(device.windows('hygrometer')).toHaveLength(32);
    expect(device.windows('hygrometer').at(-1)).toEqual([20, 20, 20, 20]);
    expect(device.measurements.memory.sampleCount(device.sensor('hygrometer'))).toBe(32);
    device.measurements.clear(0);
    device.until(hours(20) + minutes(5));
    expect(device.windows('hygrometer')).toEqual([[30, 30, 30, 30]]);
  });

  it('are the same whether the memory had to grow for them or not', () => {
    const grown = rig();
    const roomy = rig({ settings: { 'interval-report': 86_400 } });
    for (const device of [grown, roomy]) {
      device.set('hygrometer.temperature', 30);
      device.until(hours(2));
      device.set('hygrometer.temperature', undefined);
      device.until(hours(3));
    }
    expect(grown.measurements.memory.layout).not.toBe(rig().measurements.memory.layout);
    for (const name of ['hygrometer', 'w1_thermometer', 'soil_sensor']) {
      expect(grown.windows(name)).toHaveLength(32);
      expect(grown.windows(name)).toEqual(roomy.windows(name));
    }
  });
});

describe('counters', () => {
  const counting = () => rig({ profile: steadily('control'), settings: { 'channel-mode-2': 'counter' } });

  it('count since boot, since the last window and since the last report', () => {
    const device = counting();
    const counter = device.sensor('counter', 2);
    const { memory } = device.measurements;
    device.until(hours(2));
    device.encode();
    const first = memory.total(counter, 0);
    // 500 an hour, give or take a stretch of ten minutes at either end.
    expect(Math.abs(first - 1000)).toBeLessThan(2 * 84);
    expect(memory.delta(counter, 0)).toBe(first);
    device.measurements.clear(0);
    device.until(hours(3));
    device.encode();
    expect(memory.delta(counter, 0)).toBe(memory.total(counter, 0) - first);
    const rows = Array.from({ length: memory.windowCount(counter) }, (_, w) =>
      [0, 1].map((c) => memory.window(counter, 0, w, c)),
    );
    expect(rows).toHaveLength(12);
    rows.forEach(([total = 0, delta = 0], i) => {
      if (i > 0) expect(total - delta).toBe(rows[i - 1]?.[0]);
    });
  });

  it('lose no pulses between a body and its acknowledgement', () => {
    const device = counting();
    const { memory, clear } = { memory: device.measurements.memory, clear: () => device.measurements.clear(0) };
    const counter = device.sensor('counter', 2);
    let sum = 0;
    for (let hour = 1; hour <= 5; hour++) {
      device.until(hours(hour));
      device.encode();
      sum += memory.delta(counter, 0);
      device.until(hours(hour) + minutes(4));
      clear();
    }
    device.until(hours(5) + minutes(4));
    device.encode();
    expect(sum + memory.delta(counter, 0)).toBe(memory.total(counter, 0));
  });

  it('follow a total that an override raises, and continue from it', () => {
    const device = counting();
    const counter = device.sensor('counter', 2);
    const total = () => {
      device.encode();
      return device.measurements.memory.total(counter, 0);
    };
    device.set('counter.2.pulses', 1000);
    const before = total();
    device.set('counter.2.pulses', 1042);
    expect(total() - before).toBe(42);
    device.until(hours(1));
    expect(total() - before).toBe(42);
    device.set('counter.2.pulses', undefined);
    expect(total() - before).toBe(42);
    device.until(hours(2));
    expect(Math.abs(total() - before - 42 - 500)).toBeLessThan(2 * 84);
  });

  it('of 32 bits wrap, those of 64 bits do not', () => {
    const device = counting();
    device.set('counter.2.pulses', 0);
    const begun = device.measurements.memory.total(device.sensor('counter', 2), 0);
    device.set('counter.2.pulses', 5_000_000_000);
    expect(device.measurements.memory.total(device.sensor('counter', 2), 0)).toBe(begun + 5_000_000_000);
    const motion = rig({ profile: 'motion' });
    motion.set('motion.detect_left', 0);
    const seen = motion.measurements.memory.total(motion.sensor('motion'), 0);
    motion.set('motion.detect_left', 0x8000_0000);
    expect(motion.measurements.memory.total(motion.sensor('motion'), 0)).toBe(seen - 0x8000_0000);
  });

  it('count no pulses when the total falls', () => {
    const device = counting();
    const counter = device.sensor('counter', 2);
    const { memory } = device.measurements;
    device.set('counter.2.pulses', 4_294_967_290);
    const before = memory.total(counter, 0);
    for (const total of [3_000_000_000, 20, 30, -5, 0]) device.set('counter.2.pulses', total);
    expect(memory.total(counter, 0) - before).toBe(10 + 5);
  });

  it('start at 0 after a reset', () => {
    const device = counting();
    device.until(hours(1));
    device.measurements.reset(device.sensor('counter', 2), BOOT + device.now);
    device.encode();
    expect(device.measurements.memory.total(device.sensor('counter', 2), 0)).toBe(0);
    expect(device.measurements.memory.windowCount(device.sensor('counter', 2))).toBe(0);
  });
});

describe('an override', () => {
  it('holds until it is released, whatever the range', () => {
    const device = rig();
    const usual = device.measurements.read('thermometer', 'temperature', BOOT);
    device.set('thermometer.temperature', 85);
    expect(device.measurements.read('thermometer', 'temperature', BOOT + days(1))).toBe(85);
    device.set('thermometer.temperature', undefined);
    expect(device.measurements.read('thermometer', 'temperature', BOOT)).toBe(usual);
  });

  it('is stored in the environment of the device', () => {
    const { environment, profile } = rig();
    environment.set(the(findQuantity(profile, 'thermometer.temperature')), 85);
    const signal = the(environment.signals(1, 0)[0]);
    expect(profile.sensors[1]?.name).toBe('thermometer');
    expect(environment.value(signal, BOOT)).toBe(85);
  });

  it('can be released twice', () => {
    const device = rig({ profile: 'control', settings: { 'channel-mode-2': 'counter' } });
    device.set('counter.2.pulses', 10);
    device.set('counter.2.pulses', undefined);
    const once = device.measurements.read('counter', 'pulses', BOOT + hours(1), 2);
    device.set('counter.2.pulses', undefined);
    expect(device.measurements.read('counter', 'pulses', BOOT + hours(1), 2)).toBe(once);
  });
});

describe('what a device measures', () => {
  const series = (seed: number, name: 'clime' | 'control') => {
    const environment = new Environment(the(profiles.get(name)), seed);
    const sensor = the(profiles.get(name)).sensors.findIndex((spec) => spec.name === 'soil_sensor');
    const signal = the(environment.signals(sensor, 0)[0]);
    return Array.from({ length: 50 }, (_, i) => environment.value(signal, BOOT + minutes(i)));
  };

  it('depends on its seed alone', () => {
    expect(series(1, 'clime')).toEqual(series(1, 'clime'));
    expect(series(1, 'clime')).not.toEqual(series(2, 'clime'));
  });

  it('by a sensor does not depend on the other sensors of the device type', () => {
    expect(series(1, 'clime')).toEqual(series(1, 'control'));
  });

  it('stays within the range of each quantity for a year', () => {
    const environment = new Environment(the(profiles.get('clime')), 99);
    the(profiles.get('clime')).sensors.forEach((spec, sensor) => {
      environment.signals(sensor, 0).forEach((signal) => {
        for (let day = 0; day < 365; day++) {
          const value = environment.value(signal, BOOT + days(day) + minutes(37 * day));
          expect(value, `${spec.name}.${signal.spec.name}`).toBeGreaterThanOrEqual(signal.spec.min);
          expect(value, `${spec.name}.${signal.spec.name}`).toBeLessThanOrEqual(signal.spec.max);
        }
      });
    });
  });

  it('comes from sensors with different serial numbers of 48 bits', () => {
    const numbers = Array.from({ length: 200 }, (_, seed) => {
      const { measurements, sensor } = rig({ seed });
      return ['w1_thermometer', 'soil_sensor'].map((name) =>
        measurements.environment.serialNumber(sensor(name).sensor, 0),
      );
    }).flat();
    expect(new Set(numbers).size).toBe(400);
    expect(Math.min(...numbers)).toBeGreaterThan(0);
    expect(Math.max(...numbers)).toBeLessThan(2 ** 48);
  });

  it('needs less than 1200 bytes of memory in a device at rest', () => {
    const device = rig();
    device.until(minutes(30));
    const { floats, ints } = device.measurements.memory;
    expect(4 * (floats.length + ints.length)).toBeLessThan(1200);
  });
});
