import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Distribution } from '../../src/trace/distribution.js';

function distributionOf(...values: number[]): Distribution {
  const distribution = new Distribution();
  for (const value of values) distribution.record(value);
  return distribution;
}

describe('a distribution', () => {
  test('that is empty has no numbers, only a count of 0', () => {
    const empty = new Distribution();
    expect([empty.count, empty.min, empty.max, empty.mean, empty.percentile(95), empty.spread()]).toEqual([
      0,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('rounds to whole milliseconds and takes a negative duration for 0', () => {
    expect(distributionOf(-3, 1.4).spread()).toMatchObject({ count: 2, min: 0, max: 1 });
  });

  test('knows least, greatest and mean exactly, also where its buckets are coarse', () => {
    const spread = distributionOf(1_234_567, 7_654_321).spread();
    expect(spread).toMatchObject({ min: 1_234_567, max: 7_654_321, mean: 4_444_444 });
  });

  test('has percentiles within a thousandth of the sorted values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2_600_000_000 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 100 }),
        (values, percent) => {
          const sorted = [...values].sort((a, b) => a - b);
          const exact = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
          const estimate = distributionOf(...values).percentile(percent) ?? Number.NaN;
          expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(Math.max(1, exact / 1000));
        },
      ),
    );
  });

  test('merged from parts is the same as recorded in one', () => {
    const values = [3, 40, 500, 6000];
    const merged = Distribution.merged([distributionOf(3, 500), new Distribution(), distributionOf(40, 6000)]);
    expect(merged.spread()).toEqual(distributionOf(...values).spread());
  });
});
