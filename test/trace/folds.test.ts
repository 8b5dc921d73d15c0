/** Limits and arithmetic of the folds (objects that compute metrics), with exact values. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { BusiestSecond } from '../../src/trace/metrics/busiest-second.js';
import { FleetStates } from '../../src/trace/metrics/fleet-states.js';
import { listMetricInfos, readMetric, Tally } from '../../src/trace/metrics/metric.js';
import { downlinkLife, metricsOf } from './fixtures.js';

describe('the busiest second', () => {
  it('is 0 without events, and ignores events before the end of the warm-up', () => {
    const peak = new BusiestSecond(1000);
    peak.add(999);
    expect(peak.most).toBe(0);
    peak.add(1000);
    expect(peak.most).toBe(1);
  });

  it('is a calendar second of the run, not any period of a second', () => {
    const peak = new BusiestSecond(0);
    for (const at of [1000, 1999, 2000]) peak.add(at);
    expect(peak.most).toBe(2);
  });

  it.each([
    [120, 2],
    [121, 1],
  ])(
    'after events in %d different seconds, a late event in the first one makes the highest count %d',
    (seconds, most) => {
      const peak = new BusiestSecond(0);
      for (let second = 0; second < seconds; second++) peak.add(second * 1000);
      peak.add(500);
      expect(peak.most).toBe(most);
    },
  );
});

describe('delivery times', () => {
  it.each([
    [49, 0],
    [50, 1],
    [99, 1],
    [100, 2],
    [604_799_999, 39],
    [604_800_000, 40],
    [900_000_000, 40],
  ])('of %d ms are in bar %d', (time, bar) => {
    const { times } = metricsOf(downlinkLife({ type: 'data', offered: 0, delivered: time })).summarise().downlinks;
    expect(times.byStage.delivered?.indexOf(1)).toBe(bar);
  });

  it('count from the time at which the downlink was queued; two downlinks with equal times are in one bar', () => {
    const lives = ['a', 'b'].flatMap((id) => downlinkLife({ id, type: 'data', queued: 1000, delivered: 1049 }));
    expect(metricsOf(lives).summarise().downlinks.times.byStage.delivered?.slice(0, 2)).toEqual([2, 0]);
  });

  it('of 0 ms belong to the cause "transfer"', () => {
    const { times } = metricsOf(downlinkLife({ type: 'data', delivered: 0 })).summarise().downlinks;
    expect(Object.values(times.byCause).map(([first]) => first)).toEqual([0, 0, 1, 0, 0]);
  });

  it('are divided among causes with three decimals', () => {
    const life = downlinkLife({ type: 'data', contact: 10, offered: 10, delivered: 30 });
    const { byCause } = metricsOf(life).summarise().downlinks.times;
    expect([byCause.radio[0], byCause.transfer[0]]).toEqual([0.333, 0.667]);
  });
});

describe('states of the fleet', () => {
  it('count a device as awake for the window after its last activity', () => {
    const states = new FleetStates(1, 10);
    states.noteReady(1, 1000);
    // Bin 1 ends at 2000, bin 2 at 3000; the window of 1000 ms includes its first instant.
    states.closeUntil(3, 1000, 1000);
    expect(states.listColumns(3)).toMatchObject({ awake: [1, 1, 0], asleep: [0, 0, 1], off: [0, 0, 0] });
  });

  it('take the state of the later bin when a pair of bins is merged', () => {
    const states = new FleetStates(1, 4);
    states.closeUntil(1, 1000, 1000);
    states.boot(1, 1500);
    states.closeUntil(4, 1000, 1000);
    states.merge();
    expect(states.listColumns(2)).toMatchObject({ off: [0, 0], starting: [1, 1] });
  });

  it('count devices beyond those of the plan', () => {
    const states = new FleetStates(1, 2);
    for (let serial = 1; serial <= 40; serial++) states.boot(serial, 0);
    states.closeUntil(1, 1000, 1000);
    expect(states.listColumns(1)).toMatchObject({ starting: [40], off: [0] });
  });
});

describe('samples', () => {
  const call = (intended: number, at: number, status = 200): TraceEvent => ({
    ...{ kind: 'call.done', call: 'x', at, intended, sent: intended + 1, status, why: '' },
  });

  it('put a request into the batch of the time at which it was due', () => {
    // 96 slices of 1000 ms, 24 batches: slice 25 belongs to batch 1.
    const { counts } = metricsOf([call(0, 5), call(25_999, 26_000), call(26_000, 26_001)], 1, 96_000).summarise()
      .samples;
    expect(counts['call.answered']?.slice(0, 4)).toEqual([1, 1, 1, 0]);
  });

  it('count failed requests without a duration', () => {
    const { counts, durations } = metricsOf([call(0, 5, 500)], 1, 96_000).summarise().samples;
    expect([counts['call.failed']?.[0], durations]).toEqual([1, {}]);
  });

  it('measure latencies in microseconds', () => {
    const { durations } = metricsOf([call(0, 0.05)], 1, 96_000).summarise().samples;
    expect(durations['call.latency']).toMatchObject({ steps: 1000 });
    expect(durations['call.latency']?.batches[0]).toEqual([50, 1]);
  });
});

describe('a tally', () => {
  it('adds up and is sorted by name', () => {
    const tally = new Tally();
    tally.add('b');
    tally.add('a', 2);
    tally.add('b', 3);
    tally.add('d');
    expect([tally.getCount('a'), tally.getCount('b'), tally.getCount('c'), tally.total]).toEqual([2, 4, 0, 7]);
    expect(Object.entries(tally.makeRecord())).toEqual([
      ['a', 2],
      ['b', 4],
      ['d', 1],
    ]);
  });
});

describe('a table of metrics', () => {
  const table = { size: { about: 'its size', count: (fold: { readonly size: number }) => fold.size } };

  it('reads its metrics by name', () => {
    expect(readMetric(table, { size: 3 }, 'size')).toEqual({ kind: 'count', value: 3 });
    expect(readMetric(table, { size: 3 }, 'constructor')).toBeUndefined();
  });

  it('describes its metrics', () => {
    expect(listMetricInfos(table, 'devices')).toEqual([
      { name: 'size', shape: 'count', about: 'its size', of: 'devices', within: false },
    ]);
    const timed = { ...table.size, within: () => ({ total: 1, within: 1, open: 0 }) };
    expect(listMetricInfos({ timed }, null)).toMatchObject([{ name: 'timed', of: null, within: true }]);
  });
});
