import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeModel } from '../../../src/device/environment/models/index.js';
import type { Others } from '../../../src/device/environment/models/model.js';
import { days, hours, minutes } from '../../../src/kernel/time.js';
import type { DailyModel, ModelSpec } from '../../../src/profile/models.js';
import { BOOT, rig } from '../measuring/fixtures.js';

const alone: Others = { value: () => Number.NaN, voltage: (underLoad) => (underLoad ? 3.5 : 3.6), place: 4711 };
const seeds = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const times = fc.integer({ min: 0, max: days(365) }).map((t) => BOOT + t);

/** Options of a daily model; options that are not given have no effect. */
const daily = (options: Partial<DailyModel>): DailyModel => ({ ...CALM, ...options });
const CALM: DailyModel = {
  kind: 'daily',
  mean: 0,
  spread: 0,
  swing: 0,
  drift: 0,
  noise: 0,
  season: 0,
  front: 0,
  rain: 0,
  people: 0,
  gusts: 0,
};

const model = (spec: ModelSpec) => makeModel(spec);

describe('every model', () => {
  const specs: readonly ModelSpec[] = [
    { kind: 'constant', value: 24, spread: 1, noise: 0.5 },
    daily({ mean: 20, spread: 2, swing: 3, drift: 4, noise: 0.5, season: 9, front: 2, rain: 1, people: 1, gusts: 0.2 }),
    { kind: 'pulses', perHour: 100, by: 'even' },
    { kind: 'pulses', perHour: 100, by: 'home' },
    { kind: 'meter', perHour: 0.9 },
    { kind: 'rain', tips: 6 },
    { kind: 'tank', full: 0.4, empty: 3, lasts: days(5), spread: 0.1, noise: 0.01, by: 'shifts' },
    { kind: 'presses', perDay: 8, by: 'shop' },
    { kind: 'direction', step: 22.5, drift: 60, front: 40, noise: 30 },
    { kind: 'switch', perDay: 10, stays: minutes(20), by: 'office' },
    { kind: 'battery', shows: 'load' },
  ];

  it.each(specs)('has the same value at the same time, however often it is read: $kind', (spec) => {
    fc.assert(
      fc.property(seeds, times, times, (seed, a, b) => {
        const one = model(spec);
        const before = one.value(seed, a, alone);
        one.value(seed, b, alone);
        one.value(seed ^ 1, a, alone);
        expect(one.value(seed, a, alone)).toBe(before);
      }),
    );
  });
});

describe('a constant', () => {
  it('differs between devices, within its spread', () => {
    const values = Array.from({ length: 200 }, (_, seed) =>
      model({ kind: 'constant', value: 24, spread: 1, noise: 0 }).value(seed, BOOT, alone),
    );
    expect(Math.min(...values)).toBeGreaterThan(23);
    expect(Math.max(...values)).toBeLessThan(25);
    expect(new Set(values).size).toBeGreaterThan(190);
  });
});

describe('a daily model', () => {
  const calm = model(daily({ mean: 20, spread: 0, swing: 5, drift: 0 }));
  const at = (hour: number) => calm.value(1, BOOT + hours(hour), alone);

  it('is highest in the afternoon and lowest before dawn', () => {
    expect(at(5)).toBeCloseTo(15);
    expect(at(15)).toBeCloseTo(25);
    expect(at(29)).toBeCloseTo(15);
  });

  it('has no step at midnight', () => {
    expect(Math.abs(calm.value(1, BOOT + days(1) - 1, alone) - calm.value(1, BOOT + days(1), alone))).toBeLessThan(
      0.001,
    );
  });

  it('drifts with the weather, slowly and within its limit', () => {
    const weather = model(daily({ mean: 20, spread: 0, swing: 0, drift: 3 }));
    const series = Array.from({ length: 1000 }, (_, i) => weather.value(7, BOOT + minutes(10 * i), alone));
    const steps = series.slice(1).map((value, i) => Math.abs(value - (series[i] ?? 0)));
    expect(Math.min(...series)).toBeGreaterThanOrEqual(17);
    expect(Math.max(...series)).toBeLessThanOrEqual(23);
    expect(Math.max(...series) - Math.min(...series)).toBeGreaterThan(2);
    // The drift takes 8 h (48 steps) from one end of its range of 6 to the other. A smooth curve is 1.5 times as steep in its
    // middle as on average: 6 * 1.5 / 48 is below 0.19.
    expect(Math.max(...steps)).toBeLessThan(0.19);
  });
});

describe('a meter', () => {
  const meter = model({ kind: 'meter', perHour: 2 });

  it('grows evenly, at a rate that differs between meters', () => {
    const grown = (seed: number, hoursLong: number) =>
      meter.value(seed, BOOT + hours(hoursLong), alone) - meter.value(seed, BOOT, alone);
    const rates = Array.from({ length: 200 }, (_, seed) => grown(seed, 1));
    expect(Math.min(...rates)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...rates)).toBeLessThanOrEqual(3);
    expect(new Set(rates).size).toBeGreaterThan(190);
    expect(grown(1, 10)).toBeCloseTo(10 * grown(1, 1), 6);
  });

  it('has counted since before the start of the device', () => {
    expect(meter.value(1, BOOT, alone)).toBeGreaterThan(10_000);
  });
});

describe('pulses', () => {
  it('have a count that never falls and that grows at the mean rate', () => {
    const pulses = model({ kind: 'pulses', perHour: 500, by: 'even' });
    fc.assert(
      fc.property(seeds, times, fc.integer({ min: 0, max: days(2) }), (seed, from, span) => {
        const count = pulses.value(seed, from + span, alone) - pulses.value(seed, from, alone);
        // The span begins within one stretch of ten minutes and ends within another. In each of the two stretches, the count
        // may be off by the mean count of a stretch: 500 / 6, rounded up to 84.
        expect(count).toBeGreaterThanOrEqual(0);
        expect(Math.abs(count - (500 * span) / hours(1))).toBeLessThan(2 * 84);
      }),
    );
  });
});

describe('presses', () => {
  const button = model({ kind: 'presses', perDay: 8, by: 'even' });

  it('come one at a time, exactly at their announced times', () => {
    fc.assert(
      fc.property(seeds, times, (seed, from) => {
        const next = button.nextChange?.(seed, from) ?? 0;
        const before = button.value(seed, from, alone);
        expect(next).toBeGreaterThan(from);
        expect(button.value(seed, next - 1, alone)).toBe(before);
        expect(button.value(seed, next, alone)).toBe(before + 1);
      }),
    );
  });

  it('have the mean rate', () => {
    const count = button.value(3, BOOT + days(10), alone) - button.value(3, BOOT, alone);
    expect(Math.abs(count - 80)).toBeLessThanOrEqual(1);
  });
});

describe('a direction', () => {
  it('is a multiple of the step of the vane, anywhere on the full circle', () => {
    const vane = model({ kind: 'direction', step: 22.5, drift: 60, front: 0, noise: 30 });
    const shown = new Set<number>();
    fc.assert(
      fc.property(seeds, times, (seed, at) => {
        const degrees = vane.value(seed, at, alone);
        shown.add(degrees);
        expect(degrees % 22.5).toBe(0);
        expect(degrees).toBeGreaterThanOrEqual(0);
        expect(degrees).toBeLessThan(360);
      }),
    );
    expect(shown.size).toBeGreaterThan(10);
  });
});

describe('a switch', () => {
  const contact = model({ kind: 'switch', perDay: 24, stays: minutes(20), by: 'even' });

  it('changes exactly at its announced times', () => {
    fc.assert(
      fc.property(seeds, times, (seed, from) => {
        const next = contact.nextChange?.(seed, from) ?? 0;
        const now = contact.value(seed, from, alone);
        expect(next).toBeGreaterThan(from);
        expect(contact.value(seed, next - 1, alone)).toBe(now);
        expect(contact.value(seed, Math.floor((from + next) / 2), alone)).toBe(now);
        expect(contact.value(seed, next, alone)).toBe(1 - now);
      }),
    );
  });

  it('closes at the mean rate, and not for longer than its limit', () => {
    let at = BOOT;
    let closed = 0;
    let longest = 0;
    for (;;) {
      const next = contact.nextChange?.(5, at) ?? 0;
      if (next >= BOOT + days(10)) break;
      if (contact.value(5, next, alone) === 1) closed++;
      else longest = Math.max(longest, next - at);
      at = next;
    }
    expect(closed).toBe(240);
    expect(longest).toBeLessThanOrEqual(minutes(20));
    expect(longest).toBeGreaterThan(minutes(15));
  });

  it('may never close', () => {
    const never = model({ kind: 'switch', perDay: 0, stays: 0, by: 'even' });
    expect(never.nextChange?.(1, BOOT)).toBe(Number.POSITIVE_INFINITY);
    expect(never.value(1, BOOT, alone)).toBe(0);
  });
});

describe('a battery', () => {
  it('shows the voltage of the device at rest and under load', () => {
    expect(model({ kind: 'battery', shows: 'rest' }).value(9, BOOT, alone)).toBe(3.6);
    expect(model({ kind: 'battery', shows: 'load' }).value(9, BOOT, alone)).toBe(3.5);
  });

  it('gives a current that matches its load voltage', () => {
    const { measurements } = rig();
    const load = measurements.read('battery', 'voltage_load', BOOT) ?? 0;
    expect(load).toBeGreaterThan(3.4);
    // U / 100 ohms, in milliamperes.
    expect(measurements.read('battery', 'current_load', BOOT)).toBeCloseTo(10 * load);
  });
});

describe('orientation', () => {
  it.each([
    [0, 0, 9.8, 2],
    [0, 0, -9.8, 5],
    [9.8, 0, 0, 6],
    [-9.8, 0, 0, 1],
    [0, 9.8, 0, 3],
    [0, -9.8, 0, 4],
    [5, 5, 5, 0],
  ])('for the accelerations %f, %f, %f m/s² is %i', (x, y, z, expected) => {
    const device = rig();
    device.set('accelerometer.accel_x', x);
    device.set('accelerometer.accel_y', y);
    device.set('accelerometer.accel_z', z);
    expect(device.measurements.read('accelerometer', 'orientation', BOOT)).toBe(expected);
  });

  it('has no value if an axis has none', () => {
    const device = rig();
    device.set('accelerometer.accel_x', null);
    expect(device.measurements.read('accelerometer', 'orientation', BOOT)).toBeUndefined();
  });
});
