/** The share of exchanges that reached a stage within a duration, and the number of those that can still reach it. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent, UpdateState, UplinkType } from '../../src/trace/events.js';
import { type MetricScopes, Metrics } from '../../src/trace/metrics/index.js';
import type { Share } from '../../src/trace/metrics/metric.js';
import { downlinkLife } from './fixtures.js';

const NONE: MetricScopes = { devices: new Map(), loads: new Map() };

function folded(events: readonly TraceEvent[], scopes: MetricScopes = NONE, warmUp = 0): Metrics {
  const metrics = new Metrics(3, warmUp, 0, scopes);
  for (const event of events) metrics.take(event);
  return metrics;
}

/** An event whose only effect is that time advances. */
const now = (at: number): TraceEvent => ({ kind: 'service.fault', at, fault: 'slow' });

describe('the share of downlinks', () => {
  const share = (name: string, limit: number, ...events: readonly TraceEvent[]): Share | undefined =>
    folded(events).within(name, limit);

  it('contains those that reached the stage within the limit after they were queued', () => {
    const events = [90, 100, 101].flatMap((delivered, n) =>
      downlinkLife({ id: `d${n}`, serial: n, queued: 1000, delivered: 1000 + delivered }),
    );
    expect(share('downlink.delivered', 100, ...events)).toEqual({ total: 3, within: 2, open: 0 });
  });

  it('counts those as open that are younger than the limit', () => {
    const queued = [0, 1, 2].flatMap((at) => downlinkLife({ id: `d${at}`, queued: at }));
    // At 101 ms, the first two have waited 101 and 100 ms, which reaches the limit.
    expect(share('downlink.delivered', 100, ...queued, now(101))).toEqual({ total: 3, within: 0, open: 1 });
  });

  it('does not count those as open that were cancelled or have expired', () => {
    const end = (kind: 'downlink.cancelled' | 'downlink.expired', downlink: string): TraceEvent => ({
      ...{ kind, at: 1, serial: 1, downlink },
    });
    const queued = ['a', 'b', 'c'].flatMap((id) => downlinkLife({ id }));
    const ended = [end('downlink.cancelled', 'a'), end('downlink.expired', 'b')];
    expect(share('downlink.delivered', 100, ...queued, ...ended)).toEqual({ total: 3, within: 0, open: 1 });
  });

  it('of answers contains only types that can be answered', () => {
    const lives = (['shell', 'config', 'data', 'firmware'] as const).flatMap((type) =>
      downlinkLife({ id: type, type }),
    );
    expect(share('downlink.answered', 100, ...lives)).toMatchObject({ total: 2, open: 2 });
    // A firmware chunk is not a downlink of a user.
    expect(share('downlink.executed', 100, ...lives)).toMatchObject({ total: 3, open: 3 });
  });

  it.each([
    ['config', 'answered', 0, {}],
    ['shell', 'answered', 0, {}],
    ['data', 'delivered', 1, {}],
    // The device executed the other lines, so it may still answer.
    ['config', 'answered', 1, { partly: true }],
    ['shell', 'answered', 1, { partly: true }],
  ] as const)('of a refused %s downlink, for the stage "%s", has %d open: %j', (type, stage, open, extent) => {
    const rejected = downlinkLife({ type, offered: 1, received: 2, executed: 3, ok: false, ...extent });
    expect(share(`downlink.${stage}`, 100, ...rejected)).toEqual({ total: 1, within: 0, open });
    expect(share('downlink.executed', 100, ...rejected)).toEqual({ total: 1, within: 0, open: 0 });
    // The delivery of the downlink may still be confirmed.
    expect(share('downlink.delivered', 100, ...rejected)).toEqual({ total: 1, within: 0, open: 1 });
  });
});

describe('the share of uplinks', () => {
  const event = (
    step: 'made' | 'sent' | 'acked' | 'dropped',
    uplink: number,
    at: number,
    type: UplinkType = 'data',
  ) => {
    const base = { at, serial: 1, uplink, type };
    if (step === 'made') return { kind: 'uplink.made', ...base, bytes: 1 } as const;
    if (step === 'dropped') return { kind: 'uplink.dropped', ...base, why: 'spool full' } as const;
    return { kind: `uplink.${step}`, ...base } as const;
  };
  const stored = (at: number, copy = false): TraceEvent => ({
    ...{ kind: 'cloud.stored', at, serial: 1, type: 'data', message: `m${at}`, copy },
  });
  const share = (name: string, limit: number, ...events: readonly TraceEvent[]): Share | undefined =>
    folded(events, { ...NONE, limits: [100, 200] }).within(name, limit);

  it('contains those that were acknowledged within the limit', () => {
    const made = [1, 2, 3].map((uplink) => event('made', uplink, 1000));
    const acked = [event('acked', 1, 1100), event('acked', 2, 1101), event('acked', 2, 1102)];
    expect(share('uplink.acked', 100, ...made, ...acked)).toEqual({ total: 3, within: 1, open: 0 });
    expect(share('uplink.acked', 200, ...made, ...acked)).toEqual({ total: 3, within: 2, open: 1 });
  });

  it('contains those that were stored within the limit, matched with the uplinks that the device sent', () => {
    const life = (uplink: number, at: number) => [event('made', uplink, at), event('sent', uplink, at + 10)];
    const events = [...life(1, 0), stored(50), ...life(2, 300), stored(450)];
    expect(share('uplink.stored', 100, ...events)).toEqual({ total: 2, within: 1, open: 0 });
    expect(share('uplink.stored', 200, ...events)).toEqual({ total: 2, within: 2, open: 0 });
    expect(share('uplink.acked', 200, ...events)).toEqual({ total: 2, within: 0, open: 1 });
  });

  it('does not contain copies', () => {
    const events = [event('made', 1, 0), event('sent', 1, 10), stored(20, true)];
    expect(share('uplink.stored', 100, ...events)).toEqual({ total: 1, within: 0, open: 1 });
  });

  it('contains data only', () => {
    expect(share('uplink.acked', 100, event('made', 1, 0, 'stats'), event('acked', 1, 5, 'stats'))).toEqual({
      ...{ total: 0, within: 0, open: 0 },
    });
  });

  it('does not count a dropped uplink as open, but as stored if it still arrives', () => {
    const events = [event('made', 1, 0), event('sent', 1, 10), event('dropped', 1, 20)];
    expect(share('uplink.stored', 100, ...events)).toEqual({ total: 1, within: 0, open: 0 });
    expect(share('uplink.stored', 100, ...events, stored(30))).toEqual({ total: 1, within: 1, open: 0 });
  });

  it('contains neither stored messages without an uplink of a device nor other types', () => {
    const others = [event('made', 2, 0, 'stats'), event('dropped', 2, 5, 'stats'), stored(10)];
    expect(share('uplink.stored', 100, event('made', 1, 0), ...others)).toEqual({ total: 1, within: 0, open: 1 });
  });

  it('counts an uplink as open until it is as old as the limit', () => {
    const made = event('made', 1, 50);
    expect(share('uplink.acked', 100, made, now(149))?.open).toBe(1);
    expect(share('uplink.acked', 100, made, now(150))?.open).toBe(0);
  });

  it('rounds both times to milliseconds', () => {
    expect(share('uplink.acked', 100, event('made', 1, 0.4), event('acked', 1, 100.4))?.within).toBe(1);
    expect(share('uplink.acked', 100, event('made', 1, 0.4), event('acked', 1, 100.6))?.within).toBe(0);
  });

  it('cannot be read for a limit that the constructor did not receive', () => {
    expect(() => share('uplink.acked', 300, event('made', 1, 0))).toThrow('uplinks within 300 ms were not counted');
  });
});

describe('the share of firmware updates', () => {
  const moved = (at: number, update: string, state: UpdateState): TraceEvent => ({
    ...{ kind: 'update.moved', at, serial: 1, update, state, offset: 0, why: '' },
  });
  const share = (limit: number, ...events: readonly TraceEvent[]) => folded(events).within('update.succeeded', limit);
  const scheduled = ['a', 'b', 'c', 'd'].map((id) => moved(100, id, 'scheduled'));

  it('contains those that succeeded within the limit', () => {
    const events = [...scheduled, moved(200, 'a', 'succeeded'), moved(201, 'b', 'succeeded')];
    expect(share(100, ...events)).toEqual({ total: 4, within: 1, open: 0 });
    expect(share(102, ...events)).toEqual({ total: 4, within: 2, open: 2 });
  });

  it('counts neither failed nor cancelled updates as open', () => {
    const ended = [moved(110, 'a', 'failed'), moved(110, 'b', 'cancelled'), moved(110, 'c', 'swapping')];
    expect(share(100, ...scheduled, ...ended)).toEqual({ total: 4, within: 0, open: 2 });
  });

  it('counts an update as open until it is as old as the limit', () => {
    expect(share(100, moved(100, 'a', 'scheduled'), now(199))?.open).toBe(1);
    expect(share(100, moved(100, 'a', 'scheduled'), now(200))?.open).toBe(0);
    // An update that succeeded too late is not open.
    expect(share(100, moved(0, 'a', 'scheduled'), moved(150, 'a', 'succeeded'))?.open).toBe(0);
  });

  it('does not count an update as open that succeeded too late, after the end of the scenario', () => {
    const closing: TraceEvent = { kind: 'world.closing', at: 50 };
    const late = share(100, moved(0, 'a', 'scheduled'), closing, moved(150, 'a', 'succeeded'));
    expect(late).toEqual({ total: 1, within: 0, open: 0 });
  });
});

describe('the share of API requests', () => {
  const done = (intended: number, at: number, status = 200): TraceEvent => ({
    ...{ kind: 'call.done', at, call: 'read', intended, sent: intended, status, why: '' },
  });
  const open = (intended: number): TraceEvent => ({ kind: 'call.sent', at: intended, call: 'read', intended });
  const now = (at: number): TraceEvent => ({ kind: 'service.fault', at, fault: 'slow' });
  const dropped = (intended: number): TraceEvent => ({
    ...{ kind: 'call.dropped', at: intended, call: 'read', intended, why: 'the run was over' },
  });
  const limits = [50, 100];

  it('contains those that were answered within the limit, of all that were due', () => {
    const events = [done(0, 50), done(0, 100), done(0, 101), done(0, 10, 500), dropped(0), open(0), now(200)];
    const metrics = folded(events, { ...NONE, limits });
    expect(metrics.within('call.answered', 100)).toEqual({ total: 6, within: 2, open: 0 });
    expect(metrics.within('call.answered', 50)).toEqual({ total: 6, within: 1, open: 0 });
  });

  it('counts those in flight as open until they are as old as the limit', () => {
    const metrics = folded([open(100), open(101), now(200)], { ...NONE, limits });
    expect(metrics.within('call.answered', 100)).toEqual({ total: 2, within: 0, open: 1 });
  });

  it('does not contain requests that were due in the warm-up', () => {
    const early = [done(999, 1000), done(999, 1000, 500), dropped(999), open(999)];
    const late = [done(1000, 1000), done(1000, 1000, 500), dropped(1000), open(1000)];
    const metrics = folded([...early, ...late], { ...NONE, limits }, 1000);
    expect(metrics.within('call.answered', 100)).toEqual({ total: 4, within: 1, open: 1 });
  });
});

describe('a share', () => {
  const devices = new Map([['north', [1]]]);
  const loads = new Map([['client/poller', ['read']]]);
  const scopes: MetricScopes = { devices, loads, limits: [100] };
  const call = (name: string): TraceEvent => ({
    ...{ kind: 'call.done', at: 10, call: name, intended: 0, sent: 0, status: 200, why: '' },
  });
  const made = (serial: number): TraceEvent => ({
    ...{ kind: 'uplink.made', at: 0, serial, uplink: 1, type: 'data', bytes: 1 },
  });
  const moved = (serial: number): TraceEvent => ({
    ...{ kind: 'update.moved', at: 0, serial, update: `u${serial}`, state: 'scheduled', offset: 0, why: '' },
  });
  const events = [
    ...[1, 2].flatMap((serial) => [made(serial), moved(serial), ...downlinkLife({ id: `d${serial}`, serial })]),
    ...[call('read'), call('list')],
  ];

  it.each([
    ['uplink.acked', 2],
    ['downlink.delivered', 2],
    ['update.succeeded', 2],
    ['call.answered', 2],
  ])('of "%s" can be read for the whole run, or for one scope', (name, total) => {
    const metrics = folded(events, scopes);
    const scope = name.startsWith('call.') ? 'client/poller' : 'north';
    expect(metrics.within(name, 100)?.total).toBe(total);
    expect(metrics.within(name, 100, scope)?.total).toBe(1);
    expect(metrics.within(name, 100, 'south')).toBeUndefined();
  });

  it('does not exist for metrics that only count, or for unknown metrics', () => {
    const metrics = folded(events, scopes);
    for (const of of [undefined, 'north', 'client/poller']) {
      for (const name of ['uplink.made', 'downlink.queued', 'call.failed', 'device.boots', 'toString']) {
        expect([of, name, metrics.within(name, 100, of)]).toEqual([of, name, undefined]);
      }
    }
  });

  it('does not count the time after the end of the scenario', () => {
    const closing: TraceEvent = { kind: 'world.closing', at: 99 };
    expect(folded([made(1), closing, now(5000)], scopes).within('uplink.acked', 100)?.open).toBe(1);
    expect(folded([made(1), { ...closing, at: 100 }], scopes).within('uplink.acked', 100)?.open).toBe(0);
  });

  it('counts up to the latest event, even if events of another cloud arrive late', () => {
    expect(folded([made(1), now(150), now(50)], scopes).within('uplink.acked', 100)?.open).toBe(0);
  });
});
