/** Counts, percentiles and samples for each kind of event. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { Metrics } from '../../src/trace/metrics/index.js';
import { downlinkLife, metricsOf } from './fixtures.js';

const call = (intended: number, at: number, status = 200): TraceEvent => ({
  ...{ kind: 'call.done', call: 'x', at, intended, sent: intended + 1, status, why: '' },
});
const dropped = (intended: number, at = intended): TraceEvent => ({
  ...{ kind: 'call.dropped', at, call: 'x', intended, why: 'the run was over' },
});
const stored = (at: number, more: object = {}): TraceEvent => ({
  ...{ kind: 'cloud.stored', at, serial: 1, type: 'data', message: 'm', copy: false, ...more },
});
const closing = (at: number): TraceEvent => ({ kind: 'world.closing', at });

describe('a series', () => {
  /** The series of a run with 240 bins of a second. */
  const seriesOf = (...events: readonly TraceEvent[]) => metricsOf(events, 1, 240_000).summarise().series;

  it('counts each kind of event in the bin of its time', () => {
    const { counts } = seriesOf(
      stored(0),
      stored(0, { copy: true }),
      stored(1000, { type: 'stats' }),
      ...downlinkLife({ queued: 2000, contact: 2500, offered: 2600, delivered: 3000, answered: 4000 }),
      ...downlinkLife({ id: 'own', type: 'session', queued: 2000 }),
      ...[call(0, 5000), call(0, 5000), call(0, 6000, 500), dropped(1, 7000)],
    );
    const bins = Object.entries(counts).map(([name, column]) => [
      name,
      Object.fromEntries(column.flatMap((count, bin) => (count === 0 ? [] : [[bin, count]]))),
    ]);
    expect(Object.fromEntries(bins)).toEqual({
      uplinksStored: { 0: 1, 1: 1 },
      downlinksQueued: { 2: 1 },
      downlinksDelivered: { 3: 1 },
      downlinksAnswered: { 4: 1 },
      callsAnswered: { 5: 2 },
      callsFailed: { 6: 1 },
      callsDropped: { 7: 1 },
    });
    expect(Object.values(counts).map((column) => column.length)).toEqual(new Array(7).fill(8));
  });

  it('has percentiles of the answered requests that were due after the warm-up', () => {
    const metrics = new Metrics(1, 1000, 240_000);
    // Latencies of 1 to 100 µs, all below the numbers from which buckets are wider than 1.
    for (let n = 1; n <= 100; n++) metrics.take(call(1000, 1000 + n / 1000));
    for (const event of [call(999, 1100), call(1000, 1050, 500)]) metrics.take(event);
    const { callLatency } = metrics.summarise().series;
    expect(callLatency.p50).toEqual([null, 0.05]);
    expect(callLatency.p95[1]).toBeCloseTo(0.095, 2);
    expect(callLatency.p99[1]).toBeCloseTo(0.099, 2);
    expect(callLatency.p95[1]).toBeLessThan(callLatency.p99[1] ?? 0);
  });

  it('has percentiles of delivery times in milliseconds', () => {
    const { deliveryTime } = seriesOf(...downlinkLife({ queued: 0, offered: 10, delivered: 60 }));
    expect(deliveryTime).toEqual({ p50: [60], p95: [60], p99: [60] });
  });

  it('has bins of at least 100 ms, in whole milliseconds', () => {
    expect(metricsOf([stored(250)]).summarise().series).toMatchObject({ bin: 100, bins: 3 });
    expect(metricsOf([stored(0)], 1, 24_000).summarise().series.bin).toBe(100);
    expect(metricsOf([stored(0)], 1, 240_001).summarise().series.bin).toBe(1001);
    expect(metricsOf([]).summarise().series).toMatchObject({ bins: 0, callLatency: { p50: [] } });
  });

  it('extends to the end of the scenario', () => {
    expect(seriesOf(stored(0), closing(9500)).bins).toBe(10);
  });

  it('counts a late event in the bin of its time, and an event before the start in the first bin', () => {
    const { bins, counts } = seriesOf(stored(5000), stored(1000), stored(-5));
    expect([bins, counts.uplinksStored]).toEqual([6, [1, 1, 0, 0, 0, 1]]);
  });

  it('merges pairs of bins when it is full, with their counts, percentiles and states', () => {
    const at = (bin: number) => bin * 1000;
    const events: readonly TraceEvent[] = [
      { kind: 'device.boot', at: 0, serial: 1, cause: 'power' },
      ...[call(at(2), at(2) + 1), call(at(2), at(2) + 1), call(at(3), at(3) + 3), call(at(5), at(5) + 9)],
      ...downlinkLife({ queued: at(6), offered: at(6), delivered: at(7) }),
      stored(at(298)),
      stored(at(299)),
    ];
    expect(seriesOf(...events)).toMatchObject({ bin: 1000, bins: 300 });
    const merged = seriesOf(...events, stored(at(300)));
    expect(merged).toMatchObject({ bin: 2000, bins: 151 });
    expect(merged.counts.uplinksStored.slice(-3)).toEqual([0, 2, 1]);
    expect(merged.counts.callsAnswered.slice(0, 4)).toEqual([0, 3, 1, 0]);
    expect(merged.callLatency.p50.slice(0, 4)).toEqual([null, expect.closeTo(1, 1), expect.closeTo(9, 0), null]);
    expect(merged.deliveryTime.p50.slice(0, 5)).toEqual([null, null, null, expect.closeTo(1000, -2), null]);
    expect(merged.fleet.starting).toEqual(new Array(151).fill(1));
    // An event far beyond the end causes several merges.
    expect(seriesOf(...events, stored(at(1199)))).toMatchObject({ bin: 4000, bins: 300 });
    expect(seriesOf(...events, stored(at(1200)))).toMatchObject({ bin: 8000, bins: 151 });
  });

  it('counts a device as awake for ten seconds, or for a bin if that is longer', () => {
    const sent: TraceEvent = { kind: 'uplink.sent', at: 500, serial: 1, uplink: 1, type: 'data' };
    const awake = (duration: number, end: number) => {
      const { fleet } = metricsOf([sent, closing(end)], 1, duration).summarise().series;
      return fleet.awake.filter((count) => count === 1).length;
    };
    // With bins of a second, the device is awake in the ten bins that end from 1 s to 10 s.
    expect(awake(240_000, 30_000)).toBe(10);
    // With bins of a minute, it is awake in the first bin only.
    expect(awake(240 * 60_000, 180_000)).toBe(1);
  });

  it.each<[string, readonly TraceEvent[], string]>([
    ['a boot', [{ kind: 'device.boot', at: 5, serial: 1, cause: 'power' }], 'starting'],
    ['a session', [{ kind: 'device.ready', at: 5, serial: 1 }], 'awake'],
    ['a repetition', [{ kind: 'device.repeat', at: 5, serial: 1, waited: 1 }], 'unheard'],
    ['a failed poll', [{ kind: 'poll.failed', at: 5, serial: 1, why: 'timeout' }], 'unheard'],
    ['a dropped uplink', [{ kind: 'uplink.dropped', at: 5, serial: 1, uplink: 1, type: 'data', why: 'x' }], 'unheard'],
    [
      'an acknowledged uplink',
      [
        { kind: 'poll.failed', at: 5, serial: 1, why: 'timeout' },
        { kind: 'uplink.acked', at: 6, serial: 1, uplink: 1, type: 'data' },
      ],
      'awake',
    ],
    [
      'a received downlink',
      [
        { kind: 'poll.failed', at: 5, serial: 1, why: 'timeout' },
        { kind: 'downlink.received', at: 6, serial: 1, type: 'data', print: 'x' },
      ],
      'awake',
    ],
  ])('counts a device after %s as %s', (_, events, state) => {
    const { fleet } = seriesOf(...events);
    expect(Object.entries(fleet).flatMap(([name, column]) => (column[0] === 1 ? name : []))).toEqual([state]);
  });
});

describe('samples', () => {
  /** The samples of a run with 96 slices of a second, in 24 batches. */
  const samplesOf = (...events: readonly TraceEvent[]) => metricsOf(events, 1, 96_000).summarise().samples;
  const batch = (column: readonly number[] | undefined) =>
    Object.fromEntries((column ?? []).flatMap((count, index) => (count === 0 ? [] : [[index, count]])));

  it('count events of devices in the batch of the device', () => {
    const { batches, counts } = samplesOf(
      { kind: 'device.wake', at: 0, serial: 25, why: 'report' },
      { kind: 'device.repeat', at: 0, serial: 26, waited: 1 },
      { kind: 'uplink.dropped', at: 0, serial: 27, uplink: 1, type: 'data', why: 'x' },
      { kind: 'uplink.dropped', at: 0, serial: 27, uplink: 1, type: 'stats', why: 'x' },
      { kind: 'uplink.dropped', at: 0, serial: 27, uplink: 2, type: 'stats', why: 'x' },
      stored(0, { serial: 28 }),
      stored(0, { serial: 28, copy: true }),
      ...[1, 2].map(() => stored(0, { serial: 28, type: 'stats' })),
      ...downlinkLife({ serial: 29, contact: 1, offered: 2, received: 3, delivered: 4, executed: 5, answered: 6 }),
      ...downlinkLife({ id: 'd2', print: 'other', serial: 30, offered: 2, delivered: 9 }),
    );
    expect(batches).toBe(24);
    expect(Object.entries(counts).map(([name, column]) => [name, batch(column), column.length])).toEqual([
      ['uplink.stored', { 4: 1 }, 24],
      ['uplink.dropped', { 3: 1 }, 24],
      ['device.wakes', { 1: 1 }, 24],
      ['device.repeats', { 2: 1 }, 24],
      ['downlink.delivered', { 5: 1, 6: 1 }, 24],
      ['downlink.answered', { 5: 1 }, 24],
    ]);
  });

  it('measure downlinks from the time at which they were queued, and start-ups from the latest boot', () => {
    const boot = (at: number): TraceEvent => ({ kind: 'device.boot', at, serial: 2, cause: 'power' });
    const ready = (at: number): TraceEvent => ({ kind: 'device.ready', at, serial: 2 });
    const { durations } = samplesOf(
      ...downlinkLife({ queued: 100, offered: 110, delivered: 120, answered: 150 }),
      ...[ready(1), boot(10), boot(20), ready(50), ready(60)],
    );
    const empty: readonly number[] = [];
    const only = (index: number, pairs: readonly number[]) =>
      Array.from({ length: 24 }, (_, n) => (n === index ? pairs : empty));
    expect(durations).toEqual({
      'downlink.delivered': { steps: 1, min: 20, max: 20, batches: only(1, [20, 1]) },
      'downlink.answered': { steps: 1, min: 50, max: 50, batches: only(1, [50, 1]) },
      'device.startup': { steps: 1, min: 30, max: 30, batches: only(2, [30, 1]) },
    });
  });

  it('count requests in the batch of the time at which they were due', () => {
    const { counts } = samplesOf(call(1500, 9000), call(2500, 9000, 500), dropped(3500), dropped(-5), dropped(95_999));
    expect(batch(counts['call.answered'])).toEqual({ 1: 1 });
    expect(batch(counts['call.failed'])).toEqual({ 2: 1 });
    expect(batch(counts['call.dropped'])).toEqual({ 0: 1, 3: 1, 23: 1 });
  });

  it('measure requests that were due after the warm-up: from their due time, and from their sending', () => {
    const metrics = new Metrics(1, 1000, 96_000);
    for (const event of [call(999, 999.02), call(1000, 1001.03)]) metrics.take(event);
    const { durations, counts } = metrics.summarise().samples;
    expect(batch(counts['call.answered'])).toEqual({ 0: 1, 1: 1 });
    expect(durations['call.latency']?.batches.map((pairs) => pairs.length)).toEqual([0, 2, ...new Array(22).fill(0)]);
    const [latency] = durations['call.latency']?.batches[1] ?? [];
    expect(Math.abs((latency ?? 0) - 1030)).toBeLessThan(30);
    expect(durations['call.service']).toMatchObject({ steps: 1000 });
    // The request was sent 1 ms after its due time, so the service took 30 µs.
    expect(durations['call.service']?.batches[1]).toEqual([30, 1]);
  });

  it('have slices of at least one millisecond', () => {
    const { counts } = metricsOf([call(0.5, 1), call(1, 2), call(25, 26)]).summarise().samples;
    expect(batch(counts['call.answered'])).toEqual({ 0: 1, 1: 2 });
  });
});
