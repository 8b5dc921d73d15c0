import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statistics } from '../../../src/device/measuring/statistics.js';

/** Minimum, maximum, average and median of the samples. With `voids`, a NaN sample makes all four NaN. */
function of(samples: readonly number[], voids = true): number[] {
  const floats = Float32Array.from([...samples, -1, -1, -1, -1]);
  statistics(floats, 0, 1, samples.length, samples.length, voids);
  return [...floats.subarray(samples.length)];
}

describe('the statistics of a window', () => {
  it.each([
    [[4], [4, 4, 4, 4]],
    [
      [3, 1, 2],
      [1, 3, 2, 2],
    ],
    // The median is element n/2 of the sorted samples: 3 of 1, 2, 3, 4, not 2.5.
    [
      [4, 1, 3, 2],
      [1, 4, 2.5, 3],
    ],
    [
      [-5, -5, 10],
      [-5, 10, 0, -5],
    ],
  ])('of %j are %j', (samples, expected) => {
    expect(of(samples)).toEqual(expected);
  });

  it('are all NaN without samples', () => {
    expect(of([])).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  });

  it('are all NaN if a sample is NaN', () => {
    expect(of([1, Number.NaN, 3])).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  });

  it('include NaN like a number in firmware without a check', () => {
    // The sort moves nothing, because it compares with NaN. The sum becomes NaN.
    expect(of([3, Number.NaN, 1], false)).toEqual([3, 1, Number.NaN, Number.NaN]);
  });

  it('agree with a straightforward sort, and leave the samples as they were', () => {
    const sample = fc.float({ min: -1000, max: 1000, noNaN: true });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 128 }), (samples) => {
        const sorted = [...samples].sort((a, b) => a - b);
        const average = samples.reduce((sum, value) => sum + value, 0) / samples.length;
        const [min, max, avg, mdn] = of(samples);
        // -0 and 0 are the same temperature.
        expect([min, max, mdn].map((v) => (v ?? 0) + 0)).toEqual(
          [sorted[0], sorted.at(-1), sorted[samples.length >> 1]].map((v) => (v ?? 0) + 0),
        );
        expect(avg).toBeCloseTo(average, 2);
      }),
    );
  });

  it('take every n-th number, for sensors with several quantities', () => {
    const floats = Float32Array.from([1, 100, 2, 200, 3, 300, 0, 0, 0, 0]);
    statistics(floats, 1, 2, 3, 6, true);
    expect([...floats]).toEqual([1, 100, 2, 200, 3, 300, 100, 300, 200, 200]);
  });
});
