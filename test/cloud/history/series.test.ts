import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST, SeriesSet } from '../../../src/cloud/history/series.js';

describe('a series', () => {
  it('has minimum, mean and maximum of the samples in each bucket, and null where there is none', () => {
    const series = new SeriesSet(['a', 'b'], 1000, 100);
    series.add(1000, { a: 1 });
    series.add(1099, { a: 4, b: 7 });
    series.add(1250, { a: 2 });
    expect(series.read()).toEqual({
      starts: [0, 100, 200],
      series: {
        a: { min: [1, null, 2], mean: [2.5, null, 2], max: [4, null, 2] },
        b: { min: [7, null, null], mean: [7, null, null], max: [7, null, null] },
      },
    });
  });

  const samples = fc.array(
    fc.record({
      at: fc.oneof(fc.integer({ min: 0, max: 2e4 }), fc.integer({ min: 0, max: 1e7 })),
      a: fc.integer({ min: -1e6, max: 1e6 }),
    }),
    { minLength: 1, maxLength: 400 },
  );

  it('never has more than 1,230 buckets, which follow each other, and keeps every extreme, however long it runs', () => {
    fc.assert(
      fc.property(samples, (given) => {
        const series = new SeriesSet(['a'], 0, 10);
        const ordered = [...given].sort((x, y) => x.at - y.at);
        for (const { at, a } of ordered) series.add(at, { a });
        const { starts, series: drawn } = series.read();
        expect(starts.length).toBeLessThanOrEqual(MOST);
        expect([...starts].sort((x, y) => x - y)).toEqual(starts);
        expect(starts[0]).toBe(0);
        for (const { at, a } of ordered) {
          const bucket = starts.findLastIndex((start) => start <= at);
          expect(drawn.a.min[bucket]).toBeLessThanOrEqual(a);
          expect(drawn.a.max[bucket]).toBeGreaterThanOrEqual(a);
        }
      }),
    );
  });

  it('has the shortest buckets for the latest time, and longer ones only before', () => {
    const series = new SeriesSet(['a'], 0, 10);
    for (let at = 0; at < 1e6; at += 10) series.add(at, { a: at });
    const { starts, series: drawn } = series.read();
    const lengths = starts.slice(1).map((start, n) => start - (starts[n] ?? 0));
    expect([...new Set(lengths)]).toEqual([2560, 320, 10]);
    expect(lengths.filter((length) => length === 10).length).toBeGreaterThan(320);
    expect(drawn.a.mean.at(-1)).toBe(999_990);
  });

  it('weighs the mean of merged buckets by their samples', () => {
    const series = new SeriesSet(['a'], 0, 1);
    for (const a of [6, 6, 6]) series.add(0, { a });
    series.add(1, { a: 2 });
    series.add(1_000, { a: 0 });
    expect(series.read().series.a.mean[0]).toBe(5);
  });

  it('keeps a value that did not change until now, also when each two buckets become one', () => {
    const series = new SeriesSet(['a'], 0, 1);
    for (let at = 0; at < 700; at++) series.add(at, { a: 7.1 });
    expect(new Set(series.read().series.a.mean)).toEqual(new Set([7.1]));
    series.add(700, { a: 9 });
    for (let at = 701; at < 2_000; at++) series.add(at, { a: 7.1 });
    const { starts, series: drawn } = series.read();
    const changed = starts.findLastIndex((start) => start <= 700);
    expect(drawn.a.min).toEqual(starts.map(() => 7.1));
    expect(drawn.a.max).toEqual(starts.map((_, n) => (n === changed ? 9 : 7.1)));
    expect(drawn.a.mean[changed]).toBe(7.575);
  });

  it('takes little memory for figures without a value or with a single one, and for a short time', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const take = (samples: number, valuesAt: (at: number) => Readonly<Record<string, number>>) => {
      const before = process.memoryUsage().arrayBuffers;
      const series = new SeriesSet(names, 0, 10);
      for (let at = 0; at < samples; at++) series.add(at * 10, valuesAt(at));
      expect(series.read().starts.length).toBeGreaterThan(0);
      return process.memoryUsage().arrayBuffers - before;
    };
    expect(take(9_000, () => ({ a: 0, b: 5 }))).toBeLessThan(20_000);
    expect(take(10, (at) => ({ a: at, b: at, c: at, d: at, e: at }))).toBeLessThan(20_000);
  });
});
