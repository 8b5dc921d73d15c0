import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Distribution } from '../../src/trace/distribution.js';

function distributionOf(...values: number[]): Distribution {
  const distribution = new Distribution();
  for (const value of values) distribution.record(value);
  return distribution;
}

describe('a distribution', () => {
  it('without values has a count of 0 and no other number', () => {
    const empty = new Distribution();
    expect([empty.count, empty.min, empty.max, empty.mean, empty.findPercentile(95), empty.spread()]).toEqual([
      0,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('counts its values in buckets: each has the values up to its bound', () => {
    const distribution = distributionOf(0, 5, 6, 100, 101, 5000);
    expect(distribution.countBuckets([5, 100, 1000])).toEqual([2, 2, 1, 1]);
    expect(new Distribution().countBuckets([5])).toEqual([0, 0]);
    const precise = new Distribution(1000);
    for (const value of [0.4, 0.5, 0.6]) precise.record(value);
    expect(precise.countBuckets([0.5])).toEqual([2, 1]);
  });

  it('rounds to whole milliseconds and counts a negative duration as 0', () => {
    expect(distributionOf(-3, 1.4).spread()).toMatchObject({ count: 2, min: 0, max: 1 });
  });

  it('has an exact minimum, maximum and mean, even where buckets are coarse', () => {
    const spread = distributionOf(1_234_567, 7_654_321).spread();
    expect(spread).toMatchObject({ min: 1_234_567, max: 7_654_321, mean: 4_444_444 });
  });

  it('has percentiles within a thousandth of the sorted values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2_600_000_000 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 100 }),
        (values, percent) => {
          const sorted = [...values].sort((a, b) => a - b);
          const exact = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
          const estimate = distributionOf(...values).findPercentile(percent) ?? Number.NaN;
          expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(Math.max(1, exact / 1000));
        },
      ),
    );
  });

  it('merged from parts equals one distribution of all values', () => {
    const values = [3, 40, 500, 6000];
    const merged = Distribution.merge([distributionOf(3, 500), new Distribution(), distributionOf(40, 6000)]);
    expect(merged.spread()).toEqual(distributionOf(...values).spread());
  });
});
