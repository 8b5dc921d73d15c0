import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST, SeriesSet } from '../../../src/cloud/history/series.js';

describe('a series', () => {
  it('has minimum, mean and maximum of the samples in each bucket, and null where there is none', () => {
    const series = new SeriesSet(['a', 'b'], 1000, 100);
    series.add(1000, { a: 1 });
    series.add(1099, { a: 4, b: 7 });
    series.add(1250, { a: 2 });
    expect(series.read('a')).toEqual({ min: [1, null, 2], mean: [2.5, null, 2], max: [4, null, 2] });
    expect(series.read('b')).toEqual({ min: [7, null, null], mean: [7, null, null], max: [7, null, null] });
  });

  it('never has more than 600 buckets, and keeps every extreme, however long it runs', () => {
    const samples = fc.array(fc.record({ at: fc.integer({ min: 0, max: 1e7 }), a: fc.integer() }), { minLength: 1 });
    fc.assert(
      fc.property(samples, (given) => {
        const series = new SeriesSet(['a'], 0, 10);
        const ordered = [...given].sort((x, y) => x.at - y.at);
        for (const { at, a } of ordered) series.add(at, { a });
        const { min, max } = series.read('a');
        expect(min.length).toBeLessThanOrEqual(MOST);
        expect(min.length * series.length).toBeGreaterThan(ordered.at(-1)?.at ?? 0);
        for (const { at, a } of ordered) {
          const bucket = Math.floor(at / series.length);
          expect(min[bucket]).toBeLessThanOrEqual(a);
          expect(max[bucket]).toBeGreaterThanOrEqual(a);
        }
      }),
    );
  });

  it('can forget its oldest buckets instead', () => {
    const series = new SeriesSet(['a'], 0, 10, 3);
    for (const at of [0, 10, 20, 41]) series.add(at, { a: at });
    expect([series.from, series.length, series.read('a').mean]).toEqual([20, 10, [20, null, 41]]);
    series.add(1000, { a: 7 });
    expect([series.from, series.read('a').mean]).toEqual([980, [null, null, 7]]);
  });

  it('weighs the mean of merged buckets by their samples', () => {
    const series = new SeriesSet(['a'], 0, 1);
    for (const a of [6, 6, 6]) series.add(0, { a });
    series.add(1, { a: 2 });
    series.add(MOST, { a: 0 });
    expect([series.length, series.read('a').mean[0]]).toEqual([2, 5]);
  });
});
