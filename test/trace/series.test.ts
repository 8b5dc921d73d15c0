import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { FLEET_STATES } from '../../src/trace/metrics/fleet-states.js';
import { BATCHES } from '../../src/trace/metrics/samples.js';
import { downlinkLife, metricsOf } from './fixtures.js';

const stored = (at: number): TraceEvent => ({
  kind: 'cloud.stored',
  at,
  serial: 1,
  type: 'data',
  message: 'm',
  copy: false,
});
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

describe('a series over time', () => {
  it('has 240 bins for the planned duration', () => {
    // 240 s in 240 bins: each bin is one second long.
    const { series } = metricsOf([stored(0), stored(999), stored(1000), stored(239_999)], 1, 240_000).summarise();
    expect([series.bin, series.bins]).toEqual([1000, 240]);
    expect(series.counts.uplinksStored.slice(0, 3)).toEqual([2, 1, 0]);
    expect(series.counts.uplinksStored[239]).toBe(1);
  });

  it('that runs longer than planned merges its bins and keeps all counts', () => {
    const events = Array.from({ length: 1000 }, (_, i) => stored(i * 1000));
    const { series } = metricsOf(events, 1, 240_000).summarise();
    // 1000 s in at most 300 bins: each bin is 4 s long.
    expect([series.bin, series.bins]).toEqual([4000, 250]);
    expect(series.counts.uplinksStored.every((count) => count === 4)).toBe(true);
  });

  it('counts each device in exactly one state in every bin', () => {
    const time = fc.integer({ min: 0, max: 3_000_000 });
    const kind = fc.constantFrom(
      'device.boot',
      'device.ready',
      'device.wake',
      'device.repeat',
      'poll.failed',
      'uplink.acked',
    );
    const rest = { type: fc.constant('data'), uplink: fc.constant(1), waited: fc.constant(1) };
    const event = fc.record({ kind, at: time, serial: fc.integer({ min: 1, max: 5 }), ...rest });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const sorted = [...events].sort((a, b) => a.at - b.at) as unknown as readonly TraceEvent[];
        const { fleet, bins } = metricsOf(sorted, 5, 240_000).summarise().series;
        for (let i = 0; i < bins; i++) expect(sum(FLEET_STATES.map((state) => fleet[state][i] ?? 0))).toBe(5);
      }),
      { numRuns: 50 },
    );
  });

  it('counts devices as off, starting, awake, asleep and unheard', () => {
    const at = (second: number) => second * 1000;
    const events: readonly TraceEvent[] = [
      { kind: 'device.boot', at: at(1), serial: 1, cause: 'power' },
      { kind: 'device.ready', at: at(5), serial: 1 },
      { kind: 'device.wake', at: at(60), serial: 1, why: 'poll' },
      { kind: 'device.repeat', at: at(70), serial: 1, waited: 10_000 },
      { kind: 'poll.failed', at: at(75), serial: 1, why: 'no answer' },
      { kind: 'device.wake', at: at(120), serial: 1, why: 'poll' },
      { kind: 'world.closing', at: at(239) },
    ];
    const { fleet } = metricsOf(events, 2, 240_000).summarise().series;
    const stateAt = (second: number) => FLEET_STATES.filter((state) => (fleet[state][second] ?? 0) > 0);
    expect(stateAt(0)).toEqual(['off']);
    expect(stateAt(2)).toEqual(['starting', 'off']);
    expect(stateAt(6)).toEqual(['awake', 'off']);
    expect(stateAt(40)).toEqual(['asleep', 'off']);
    expect(stateAt(71)).toEqual(['unheard', 'off']);
    expect(stateAt(110)).toEqual(['unheard', 'off']);
    expect(stateAt(121)).toEqual(['awake', 'off']);
  });

  it('counts a device that wakes twice without sending as unheard, unless it polls', () => {
    const wake = (at: number, why: 'report' | 'poll' = 'report'): TraceEvent => ({
      kind: 'device.wake',
      at,
      serial: 1,
      why,
    });
    const sent: TraceEvent = { kind: 'uplink.sent', at: 190_000, serial: 1, uplink: 1, type: 'data' };
    const stateAt = (second: number, events: readonly TraceEvent[]) => {
      const closing: TraceEvent = { kind: 'world.closing', at: 240_000 };
      const { fleet } = metricsOf([...events, closing], 1, 240_000).summarise().series;
      return Object.entries(fleet).flatMap(([state, column]) => ((column[second] ?? 0) > 0 ? state : []));
    };
    const inVain = [wake(10_000), wake(100_000), sent];
    expect([50, 150, 230].map((second) => stateAt(second, inVain))).toEqual([['asleep'], ['unheard'], ['asleep']]);
    const polls = [wake(10_000, 'poll'), wake(100_000, 'poll')];
    expect([50, 150].map((second) => stateAt(second, polls))).toEqual([['asleep'], ['asleep']]);
  });

  it('has latencies in the bin of the due time, and delivery times in the bin of the delivery', () => {
    const call = { kind: 'call.done', call: 'x', sent: 2000, status: 200, why: '' } as const;
    const { series } = metricsOf(
      [
        { ...call, intended: 2000, at: 5500 },
        { ...call, intended: 2100, at: 5600, status: 503 },
        ...downlinkLife({ queued: 1000, contact: 3000, offered: 3000, delivered: 7000 }),
      ],
      1,
      240_000,
    ).summarise();
    expect(series.callLatency.p50[2]).toBe(3500);
    expect([series.counts.callsAnswered[5], series.counts.callsFailed[5]]).toEqual([1, 1]);
    expect(series.deliveryTime.p95[7]).toBe(6000);
    expect(series.deliveryTime.p95[6]).toBeNull();
  });
});

describe('trends', () => {
  const answered = (at: number, took: number): TraceEvent => ({
    kind: 'call.done',
    call: 'x',
    intended: at,
    sent: at,
    at: at + took,
    status: 200,
    why: '',
  });
  const trendOf = (events: readonly TraceEvent[]) =>
    metricsOf(events, 1, 240_000).summarise().series.trends.callLatency;

  it('have one point per bin when bins have 20 durations each', () => {
    const events = Array.from({ length: 240 * 20 }, (_, i) => answered(i * 50, 10));
    const { every, count } = trendOf(events);
    expect([every, count.length]).toEqual([1, 240]);
    expect(count.every((some) => some === 20)).toBe(true);
  });

  it('combine as many bins as they need for 20 durations per point', () => {
    const events = Array.from({ length: 480 }, (_, i) => answered(i * 500, 10));
    const { every, count } = trendOf(events);
    expect([every, count.length]).toEqual([10, 24]);
    expect(count.every((some) => some === 20)).toBe(true);
  });

  it('have at most 24 bins per point, however few durations there are', () => {
    expect(trendOf([answered(1000, 10)])).toMatchObject({ every: 24, count: [1], p50: [10] });
  });

  it('have percentiles of all durations of a point, not averages of the percentiles of its bins', () => {
    // 19 short durations are in the first bin and one long one in the second, so the median over both bins is short.
    const events = [...Array.from({ length: 19 }, (_, i) => answered(i, 10)), answered(1500, 1000)];
    const { every, count, p50, p99 } = trendOf(events);
    // 10 ms are 10,000 µs, whose bucket ends at 10,007.
    expect([every, count[0], p50[0], p99[0]]).toEqual([2, 20, 10.007, 1000]);
  });
});

describe('delivery times', () => {
  it('count every delivered downlink once, divided among its causes', () => {
    const events = [
      ...downlinkLife({
        id: 'a',
        print: 'a',
        queued: 0,
        wake: 60_000,
        contact: 62_000,
        offered: 62_000,
        delivered: 63_000,
      }),
      ...downlinkLife({ id: 'b', serial: 2, print: 'b', queued: 0 }),
    ];
    const { byCause, byStage, edges } = metricsOf(events).summarise().downlinks.times;
    expect(sum(Object.values(byCause).flat())).toBeCloseTo(1, 2);
    // This downlink took 63 s, so it is in the bar from one minute. For 60 s of this time, its device slept.
    expect(byCause.asleep[edges.indexOf(60_000)]).toBeCloseTo(60 / 63, 2);
    expect(sum(byStage.delivered ?? [])).toBe(1);
  });
});

describe('samples', () => {
  it('of all batches add up to the histogram of the metric', () => {
    const events = Array.from({ length: 60 }, (_, i) =>
      downlinkLife({ id: `${i}`, print: `${i}`, serial: i, contact: 1, offered: 1, delivered: 5000 + i * i }),
    ).flat();
    const metrics = metricsOf(events, 60);
    const sampled = metrics.summarise().samples.durations['downlink.delivered'];
    const measure = metrics.read('downlink.delivered');
    if (sampled === undefined || measure?.kind !== 'durations') throw new Error('no delivered downlinks');
    const counts = new Map<number, number>();
    for (const batch of sampled.batches) {
      for (let i = 0; i < batch.length; i += 2) {
        const [value = 0, count = 0] = [batch[i], batch[i + 1]];
        counts.set(value, (counts.get(value) ?? 0) + count);
      }
    }
    expect([...counts].sort(([one], [other]) => one - other).flat()).toEqual(measure.distribution.listPairs());
    expect([sampled.min, sampled.max]).toEqual([5000, 5000 + 59 * 59]);
  });

  it('count an event in the batch of its device', () => {
    const { samples } = metricsOf(
      [stored(0), { ...stored(5), serial: BATCHES + 1 }, { ...stored(6), serial: 2 }] as TraceEvent[],
      3,
    ).summarise();
    expect(samples.counts['uplink.stored']?.slice(0, 4)).toEqual([0, 2, 1, 0]);
    expect(samples.durations).toEqual({});
  });
});
