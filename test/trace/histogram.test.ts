import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { days } from '../../src/kernel/time.js';
import { findRank, Histogram, roundUp } from '../../src/trace/histogram.js';

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

/** Durations of all magnitudes with equal probability: a power of two plus a part of it. */
const duration = fc
  .tuple(fc.integer({ min: 0, max: 29 }), fc.double({ min: 1, max: 2, noNaN: true }))
  .map(([octave, part]) => Math.min(days(10), Math.floor(2 ** octave * part)));

describe('a histogram', () => {
  it.each([
    [0, 0],
    [2047, 2047],
    [2048, 2049],
    [2049, 2049],
    [4095, 4095],
    [4096, 4099],
    // Values around 2^32, which need more than 32 bits.
    [4_294_967_295, 4_294_967_295],
    [4_294_967_296, 4_299_161_599],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('has %d in the bucket that ends at %d', (value, end) => {
    expect(roundUp(value)).toBe(end);
    expect(histogramOf([value]).findAtRanks([1])).toEqual([end]);
  });

  it('has each value from 1 ms to 10 days at its rank, at most 0.1 % too large', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 300 }), (values) => {
        const histogram = histogramOf(values);
        const sorted = [...values].sort((a, b) => a - b);
        const found = histogram.findAtRanks(sorted.map((_, i) => i + 1));
        sorted.forEach((value, i) => {
          const read = found[i] ?? Number.NaN;
          expect(read).toBeGreaterThanOrEqual(value);
          expect(read - value).toBeLessThanOrEqual(value / 1000);
        });
      }),
    );
  });

  it('has the same counts as the sum of its parts, however the values are divided among them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(duration, fc.nat(3)), { maxLength: 200 }), (split) => {
        const sum = new Histogram();
        for (let part = 0; part < 4; part++) {
          sum.add(histogramOf(split.flatMap(([value, of]) => (of === part ? value : []))));
        }
        const whole = histogramOf(split.map(([value]) => value));
        expect([sum.count, sum.listPairs()]).toEqual([whole.count, whole.listPairs()]);
      }),
    );
  });

  it('lists the least value of each bucket with its count, ascending', () => {
    expect(histogramOf([5000, 3, 5001, 3, 0, 5003, 5004]).listPairs()).toEqual([0, 1, 3, 2, 5000, 3, 5004, 1]);
  });
});

describe('the memory of a histogram', () => {
  it('has one count for equal values, however many there are', () => {
    const histogram = histogramOf(new Array(10_000).fill(123_500));
    expect([histogram.count, histogram.listPairs()]).toEqual([10_000, [123_456, 10_000]]);
  });
});

describe('the rank of a percentile', () => {
  it.each([
    [50, 1, 1],
    [50, 2, 1],
    [50, 3, 2],
    // 0.95 * 20 is a little more than 19 in floating point.
    [95, 20, 19],
    // 95 % of 31 is 29.45: 29 values are fewer than 95 %.
    [95, 31, 30],
    [99, 100, 99],
    [100, 7, 7],
    [0, 7, 1],
  ])('%d of %d values is %d', (percent, count, rank) => {
    expect(findRank(percent, count)).toBe(rank);
  });
});
