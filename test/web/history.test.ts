/** Rates and latencies of the page of a run. */
import { describe, expect, it } from 'vitest';
import { latencyLines, type Point, rateLines, withState } from '../../web/src/pages/run/history.js';

const point = (at: number, stored: number, p95_ms?: number): Point => ({
  at,
  counts: { 'uplink.stored': stored },
  latencies: p95_ms === undefined ? {} : { 'downlink.delivered': { p50_ms: 1000, p95_ms } },
});
const state = (at: number) => ({ now_ms: at, counts: {}, latencies: {} });

describe('the history of a run', () => {
  it('has rates per minute of the time of the run', () => {
    const [stored] = rateLines([point(0, 10), point(30_000, 20), point(150_000, 20)]);
    expect(stored).toEqual({ name: 'uplinks stored', values: [null, 20, 0] });
  });

  it('has the known percentiles of delivery times', () => {
    expect(latencyLines([point(0, 0), point(1, 0, 9000)]).map(({ values }) => values)).toEqual([
      [null, 1000],
      [null, 9000],
    ]);
  });

  it('has one point while the run is paused, and drops later points after a step back in time', () => {
    const times = (points: readonly Point[]) => points.map(({ at }) => at);
    const points = [0, 10, 10, 20].reduce<readonly Point[]>((so, at) => withState(so, state(at)), []);
    expect(times(points)).toEqual([0, 10, 20]);
    expect(times(withState(points, state(10)))).toEqual([0, 10]);
  });
});
