/** The times at which the requests of a load are due. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exponential, seededRandom } from '../../../src/kernel/random.js';
import { drawArrivals } from '../../../src/scenario/load/arrivals.js';
import type { Load, Pace, RatePiece } from '../../../src/scenario/load/load.js';

function load(pieces: readonly RatePiece[], spacing: 'even' | 'poisson' = 'even', name = 'test'): Load {
  const pace: Pace = { kind: 'open', spacing, pieces };
  return { name, call: { kind: 'count-devices', body: null }, from: 0, until: pieces.at(-1)?.until ?? 0, pace };
}

const steady = (perSecond: number, seconds: number): RatePiece => ({
  ...{ from: 0, until: seconds * 1000, first: perSecond, last: perSecond },
});
const due = (pieces: readonly RatePiece[], spacing?: 'even' | 'poisson', seed = 1) => [
  ...drawArrivals(load(pieces, spacing), seededRandom(seed)),
];
const inside = (times: readonly number[], from: number, until: number) =>
  times.filter((time) => time >= from && time < until).length;

describe('arrivals', () => {
  it('are evenly spaced, and begin half a gap after the start', () => {
    expect(due([steady(2, 3)])).toEqual([250, 750, 1250, 1750, 2250, 2750]);
  });

  it.each([
    ['23/m', 23 / 60, 150, 57],
    ['3/h', 3 / 3600, 600, 0],
    ['7/m', 7 / 60, 270, 31],
  ])('at %s do not include the one that is due when the load ends', (_rate, perSecond, seconds, count) => {
    expect(due([steady(perSecond, seconds)])).toHaveLength(count);
  });

  it('are as many as the rate times the duration, even if the rate changes', () => {
    const piece = fc.record({ length: fc.integer({ min: 1, max: 100 }), first: fc.nat(200), last: fc.nat(200) });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (parts) => {
        let from = 0;
        const pieces = parts.map(({ length, first, last }) => {
          const made = { from, until: from + length * 1000, first, last };
          from = made.until;
          return made;
        });
        const wanted = parts.reduce((sum, { length, first, last }) => sum + (length * (first + last)) / 2, 0);
        const times = due(pieces);
        expect(Math.abs(times.length - wanted)).toBeLessThanOrEqual(0.5 + 1e-6);
        expect(times.every((time, i) => time >= (times[i - 1] ?? 0) && time <= from)).toBe(true);
      }),
    );
  });

  it('follow a ramp: three quarters of them are in its second half', () => {
    const times = due([{ from: 0, until: 60_000, first: 0, last: 100 }]);
    expect(times).toHaveLength(3000);
    expect(inside(times, 30_000, 60_001)).toBe(2250);
  });

  it('pause while the rate is 0, and continue afterwards', () => {
    const pieces = [
      steady(1, 10),
      { ...steady(0, 0), from: 10_000, until: 20_000 },
      { ...steady(1, 0), from: 20_000, until: 30_000 },
    ];
    const times = due(pieces);
    expect([inside(times, 0, 10_000), inside(times, 10_000, 20_000), inside(times, 20_000, 30_000)]).toEqual([
      10, 0, 10,
    ]);
  });

  it('vary like those of independent users', () => {
    const times = due([steady(50, 2000)], 'poisson');
    const counts = new Array<number>(2000).fill(0);
    for (const time of times) counts[Math.floor(time / 1000)] = (counts[Math.floor(time / 1000)] ?? 0) + 1;
    const mean = counts.reduce((a, b) => a + b) / counts.length;
    const variance = counts.reduce((sum, count) => sum + (count - mean) * (count - mean), 0) / counts.length;
    // Mean and variance are both equal to the rate. Their standard errors are 0.16 and 1.6.
    expect(Math.abs(mean - 50)).toBeLessThan(0.8);
    expect(Math.abs(variance - 50)).toBeLessThan(8);
  });

  it('depend only on the seed and the name of the load', () => {
    expect(due([steady(5, 20)], 'poisson', 7)).toEqual(due([steady(5, 20)], 'poisson', 7));
    expect(due([steady(5, 20)], 'poisson', 7)).not.toEqual(due([steady(5, 20)], 'poisson', 8));
    const other = [...drawArrivals(load([steady(5, 20)], 'poisson', 'other'), seededRandom(7))];
    expect(other).not.toEqual(due([steady(5, 20)], 'poisson', 7));
  });
});

describe('exponential numbers', () => {
  it('have mean 1, and exceed x with probability e to the minus x', () => {
    const random = seededRandom('exponential');
    const values = Array.from({ length: 50_000 }, () => exponential(random));
    expect(Math.abs(values.reduce((a, b) => a + b) / values.length - 1)).toBeLessThan(0.025);
    for (const [x, share] of [
      [0.5, 0.6065],
      [1, 0.3679],
      [2, 0.1353],
      [4, 0.0183],
    ] as const) {
      expect(Math.abs(values.filter((value) => value > x).length / values.length - share)).toBeLessThan(0.012);
    }
  });
});
