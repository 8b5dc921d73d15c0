/** The world around a device: weather, people, and the rhythm of the week. The tests check that the curves are plausible. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeModel } from '../../../src/device/environment/models/index.js';
import { warmth } from '../../../src/device/environment/models/people.js';
import { front, rain, rainfall } from '../../../src/device/environment/models/sky.js';
import { rhythm } from '../../../src/device/environment/models/week.js';
import { days, hours, minutes } from '../../../src/kernel/time.js';
import { type ModelSpec, RHYTHMS } from '../../../src/profile/models.js';
import { BOOT, rig } from '../measuring/fixtures.js';

const seeds = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const times = fc.integer({ min: 0, max: days(365) }).map((t) => BOOT + t);
/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5);

const around = (place: number) => ({ value: () => Number.NaN, voltage: () => 3.6, place });

/** Values of a function, one every `step` from `from` on. */
const sampled = (of: (at: number) => number, count: number, step: number, from = MONDAY) =>
  Array.from({ length: count }, (_, i) => of(from + i * step));

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function correlation(a: readonly number[], b: readonly number[]): number {
  const [ma, mb] = [mean(a), mean(b)];
  const covariance = mean(a.map((value, i) => (value - ma) * ((b[i] ?? 0) - mb)));
  const deviation = (values: readonly number[], m: number) => Math.sqrt(mean(values.map((value) => (value - m) ** 2)));
  return covariance / (deviation(a, ma) * deviation(b, mb));
}

describe('the weather front', () => {
  it('stays between a high and a low, and moves slowly', () => {
    fc.assert(
      fc.property(seeds, times, (place, at) => {
        const now = front(place, at);
        expect(Math.abs(now)).toBeLessThanOrEqual(1);
        expect(Math.abs(front(place, at + minutes(10)) - now)).toBeLessThan(0.06);
      }),
    );
  });

  it('correlates strongly with its value an hour later, and negatively with its value two days later', () => {
    const series = sampled((at) => front(7, at), 24 * 120, hours(1));
    expect(correlation(series.slice(0, -1), series.slice(1))).toBeGreaterThan(0.98);
    expect(correlation(series.slice(0, -48), series.slice(48))).toBeLessThan(0);
    expect(Math.abs(mean(series))).toBeLessThan(0.25);
  });

  it('differs between places', () => {
    const at = (place: number) => sampled((time) => front(place, time), 24 * 60, hours(1));
    expect(Math.abs(correlation(at(1), at(2)))).toBeLessThan(0.4);
  });
});

describe('rain', () => {
  const gauge = makeModel({ kind: 'rain', tips: 7 });
  const total = (place: number) => (at: number) => gauge.value(3, at, around(place));

  it('has a total that never decreases', () => {
    fc.assert(
      fc.property(seeds, times, fc.integer({ min: 0, max: days(3) }), (place, at, span) => {
        expect(total(place)(at + span)).toBeGreaterThanOrEqual(total(place)(at));
      }),
    );
  });

  it('brings seven tips a day in the long run, and leaves most hours and some whole days dry', () => {
    const daily = sampled(total(11), 401, days(1));
    const perDay = daily.slice(1).map((sum, i) => sum - (daily[i] ?? 0));
    expect(mean(perDay)).toBeGreaterThan(6.5);
    expect(mean(perDay)).toBeLessThan(7.5);
    expect(perDay.filter((tips) => tips === 0).length).toBeGreaterThan(80);
    const hourly = sampled(total(11), 24 * 60, hours(1));
    const wet = hourly.slice(1).filter((sum, i) => sum > (hourly[i] ?? 0)).length;
    expect(wet / hourly.length).toBeGreaterThan(0.05);
    expect(wet / hourly.length).toBeLessThan(0.25);
  });

  it('falls mostly in lows', () => {
    const hoursOfRain = sampled((at) => at, 24 * 120, hours(1)).filter((at) => rain(5, at) > 0.3);
    expect(hoursOfRain.length).toBeGreaterThan(50);
    expect(mean(hoursOfRain.map((at) => front(5, at)))).toBeGreaterThan(0.25);
  });

  it('counts showers one by one', () => {
    fc.assert(
      fc.property(seeds, times, (place, at) => {
        const { shower, part } = rainfall(place, at);
        const later = rainfall(place, at + minutes(20));
        expect(part).toBeGreaterThanOrEqual(0);
        expect(part).toBeLessThanOrEqual(1);
        expect([0, 1]).toContain(later.shower - shower);
      }),
    );
  });
});

describe('a meteo station', () => {
  const station = (seed: number) => {
    const device = rig({ profile: 'meteo', seed });
    const read = (sensor: string, quantity: string) => (at: number) =>
      device.measurements.read(sensor, quantity, at) ?? Number.NaN;
    return {
      temperature: read('hygrometer', 'temperature'),
      humidity: read('hygrometer', 'humidity'),
      pressure: read('barometer', 'pressure'),
      wind: read('anemometer', 'speed'),
      board: read('thermometer', 'temperature'),
    };
  };

  it('is warm and dry by day, and damp by night', () => {
    const { temperature, humidity } = station(21);
    const t = sampled(temperature, 24 * 28, hours(1), Date.UTC(2026, 5, 1));
    const h = sampled(humidity, 24 * 28, hours(1), Date.UTC(2026, 5, 1));
    expect(correlation(t, h)).toBeLessThan(-0.6);
    const byHour = (values: readonly number[], hour: number) => mean(values.filter((_, i) => i % 24 === hour));
    // The temperature varies by twice the swing of 4.8 K, or less under clouds.
    expect(byHour(t, 15) - byHour(t, 5)).toBeGreaterThan(5);
    expect(byHour(t, 15) - byHour(t, 5)).toBeLessThan(2 * 4.8);
  });

  it('has summer and winter', () => {
    const { temperature } = station(22);
    const july = mean(sampled(temperature, 31 * 8, hours(3), Date.UTC(2026, 6, 1)));
    const january = mean(sampled(temperature, 31 * 8, hours(3), Date.UTC(2026, 0, 1)));
    expect(july - january).toBeGreaterThan(16);
    expect(july - january).toBeLessThan(24);
  });

  it('has wind when the pressure is low, and two thermometers that agree', () => {
    const { pressure, wind, temperature, board } = station(23);
    const days60 = (of: (at: number) => number) => sampled(of, 24 * 60, hours(1));
    expect(correlation(days60(pressure), days60(wind))).toBeLessThan(-0.4);
    expect(correlation(days60(temperature), days60(board))).toBeGreaterThan(0.85);
  });

  it('stays within what its sensors can show', () => {
    fc.assert(
      fc.property(seeds, times, (seed, at) => {
        const { humidity, wind, pressure, temperature } = station(seed);
        expect(humidity(at)).toBeLessThanOrEqual(100);
        expect(humidity(at)).toBeGreaterThanOrEqual(0);
        expect(wind(at)).toBeGreaterThanOrEqual(0);
        expect(Math.abs(pressure(at) - 100_000)).toBeLessThanOrEqual(5000);
        expect(Math.abs(temperature(at) - 15)).toBeLessThanOrEqual(45);
      }),
      { numRuns: 40 },
    );
  });
});

describe('people', () => {
  /** `part`, limited to the range from 0 to 1. */
  const within = (part: number) => Math.min(Math.max(part, 0), 1);
  /** The probability that a person is at lunch at `hour`. Lunch starts between 11:15 and 12:30 and takes 25 to 60 min. */
  const atLunch = (hour: number) =>
    mean(
      Array.from({ length: 500 }, (_, i) => {
        const since = 60 * (hour - 11.25 - (1.25 * (i + 0.5)) / 500);
        return since < 0 ? 0 : within((60 - since) / 35);
      }),
    );
  /** The expected share of people present at `hour`: nine of ten come between 7 and 9 h, and leave between 15:30 and 18 h. */
  const present = (hour: number) => 0.9 * within((hour - 7) / 2) * within((18 - hour) / 2.5) * (1 - atLunch(hour));
  /** Pairs of minutes and weight: the people who were present that many minutes ago warm the room with this weight now. */
  const MEMORY = [
    [0, 0.1],
    [10, 0.2],
    [25, 0.22],
    [40, 0.2],
    [60, 0.16],
    [90, 0.12],
  ] as const;
  const places = (count: number, hour: number, day = 0) =>
    Array.from({ length: count }, (_, place) => warmth(place, MONDAY + days(day) + hours(hour)));

  it('warm a room by their number in the last 90 minutes, through arrival, lunch and departure', () => {
    // 300 places with 6 people each: the standard deviation of the mean is at most 0.5 / sqrt(1800) = 0.012.
    for (let hour = 6; hour <= 21; hour += 0.25) {
      const expected = MEMORY.reduce((sum, [ago, weight]) => sum + weight * present(hour - ago / 60), 0);
      expect(Math.abs(mean(places(300, hour, 1)) - expected), `at ${hour} h`).toBeLessThan(4 * 0.012);
    }
  });

  it('do not come before 7 h or on a weekend', () => {
    expect(mean(places(300, 3))).toBe(0);
    expect(mean(places(300, 6.99))).toBe(0);
    expect(mean(places(300, 7.1))).toBeGreaterThan(0);
    expect(mean(places(300, 10.5, 4))).toBeGreaterThan(0.8);
    expect(mean(places(300, 10.5, 5))).toBe(0);
    expect(mean(places(300, 10.5, 6))).toBe(0);
  });

  it('have left by 18 h, and warm the room until 19:30', () => {
    // At 19 h, only the share of 90 minutes ago is left: each of the six people who was present at 17:30 adds 0.12 / 6, which
    // is 1 / 50. With a person who was present at 18 h or later, the sum would not be a multiple of 1 / 50.
    const warm = places(2000, 19);
    expect(Math.max(...warm)).toBeGreaterThan(0);
    for (const value of warm) expect(Math.abs(value * 50 - Math.round(value * 50))).toBeLessThan(1e-9);
    expect(Math.max(...places(2000, 19.5))).toBe(0);
  });

  it('make the air of a room worse, for all sensors of a device at the same time', () => {
    const calm = { spread: 0, swing: 0, drift: 0, noise: 0, season: 0, front: 0, rain: 0, gusts: 0 };
    const of = (spec: ModelSpec) => sampled((at) => makeModel(spec).value(1, at, around(99)), 7 * 24 * 4, minutes(15));
    const co2 = of({ kind: 'daily', ...calm, mean: 420, people: 700 });
    const warmer = of({ kind: 'daily', ...calm, mean: 21, people: 1.5 });
    expect(correlation(co2, warmer)).toBeCloseTo(1);
    expect(Math.min(...co2)).toBe(420);
    expect(Math.max(...co2)).toBeGreaterThan(900);
    expect(Math.max(...co2)).toBeLessThanOrEqual(1120);
  });
});

describe('a rhythm', () => {
  it.each(RHYTHMS)('%s: the active time always rises, can be inverted, and advances by a week in a week', (name) => {
    const { activeTime, wallAt, peak } = rhythm(name);
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: hours(5) }), (at, span) => {
        const active = activeTime(at);
        expect(activeTime(at + span)).toBeGreaterThan(active);
        expect(activeTime(at + span) - active).toBeLessThanOrEqual(peak * span + 0.01);
        expect(Math.abs(wallAt(active) - at)).toBeLessThan(1);
        expect(Math.abs(activeTime(at + days(7)) - active - days(7))).toBeLessThan(1);
      }),
    );
  });

  it('puts pulses into the hours in which people are present, and keeps the mean rate', () => {
    const perHour = (by: (typeof RHYTHMS)[number], day: number, hour: number) => {
      const model = makeModel({ kind: 'pulses', perHour: 100, by });
      const from = MONDAY + days(day) + hours(hour);
      return mean(
        Array.from(
          { length: 50 },
          (_, seed) => model.value(seed, from + hours(1), around(0)) - model.value(seed, from, around(0)),
        ),
      );
    };
    expect(perHour('home', 1, 7)).toBeGreaterThan(180);
    expect(perHour('home', 1, 3)).toBeLessThan(20);
    expect(perHour('office', 2, 10)).toBeGreaterThan(250);
    expect(perHour('office', 5, 10)).toBeLessThan(15);
    expect(perHour('shop', 5, 10)).toBeGreaterThan(250);
    expect(perHour('shifts', 6, 10)).toBeLessThan(20);
    expect(perHour('even', 6, 3)).toBeCloseTo(100, -1);
    for (const by of RHYTHMS) {
      const week = makeModel({ kind: 'pulses', perHour: 100, by });
      const count = week.value(5, MONDAY + days(7), around(0)) - week.value(5, MONDAY, around(0));
      expect(Math.abs(count - 16_800)).toBeLessThan(40);
    }
  });

  it('lets a button be pressed exactly at the times of the model', () => {
    const button = makeModel({ kind: 'presses', perDay: 20, by: 'shop' });
    fc.assert(
      fc.property(seeds, times, (seed, at) => {
        const next = button.nextChange?.(seed, at) ?? 0;
        const before = button.value(seed, at, around(0));
        expect(next).toBeGreaterThan(at);
        expect(button.value(seed, next - 1, around(0))).toBe(before);
        expect(button.value(seed, next, around(0))).toBe(before + 1);
      }),
    );
  });

  it('lets a door open and close exactly at the times of the model', () => {
    const door = makeModel({ kind: 'switch', perDay: 24, stays: minutes(10), by: 'shifts' });
    fc.assert(
      fc.property(seeds, times, (seed, at) => {
        const next = door.nextChange?.(seed, at) ?? 0;
        const now = door.value(seed, at, around(0));
        const after = door.nextChange?.(seed, next) ?? 0;
        expect(next).toBeGreaterThan(at);
        expect(door.value(seed, next - 1, around(0))).toBe(now);
        expect(door.value(seed, next, around(0))).toBe(1 - now);
        if (now === 0) expect(after - next).toBeLessThanOrEqual(minutes(10));
        else expect(after).toBeGreaterThan(next);
      }),
    );
  });
});

describe('a tank', () => {
  const tank = makeModel({ kind: 'tank', full: 0.4, empty: 3, lasts: days(5), spread: 0, noise: 0, by: 'home' });

  it('is emptied bit by bit and filled within hours; its level stays within its limits', () => {
    const level = sampled((at) => tank.value(1, at, around(8)), 24 * 100, hours(1));
    expect(Math.min(...level)).toBeGreaterThanOrEqual(0.4);
    expect(Math.max(...level)).toBeLessThanOrEqual(3);
    const steps = level.slice(1).map((value, i) => value - (level[i] ?? 0));
    const filling = steps.filter((step) => step < 0).length;
    // Fillings take a fiftieth of the time.
    expect(filling / steps.length).toBeLessThan(0.06);
    expect(Math.max(...steps)).toBeLessThan(0.15);
    // Twenty fillings in a hundred days.
    expect(steps.filter((step, i) => step < 0 && (steps[i - 1] ?? 0) >= 0).length).toBe(20);
  });

  it('has one level that all its sensors follow, each with its own readings', () => {
    const cells = rig({ profile: 'scale' });
    const read = (name: string) => sampled((at) => cells.measurements.read('weight', name, at) ?? 0, 24 * 20, hours(1));
    expect(correlation(read('raw_result_a1'), read('raw_result_b2'))).toBeGreaterThan(0.99);
    expect(mean(read('raw_result_a1'))).not.toBeCloseTo(mean(read('raw_result_b2')), -2);
  });
});

describe('adding a sensor', () => {
  it('does not change the values of the other sensors', () => {
    const { profile } = rig({ profile: 'meteo' });
    const [first] = profile.sensors;
    const more = { ...profile, sensors: [...profile.sensors, ...(first ? [{ ...first, name: 'another' }] : [])] };
    const shows = (type: typeof profile) => rig({ profile: type }).measurements.read('anemometer', 'speed', MONDAY);
    expect(shows(more)).toBe(shows(profile));
  });
});
