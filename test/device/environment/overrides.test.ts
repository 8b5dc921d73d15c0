/** Overrides of a signal, as functions of time: the same values however often, and in whatever order, they are read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  nextPulse,
  type PulseTrain,
  pulsesGiven,
  type Waveform,
  waveformChange,
  waveformValue,
} from '../../../src/device/environment/overrides.js';
import { seriesChange, seriesValue } from '../../../src/device/environment/series.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { BOOT, rig } from '../measuring/fixtures.js';

const offsets = fc.integer({ min: -hours(1), max: hours(3) });
const trains = fc.record({
  start: fc.constant(BOOT),
  every: fc.integer({ min: 0, max: minutes(5) }),
  times: fc.integer({ min: 1, max: 50 }),
});

describe('a ramp', () => {
  it('stays between its two values, and keeps exactly its last value after its end', () => {
    const ends = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(ends, ends, fc.integer({ min: 0, max: hours(2) }), offsets, (from, to, over, at) => {
        const ramp: Waveform = { kind: 'ramp', from, to, start: BOOT, over };
        const value = waveformValue(ramp, BOOT + at) ?? Number.NaN;
        expect(value).toBeGreaterThanOrEqual(Math.min(from, to) - 1e-9);
        expect(value).toBeLessThanOrEqual(Math.max(from, to) + 1e-9);
        if (at >= over) expect(value).toBe(to);
      }),
    );
  });
});

describe('a train of pulses', () => {
  it('has each pulse exactly at its announced time, and no more pulses than requested', () => {
    fc.assert(
      fc.property(trains, offsets, (train: PulseTrain, at) => {
        const before = pulsesGiven(train, BOOT + at);
        const next = nextPulse(train, BOOT + at);
        expect(before).toBeLessThanOrEqual(train.times);
        if (before === train.times) expect(next).toBe(Number.POSITIVE_INFINITY);
        else {
          expect(next).toBeGreaterThan(BOOT + at);
          expect(pulsesGiven(train, next - 1)).toBe(before);
          expect(pulsesGiven(train, next)).toBeGreaterThan(before);
        }
      }),
    );
  });
});

describe('a contact that closes repeatedly', () => {
  it('closes exactly at its announced times, and follows the model otherwise', () => {
    const shape = fc.record({ every: fc.integer({ min: 2, max: minutes(5) }), times: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(shape, fc.double({ min: 0.01, max: 0.99, noNaN: true }), offsets, ({ every, times }, part, at) => {
        const stays = Math.max(1, Math.floor(part * every));
        const waveform: Waveform = { kind: 'blinks', train: { start: BOOT, every, times }, stays };
        const now = waveformValue(waveform, BOOT + at);
        const change = waveformChange(waveform, BOOT + at);
        if (at < 0) expect(now).toBeUndefined();
        if (change === Number.POSITIVE_INFINITY) expect(now).toBeUndefined();
        else {
          expect(waveformValue(waveform, change - 1)).toBe(now);
          expect(waveformValue(waveform, change)).not.toBe(now);
        }
      }),
    );
  });
});

describe('a series', () => {
  const rows = fc
    .uniqueArray(fc.integer({ min: 1, max: hours(2) }), { minLength: 1, maxLength: 30 })
    .map((times) => [0, ...times.sort((a, b) => a - b)]);

  it('has the value of each row at the time of the row; between two rows, its value lies between their values', () => {
    fc.assert(
      fc.property(rows, offsets, fc.boolean(), (times, at, stepped) => {
        const series = { times, values: times.map((_, i) => (i * 37) % 11) };
        const row = Math.max(
          0,
          times.findLastIndex((time) => time <= at),
        );
        const [from = 0, to = from] = series.values.slice(row, row + 2);
        const value = seriesValue(series, at, stepped);
        if (stepped || times[row] === at || at < 0) expect(value).toBe(from);
        expect(value).toBeGreaterThanOrEqual(Math.min(from, to));
        expect(value).toBeLessThanOrEqual(Math.max(from, to));
        const next = times.find((time) => time > at) ?? Number.POSITIVE_INFINITY;
        expect(seriesChange(series, at)).toBe(next);
      }),
    );
  });
});

describe('an override of a running total', () => {
  const device = () => rig({ profile: 'push' });
  const address = (of: ReturnType<typeof rig>) => {
    const sensor = of.profile.sensors.findIndex(({ name }) => name === 'button');
    return { sensor, number: 1, quantity: 0 };
  };

  it('never lets the total fall, whatever the order of changes', () => {
    const actions = fc.array(fc.constantFrom('hold', 'give', 'free', 'wait'), { maxLength: 12 });
    fc.assert(
      fc.property(actions, (list) => {
        const one = device();
        const { environment } = one;
        const button = address(one);
        const signal = environment.signal(button);
        let at = BOOT;
        let last = environment.value(signal, at);
        for (const action of list) {
          at += minutes(7);
          last = Math.max(last, environment.value(signal, at));
          if (action === 'hold') environment.set(button, last + 3);
          else if (action === 'give') environment.give(button, { start: at, every: seconds(30), times: 20 });
          else if (action === 'free') environment.free(button, at);
          const shown = environment.value(signal, at);
          expect(shown).toBeGreaterThanOrEqual(last);
          last = shown;
        }
      }),
      { numRuns: 50 },
    );
  });
});
