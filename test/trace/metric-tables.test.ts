/** Each metric returns the right count. The events give neighbouring metrics different values, so that a mix-up is noticed. */
import { describe, expect, it } from 'vitest';
import type { BootCause, ContactReason, TraceEvent, UpdateState, UplinkType } from '../../src/trace/events.js';
import { METRICS } from '../../src/trace/metrics/index.js';
import { metricsOf, numberOf } from './fixtures.js';
import { missing, numbers, times } from './metric-numbers.js';
import { recompute } from './recompute.js';

it('recompute.ts computes every metric, and no other', () => {
  expect([...recompute([], 1).keys()].sort()).toEqual(METRICS.map(({ name }) => name).sort());
});

describe('metrics of the fleet', () => {
  const causes: readonly BootCause[] = [
    'power',
    'shell',
    'button',
    'config',
    'watchdog',
    'brown-out',
    'claim-token',
    'update',
  ];
  const reasons: readonly ContactReason[] = ['boot', 'report', 'event', 'poll', 'shell', 'button', 'answer'];

  it('count boots by cause and wakes by reason', () => {
    const boots = causes.flatMap((cause, index) =>
      times(index + 1, (): TraceEvent => ({ kind: 'device.boot', at: 0, serial: 1, cause })),
    );
    const wakes = reasons.flatMap((why, index) =>
      times(index + 1, (): TraceEvent => ({ kind: 'device.wake', at: 0, serial: 1, why })),
    );
    expect(numbers(metricsOf([...boots, ...wakes], 9), 'fleet', 'boot', 'wake', 'device')).toEqual({
      'fleet.devices': 9,
      ...Object.fromEntries(causes.map((cause, index) => [`boot.${cause}`, index + 1])),
      ...Object.fromEntries(reasons.map((why, index) => [`wake.${why}`, index + 1])),
      'device.boots': 36,
      'device.wakes': 28,
      'wake.peak': 28,
    });
  });

  it('count restarts of transfers, repetitions and failed polls', () => {
    const events: readonly TraceEvent[] = [
      ...times(2, (): TraceEvent => ({ kind: 'device.restart', at: 0, serial: 1, why: 'stale answer' })),
      ...times(3, (n): TraceEvent => ({ kind: 'poll.failed', at: n, serial: n, why: 'timeout' })),
      // One datagram is sent four times, which counts as one gap.
      ...times(4, (n): TraceEvent => ({ kind: 'device.repeat', at: 10 * n, serial: 1, waited: 10 })),
    ];
    const metrics = metricsOf(events);
    expect(numbers(metrics, 'device', 'poll')).toEqual({
      'device.restarts': 2,
      'poll.failed': 3,
      'device.repeats': 4,
      'device.repetition-gaps': 1,
    });
    expect(metrics.summarise().fleet).toMatchObject({ restarts: 2, pollsFailed: 3, repeats: 4 });
  });

  it('count start-ups, and boots after which the device was not ready as missing', () => {
    const boot = (serial: number): TraceEvent => ({ kind: 'device.boot', at: 100, serial, cause: 'power' });
    const ready = (serial: number, at: number): TraceEvent => ({ kind: 'device.ready', at, serial });
    // Device 9 was running before the trace began. The second session of device 1 does not follow a boot.
    const events = [boot(1), boot(2), boot(3), ready(1, 350), ready(1, 400), ready(9, 500)];
    const metrics = metricsOf(events, 4);
    expect(numbers(metrics, 'device')).toEqual({
      'device.boots': 3,
      'device.ready': 2,
      'device.up': 2,
      'device.startup': 1,
    });
    expect(missing(metrics, 'device.startup')).toEqual({ 'not ready': 2 });
    expect(metrics.summarise().fleet).toMatchObject({ devices: 4, ready: 2, boots: { power: 3 }, wakes: {} });
  });

  it('do not count a later datagram as a repetition of an earlier one', () => {
    const repeat = (at: number): TraceEvent => ({ kind: 'device.repeat', at, serial: 1, waited: 10 });
    // The event at 21 is 1 ms too late to repeat the datagram of the event at 10. The event at 31 repeats that of the event at
    // 21.
    expect(numberOf(metricsOf([repeat(10), repeat(21)]), 'device.repetition-gaps')).toBe(0);
    expect(numberOf(metricsOf([repeat(10), repeat(21), repeat(31)]), 'device.repetition-gaps')).toBe(1);
    expect(numberOf(metricsOf([repeat(21), repeat(30)]), 'device.repetition-gaps')).toBe(0);
  });
});

describe('metrics of uplinks', () => {
  const uplink = (
    step: 'made' | 'sent' | 'acked' | 'dropped',
    number: number,
    type: UplinkType = 'data',
    at = 0,
  ): TraceEvent => {
    const base = { at, serial: 1, uplink: number, type };
    if (step === 'made') return { kind: 'uplink.made', ...base, bytes: 1 };
    if (step === 'dropped') return { kind: 'uplink.dropped', ...base, why: `no ${type}` };
    return { kind: `uplink.${step}`, ...base };
  };
  const stored = (type: UplinkType, copy = false): TraceEvent => ({
    ...{ kind: 'cloud.stored', at: 0, serial: 1, type, message: 'm', copy },
  });
  const events: readonly TraceEvent[] = [
    ...times(9, (n) => uplink('made', n)),
    ...times(8, (n) => uplink('sent', n)),
    ...times(4, (n) => uplink('acked', n)),
    ...times(3, (n) => uplink('dropped', 5 + n)),
    ...times(6, () => stored('data')),
    stored('data', true),
    ...times(4, (n) => uplink('made', 100 + n, 'stats')),
    ...times(3, (n) => uplink('sent', 100 + n, 'stats')),
    uplink('acked', 100, 'stats'),
    uplink('dropped', 101, 'stats'),
    ...times(2, () => stored('stats')),
    ...times(4, () => stored('stats', true)),
    stored('codec'),
  ];

  it('count data uplinks, and uplinks of all types together', () => {
    expect(numbers(metricsOf(events), 'uplink')).toEqual({
      ...{ 'uplink.made': 9, 'uplink.sent': 8, 'uplink.acked': 4, 'uplink.dropped': 3, 'uplink.waiting': 2 },
      ...{ 'uplink.stored': 6, 'uplink.copies': 1, 'uplink.delay': 4 },
    });
    expect(numbers(metricsOf(events), 'message')).toEqual({
      ...{ 'message.made': 13, 'message.sent': 11, 'message.acked': 5, 'message.dropped': 4, 'message.waiting': 4 },
      // All 14 stored messages and copies arrived in the same second.
      ...{ 'message.stored': 9, 'message.copies': 5, 'message.peak': 14 },
    });
    expect(missing(metricsOf(events), 'uplink.delay')).toEqual({ waiting: 2, dropped: 3 });
  });

  it('are summarised by type, including types that only the cloud has seen', () => {
    const { uplinks } = metricsOf(events).summarise();
    const data = { made: 9, sent: 8, acked: 4, dropped: 3, waiting: 2, stored: 6, copies: 1 };
    const codec = { made: 0, sent: 0, acked: 0, dropped: 0, waiting: 0, stored: 1, copies: 0 };
    const stats = { made: 4, sent: 3, acked: 1, dropped: 1, waiting: 2, stored: 2, copies: 4 };
    expect(uplinks).toEqual({
      ...data,
      reasons: { 'no data': 3 },
      messages: { made: 13, sent: 11, acked: 5, dropped: 4, waiting: 4, stored: 9, copies: 5 },
      byType: { codec, data, stats },
    });
  });

  it('count an uplink as sent once more if it is sent after it was acknowledged or dropped', () => {
    const again = [uplink('sent', 1), uplink('acked', 1), uplink('sent', 1), uplink('dropped', 1), uplink('sent', 1)];
    expect(numberOf(metricsOf(again), 'uplink.sent')).toBe(3);
  });

  it('have a delay for the first acknowledgement only, and none after a drop', () => {
    const acked = (number: number, at: number) => uplink('acked', number, 'data', at);
    const twice = metricsOf([uplink('made', 1), acked(1, 10), acked(1, 20)]);
    expect(numberOf(twice, 'uplink.delay')).toBe(1);
    const dropped = metricsOf([uplink('made', 1), uplink('dropped', 1), acked(1, 10)]);
    expect(numberOf(dropped, 'uplink.delay')).toBe(0);
  });

  it('count copies after a restart of the same device only', () => {
    const restart = (serial: number): TraceEvent => ({ kind: 'device.restart', at: 0, serial, why: 'reset' });
    const copies = (...more: readonly TraceEvent[]) => numberOf(metricsOf(more), 'uplink.copies-after-restart');
    expect(copies(restart(1), stored('data', true))).toBe(1);
    expect(copies(restart(2), stored('data', true))).toBe(0);
    // The restart does not apply to the copy, because a new message was stored in between.
    expect(copies(restart(1), stored('data'), stored('data', true))).toBe(0);
  });

  it('of one device are counted separately, even if its serial number is large', () => {
    const sent = (number: number): TraceEvent => ({ ...uplink('sent', number), serial: 4_294_967_295 }) as TraceEvent;
    expect(numberOf(metricsOf([sent(1), sent(2), sent(2)]), 'uplink.sent')).toBe(2);
  });

  it('reject a type that does not exist', () => {
    const made = { ...uplink('made', 1), type: 'smoke' } as unknown as TraceEvent;
    expect(() => metricsOf([made])).toThrow('"smoke" is not a type of uplink');
  });
});

describe('metrics of firmware updates', () => {
  const moved = (update: string, serial: number, state: UpdateState, offset = 0, why = ''): TraceEvent => ({
    ...{ kind: 'update.moved', at: serial, serial, update, state, offset, why },
  });

  it('count states and reasons', () => {
    const events = [
      ...times(4, (n) => [moved(`s${n}`, n, 'scheduled'), moved(`s${n}`, n, 'succeeded')]).flat(),
      ...times(3, (n) => moved(`reverted${n}`, 10 + n, 'failed', 0, 'reverted: the device runs "v1"')),
      ...times(2, (n) => moved(`up${n}`, 20 + n, 'failed', 0, 'given up: the download was interrupted 6 times')),
      // This reason comes from the device, and only contains the word "reverted".
      moved('other', 30, 'failed', 0, 'image reverted, then given up'),
      moved('similar', 31, 'failed', 0, 'revertedly given upwards'),
      ...times(5, (n) => moved(`cancelled${n}`, 40 + n, 'cancelled')),
      ...[moved('a', 50, 'scheduled'), moved('b', 51, 'downloading', 512), moved('c', 52, 'swapping')],
      ...[moved('b', 51, 'downloading', 0), moved('b', 51, 'downloading', 512), moved('b', 51, 'downloading', 512)],
    ];
    const metrics = metricsOf(events);
    expect(numbers(metrics, 'update', 'device')).toEqual({
      ...{ 'update.scheduled': 19, 'update.succeeded': 4, 'update.failed': 7, 'update.reverted': 3 },
      ...{ 'update.given-up': 2, 'update.cancelled': 5, 'update.open': 3, 'update.restarts': 1, 'device.updated': 4 },
    });
    expect(missing(metrics, 'update.succeeded')).toEqual({ failed: 7, cancelled: 5, open: 3 });
    expect(metrics.summarise().updates).toMatchObject({
      ...{ scheduled: 19, succeeded: 4, failed: 7, cancelled: 5, open: 3, restarts: 1, duration: { count: 4 } },
    });
    expect(Object.values(metrics.summarise().updates?.reasons ?? {}).sort()).toEqual([1, 1, 2, 3]);
  });

  it('count a failure once, even if the device reports it again', () => {
    const failed = moved('u', 1, 'failed', 0, 'reverted: the device runs "v1"');
    const metrics = metricsOf([failed, failed]);
    expect(numberOf(metrics, 'update.reverted')).toBe(1);
    expect(metrics.summarise().updates?.reasons).toEqual({ 'reverted: the device runs "v1"': 1 });
  });

  it('are missing in the summary of a run without updates', () => {
    expect(metricsOf([]).summarise()).not.toHaveProperty('updates');
  });
});

describe('metrics of API requests', () => {
  const sent = (call: string, intended = 0): TraceEvent => ({ kind: 'call.sent', at: 4, call, intended });
  const done = (call: string, status: number, why = '', at = 10): readonly TraceEvent[] => [
    sent(call),
    { kind: 'call.done', at, call, intended: 0, sent: 4, status, why },
  ];
  const events: readonly TraceEvent[] = [
    ...times(5, () => done('read', 200)).flat(),
    ...times(2, () => done('read', 429)).flat(),
    ...done('read', 503, 'overloaded'),
    ...times(2, () => sent('read', 80)),
    ...times(
      3,
      (): TraceEvent => ({ kind: 'call.dropped', at: 90, call: 'read', intended: 85, why: 'the run was over' }),
    ),
    { kind: 'load.closed', at: 90, call: 'read', planned: 13, closedLoop: true },
    ...done('list', 299, '', 30),
    { kind: 'load.closed', at: 90, call: 'list', planned: 1, closedLoop: false },
    ...done('post', 200),
    { kind: 'load.closed', at: 90, call: 'post', planned: 1, closedLoop: false },
    ...done('get', 200),
  ];

  it('count requests by outcome, over all loads', () => {
    const metrics = metricsOf(events);
    expect(numbers(metrics, 'call')).toEqual({
      ...{ 'call.planned': 16, 'call.sent': 13, 'call.answered': 8, 'call.failed': 3, 'call.refused': 2 },
      ...{ 'call.in-flight': 2, 'call.dropped': 3, 'call.latency': 8, 'call.service': 8 },
    });
    expect(missing(metrics, 'call.latency')).toEqual({ failed: 3, dropped: 3, 'in flight': 2, waiting: 0 });
    expect(missing(metrics, 'call.service')).toEqual({ failed: 3, 'in flight': 2 });
    // The load `get` is not closed yet.
    expect(metrics.contradictions).toEqual(['get: 0 planned, but 1 sent and 0 dropped']);
  });

  it('are summarised by load, sorted by its name', () => {
    const { calls } = metricsOf(events).summarise();
    expect(Object.keys(calls)).toEqual(['get', 'list', 'post', 'read']);
    expect(calls.get).toMatchObject({ planned: 1, sent: 1, closedLoop: false });
    const sums = { planned: 16, sent: 13, answered: 8, failed: 3, refused: 2, inFlight: 2, dropped: 3 };
    expect(metricsOf(events).summarise().allCalls).toMatchObject(sums);
    expect(metricsOf([]).summarise()).not.toHaveProperty('allCalls');
    expect(calls.read).toEqual({
      ...{ planned: 13, sent: 10, answered: 5, failed: 3, refused: 2, inFlight: 2, dropped: 3, closedLoop: true },
      latency: expect.objectContaining({ count: 5, max: 10 }),
      service: expect.objectContaining({ count: 5, max: 6 }),
      reasons: { 'dropped: the run was over': 3, 'status 429': 2, 'status 503: overloaded': 1 },
    });
    expect(calls.list).toMatchObject({ planned: 1, sent: 1, answered: 1, closedLoop: false });
  });

  it.each([
    [199, 'failed'],
    [200, 'answered'],
    [299, 'answered'],
    [300, 'failed'],
  ])('with status %d count as %s', (status, outcome) => {
    const { answered = 0, failed = 0 } = metricsOf(done('read', status)).summarise().calls.read ?? {};
    expect({ answered, failed }).toEqual({ answered: 0, failed: 0, [outcome]: 1 });
  });
});

describe('metrics of the world', () => {
  it('count faults, crashes, steps and console actions', () => {
    const events: readonly TraceEvent[] = [
      ...times(2, (): TraceEvent => ({ kind: 'net.fault', at: 0, serial: 1, fault: 'loss', way: 'up' })),
      ...times(3, (): TraceEvent => ({ kind: 'service.fault', at: 0, fault: 'slow' })),
      ...times(4, (n): TraceEvent => ({ kind: 'service.process', at: n, runs: false })),
      ...times(1, (): TraceEvent => ({ kind: 'service.process', at: 9, runs: true })),
      ...times(5, (): TraceEvent => ({ kind: 'cloud.refused', at: 0, why: 'wrong tag' })),
      ...times(2, (n): TraceEvent => ({ kind: 'cloud.pruned', at: n, messages: 3 })),
      ...times(7, (): TraceEvent => ({ kind: 'step', at: 0, serial: 1, step: 'config', ok: true, note: '' })),
      ...times(8, (): TraceEvent => ({ kind: 'step', at: 0, serial: 1, step: 'config', ok: false, note: 'timeout' })),
      ...times(9, (): TraceEvent => ({ kind: 'console.action', at: 0, serial: 1, action: 'reboot' })),
    ];
    const metrics = metricsOf(events);
    expect(numbers(metrics, 'net', 'service', 'message', 'step', 'console')).toEqual({
      ...{ 'net.faults': 2, 'service.faults': 3, 'service.crashes': 4, 'service.refused': 5, 'message.pruned': 6 },
      ...{ 'step.done': 7, 'step.failed': 8, 'console.actions': 9 },
    });
    const { faults, service } = metrics.summarise();
    expect(faults).toEqual({ loss: 2 });
    expect(service).toEqual({ faults: { slow: 3 }, crashes: 4, refused: { 'wrong tag': 5 } });
  });
});
