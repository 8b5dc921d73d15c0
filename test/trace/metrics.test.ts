import { describe, expect, it } from 'vitest';
import type { TraceEvent, UpdateState } from '../../src/trace/events.js';
import { METRICS, Metrics } from '../../src/trace/metrics/index.js';
import { downlinkLife, metricsOf, numberOf } from './fixtures.js';

function uplink(
  step: 'made' | 'sent' | 'acked' | 'dropped',
  number: number,
  type: 'data' | 'session' = 'data',
  serial = 1,
): TraceEvent {
  const base = { at: number, serial, uplink: number, type };
  switch (step) {
    case 'made':
      return { kind: 'uplink.made', ...base, bytes: 100 };
    case 'dropped':
      return { kind: 'uplink.dropped', ...base, why: 'spool full' };
    default:
      return { kind: `uplink.${step}`, ...base };
  }
}

function stored(at: number, copy = false, serial = 1): TraceEvent {
  return { kind: 'cloud.stored', at, serial, type: 'data', message: `m${at}`, copy };
}

const anomalyNames = (metrics: Metrics) => metrics.summarise().anomalies.map(({ name, count }) => [name, count]);

describe('the metrics', () => {
  it('have unique names, and each can be read before the first event', () => {
    const names = METRICS.map((metric) => metric.name);
    expect(new Set(names).size).toBe(names.length);
    const fresh = new Metrics(3);
    for (const { name, shape } of METRICS) expect([name, fresh.read(name)?.kind]).toEqual([name, shape]);
    expect(fresh.read('toString')).toBeUndefined();
  });

  it('of a scope count only the events of its devices', () => {
    const metrics = new Metrics(3, 0, 0, { devices: new Map([['north', [1, 2]]]), loads: new Map() });
    const boot = (serial: number): TraceEvent => ({ kind: 'device.boot', at: 0, serial, cause: 'power' });
    const lives = [1, 2, 3].flatMap((serial) => downlinkLife({ id: `d${serial}`, serial, contact: 5, delivered: 9 }));
    for (const event of [...[1, 2, 3].map(boot), stored(1, false, 3), stored(2), ...lives]) metrics.take(event);
    const read = (name: string, of?: string) => {
      const measure = metrics.read(name, of);
      return measure?.kind === 'durations' ? measure.distribution.count : measure?.value;
    };
    const names = ['fleet.devices', 'device.boots', 'uplink.stored', 'downlink.queued', 'downlink.delivered'];
    expect(names.map((name) => read(name, 'north'))).toEqual([2, 2, 1, 2, 2]);
    expect(names.map((name) => read(name))).toEqual([3, 3, 2, 3, 3]);
    expect([read('call.sent', 'north'), read('device.boots', 'south')]).toEqual([undefined, undefined]);
  });

  it('find the busiest second, even if some of its events arrive late', () => {
    const metrics = metricsOf([stored(999), stored(1000), stored(1999), stored(5000), stored(1500, true)]);
    expect(metrics.read('message.peak')).toEqual({ kind: 'count', value: 3 });
    const hour = Array.from({ length: 3600 }, (_, second) => stored(second * 1000));
    expect(metricsOf([...hour, stored(3_599_500)]).read('message.peak')).toEqual({ kind: 'count', value: 2 });
    const wake = (at: number): TraceEvent => ({ kind: 'device.wake', at, serial: 1, why: 'report' });
    expect(metricsOf([wake(0), wake(999), wake(1000)]).read('wake.peak')).toEqual({ kind: 'count', value: 2 });
    const warm = new Metrics(1, 1000, 0, { devices: new Map([['north', [1]]]), loads: new Map() });
    for (const event of [wake(0), wake(999), wake(1000), stored(0), stored(1), stored(1000)]) warm.take(event);
    const peaks = ['wake.peak', 'message.peak'].flatMap((name) => [warm.read(name), warm.read(name, 'north')]);
    expect(peaks).toEqual(peaks.map(() => ({ kind: 'count', value: 1 })));
  });

  it('ignore events of unknown kinds, which a later version may have recorded', () => {
    const unknown = { kind: 'device.song', at: 1, serial: 1 } as unknown as TraceEvent;
    const metrics = new Metrics(1, 0, 0, { devices: new Map([['north', [1]]]), loads: new Map() });
    expect(() => metrics.take(unknown)).not.toThrow();
  });
});

it('a device is up from a session until its next boot', () => {
  const boot: TraceEvent = { kind: 'device.boot', at: 0, serial: 1, cause: 'power' };
  const ready: TraceEvent = { kind: 'device.ready', at: 1, serial: 1 };
  const up = (...events: readonly TraceEvent[]) => numberOf(metricsOf(events), 'device.up');
  expect([up(boot), up(boot, ready), up(boot, ready, boot), up(boot, ready, boot, ready)]).toEqual([0, 1, 0, 1]);
});

describe('uplinks', () => {
  it('have a delay from the time at which they were made to the acknowledgement, if they are data', () => {
    const later = (event: TraceEvent, at: number): TraceEvent => ({ ...event, at });
    const events = [
      ...[uplink('made', 1), uplink('made', 2), uplink('made', 3), uplink('made', 4, 'session')],
      ...[later(uplink('sent', 1), 50), later(uplink('acked', 1), 61), later(uplink('dropped', 2), 70)],
      later(uplink('acked', 4, 'session'), 90),
    ];
    const delay = metricsOf(events).read('uplink.delay');
    if (delay?.kind !== 'durations') throw new Error('uplink.delay is not a distribution');
    expect([delay.distribution.count, delay.distribution.max]).toEqual([1, 60]);
  });

  it('that were made are acknowledged, dropped or waiting', () => {
    const events = [
      ...[1, 2, 3, 4].map((n) => uplink('made', n)),
      ...[1, 2, 3].map((n) => uplink('sent', n)),
      uplink('acked', 1),
      uplink('dropped', 2),
    ];
    expect(metricsOf(events).summarise().uplinks).toMatchObject({
      made: 4,
      sent: 3,
      acked: 1,
      dropped: 1,
      waiting: 2,
      reasons: { 'spool full': 1 },
    });
  });

  it('that are sent again from the spool count as sent once', () => {
    const events = [uplink('made', 1), uplink('sent', 1), uplink('sent', 1), uplink('acked', 1)];
    expect(numberOf(metricsOf(events), 'uplink.sent')).toBe(1);
  });

  it('of two devices with the same number count as two', () => {
    const events = [uplink('sent', 1, 'data', 4_294_967_295), uplink('sent', 1, 'data', 4_294_967_294)];
    expect(numberOf(metricsOf(events), 'uplink.sent')).toBe(2);
  });

  it('count data only, and messages count all types', () => {
    const metrics = metricsOf([uplink('made', 1, 'session'), uplink('made', 2)]);
    expect([numberOf(metrics, 'uplink.made'), numberOf(metrics, 'message.made')]).toEqual([1, 2]);
    expect(Object.keys(metrics.summarise().uplinks.byType)).toEqual(['session', 'data']);
  });

  it('that arrive again count as copies, not as stored uplinks', () => {
    const metrics = metricsOf([stored(1), stored(2, true)]);
    expect([numberOf(metrics, 'uplink.stored'), numberOf(metrics, 'uplink.copies')]).toEqual([1, 1]);
    expect(anomalyNames(metrics)).toEqual([]);
  });

  it('that arrive again because the transfer restarted are an anomaly', () => {
    const restart: TraceEvent = { kind: 'device.restart', at: 2, serial: 1, why: 'reset' };
    const metrics = metricsOf([stored(1), restart, stored(3, true), stored(4, true)]);
    expect(anomalyNames(metrics)).toEqual([['copy-after-restart', 1]]);
  });
});

describe('the fleet', () => {
  it('counts a device with two start-ups as ready once', () => {
    const events: TraceEvent[] = [
      { kind: 'device.boot', at: 0, serial: 1, cause: 'power' },
      { kind: 'device.ready', at: 30_000, serial: 1 },
      { kind: 'device.boot', at: 50_000, serial: 1, cause: 'config' },
      { kind: 'device.ready', at: 70_000, serial: 1 },
    ];
    const metrics = metricsOf(events, 2);
    expect([numberOf(metrics, 'device.ready'), numberOf(metrics, 'fleet.devices')]).toEqual([1, 2]);
    const startup = metrics.read('device.startup');
    expect(startup?.kind === 'durations' && startup.distribution.spread()).toMatchObject({
      count: 2,
      min: 20_000,
      max: 30_000,
    });
    expect(metrics.summarise().fleet.boots).toEqual({ config: 1, power: 1 });
  });

  it('counts boots by cause and wakes by reason', () => {
    const metrics = metricsOf([
      { kind: 'device.boot', at: 0, serial: 1, cause: 'brown-out' },
      { kind: 'device.wake', at: 1, serial: 1, why: 'boot' },
      { kind: 'device.wake', at: 2, serial: 1, why: 'event' },
      { kind: 'device.wake', at: 3, serial: 1, why: 'event' },
    ]);
    const names = ['boot.brown-out', 'boot.power', 'device.boots', 'wake.event', 'wake.poll', 'device.wakes'];
    expect(names.map((name) => numberOf(metrics, name))).toEqual([1, 0, 1, 2, 0, 3]);
  });

  it('has one anomaly per datagram that was repeated more than once', () => {
    const repeat = (at: number, serial = 1): TraceEvent => ({ kind: 'device.repeat', at, serial, waited: 10_000.25 });
    // Three repetitions of one datagram, then one of another datagram, and one of another device.
    const events = [repeat(10_000), repeat(20_000.25), repeat(30_000.5), repeat(90_000), repeat(100_000.25, 2)];
    const metrics = metricsOf(events);
    expect(numberOf(metrics, 'device.repeats')).toBe(5);
    expect(anomalyNames(metrics)).toEqual([['repetition-gap', 1]]);
  });
});

describe('downlinks', () => {
  it('that were queued are answered, delivered, pending, cancelled or expired', () => {
    const full = { contact: 1, offered: 1, received: 2, delivered: 3, executed: 4 };
    const events: TraceEvent[] = [
      ...downlinkLife({ id: 'a', print: 'a', ...full, answered: 5 }),
      ...downlinkLife({ id: 'b', print: 'b', type: 'data', ...full }),
      ...downlinkLife({ id: 'c', print: 'c', contact: 1, offered: 2 }),
      ...downlinkLife({ id: 'd' }),
      { kind: 'downlink.cancelled', at: 9, serial: 1, downlink: 'd' },
      ...downlinkLife({ id: 'e' }),
      { kind: 'downlink.expired', at: 9, serial: 1, downlink: 'e' },
    ];
    const { downlinks } = metricsOf(events).summarise();
    expect(downlinks).toMatchObject({ queued: 5, answered: 1, delivered: 1, pending: 1, cancelled: 1, expired: 1 });
    expect(downlinks.byType.data).toMatchObject({ queued: 1, delivered: 1 });
    expect(numberOf(metricsOf(events), 'downlink.delivered')).toBe(2);
  });

  it('that the cloud creates itself do not count', () => {
    expect(numberOf(metricsOf(downlinkLife({ type: 'session', delivered: 5 })), 'downlink.queued')).toBe(0);
  });

  it('have stages whose times count from queuing', () => {
    const events = downlinkLife({ queued: 1000, contact: 3000, offered: 3500, received: 3600, delivered: 4000 });
    const { stages } = metricsOf(events).summarise().downlinks;
    expect(Object.entries(stages).map(([stage, spread]) => [stage, spread.max])).toEqual([
      ['contact', 2000],
      ['offered', 2500],
      ['received', 2600],
      ['delivered', 3000],
    ]);
  });

  it('that count as delivered but were not received are an anomaly', () => {
    const metrics = metricsOf(downlinkLife({ contact: 1, offered: 2, delivered: 60_000 }));
    expect(numberOf(metrics, 'downlink.unreceived')).toBe(1);
    expect(anomalyNames(metrics)).toEqual([['downlink-unreceived', 1]]);
  });

  it('that only a later packet confirmed are an anomaly', () => {
    const confirmed: TraceEvent = {
      kind: 'downlink.delivered',
      at: 900,
      serial: 1,
      downlink: 'd1',
      evidence: 'next-packet',
    };
    const metrics = metricsOf([...downlinkLife({ contact: 1, offered: 2, received: 3 }), confirmed]);
    expect(anomalyNames(metrics)).toEqual([['final-ack-missed', 1]]);
  });

  it('that were received twice are an anomaly', () => {
    const again: TraceEvent = { kind: 'downlink.received', at: 900, serial: 1, type: 'shell', print: 'feed' };
    const metrics = metricsOf([...downlinkLife({ contact: 1, offered: 2, received: 3, delivered: 4 }), again]);
    expect(anomalyNames(metrics)).toEqual([['downlink-received-twice', 1]]);
  });

  it('that a device could not execute are an anomaly', () => {
    const events = downlinkLife({ type: 'config', offered: 2, received: 3, delivered: 4, executed: 5, ok: false });
    expect(anomalyNames(metricsOf(events))).toEqual([['downlink-refused', 1]]);
  });

  it('that a device refused do not count as executed', () => {
    const life = { type: 'config', offered: 2, received: 3, delivered: 4, executed: 5, ok: false } as const;
    const metrics = metricsOf(downlinkLife(life));
    expect(numberOf(metrics, 'downlink.refused')).toBe(1);
    expect(numberOf(metrics, 'downlink.executed')).toBe(0);
    expect(metrics.summarise().downlinks.byType.config?.stages).not.toHaveProperty('executed');
    expect(metrics.summarise().downlinks.slowest[0]).toMatchObject({
      refused: true,
      stages: { received: 3, delivered: 4 },
    });
  });

  it('of which a device rejected only one line can still be answered', () => {
    const life = { type: 'config', offered: 2, received: 3, delivered: 4, executed: 5, ok: false } as const;
    const share = (partly?: true) =>
      metricsOf(downlinkLife({ ...life, ...(partly && { partly }) })).within('downlink.answered', 3_600_000);
    expect(share(true)).toEqual({ total: 1, within: 0, open: 1 });
    expect(share()).toEqual({ total: 1, within: 0, open: 0 });
  });

  it('with the same content are refused one after the other', () => {
    const life = { type: 'config', offered: 2, received: 3, delivered: 4, executed: 5, ok: false } as const;
    const events = [...downlinkLife({ ...life, id: 'a' }), ...downlinkLife({ ...life, id: 'b' })];
    expect(numberOf(metricsOf(events), 'downlink.refused')).toBe(2);
  });

  it('with the same content are matched by their offers: the lost downlink stays lost', () => {
    const first = downlinkLife({ id: 'a', type: 'data', offered: 1, delivered: 50 });
    const second = downlinkLife({
      id: 'b',
      type: 'data',
      queued: 60,
      offered: 70,
      received: 80,
      delivered: 90,
      executed: 95,
    });
    const metrics = metricsOf([...first, ...second]);
    expect(numberOf(metrics, 'downlink.unreceived')).toBe(1);
    expect(metrics.summarise().downlinks.slowest.find(({ id }) => id === 'b')?.stages).toMatchObject({ executed: 35 });
  });

  it('with the same content for two devices are kept apart', () => {
    const events = [
      ...downlinkLife({ id: 'a', serial: 1, offered: 1, received: 5 }),
      ...downlinkLife({ id: 'b', serial: 2, offered: 1 }),
    ];
    expect(numberOf(metricsOf(events), 'downlink.received')).toBe(1);
  });

  it('are listed slowest first, and the shares of their waits sum to one', () => {
    const events = [1000, 3000, 2000].flatMap((wake, i) =>
      downlinkLife({ id: `d${i}`, serial: i, wake, contact: wake + 100, offered: wake + 100, delivered: wake + 300 }),
    );
    const { slowest, waits } = metricsOf(events).summarise().downlinks;
    expect(slowest.map(({ total }) => total)).toEqual([3300, 2300, 1300]);
    expect(waits.asleep).toMatchObject({ total: 6000, spread: { count: 3, max: 3000 } });
    const shares = Object.values(waits).reduce((sum, { share }) => sum + share, 0);
    expect(shares).toBeCloseTo(1, 12);
  });
});

describe('firmware updates', () => {
  const moved = (
    at: number,
    state: UpdateState,
    offset = 0,
    { update = 'u1', serial = 1, why = '' } = {},
  ): TraceEvent => ({
    ...{ kind: 'update.moved', at, serial, update, state, offset, why },
  });

  it('take the time from scheduling to the new version', () => {
    const metrics = metricsOf([
      ...[moved(100, 'scheduled'), moved(200, 'downloading', 256), moved(300, 'swapping', 5000)],
      ...[moved(1100, 'succeeded', 5000), moved(1200, 'succeeded', 5000)],
    ]);
    expect(metrics.summarise().updates).toMatchObject({
      scheduled: 1,
      succeeded: 1,
      open: 0,
      duration: { count: 1, max: 1000 },
    });
    expect(numberOf(metrics, 'device.updated')).toBe(1);
  });

  it('count a restart when the device reports a smaller offset', () => {
    const offsets = [256, 1024, 0, 256, 0];
    const metrics = metricsOf(offsets.map((offset, i) => moved(i, 'downloading', offset)));
    expect(metrics.summarise().updates).toMatchObject({ open: 1, restarts: 2 });
  });

  it('that failed are counted by reason', () => {
    const ends = [
      'reverted: the device runs "v1"',
      'given up: the download was interrupted 6 times',
      'image size too big',
    ];
    const metrics = metricsOf(ends.map((why, i) => moved(i, 'failed', 0, { update: `u${i}`, serial: i, why })));
    const names = ['update.failed', 'update.reverted', 'update.given-up', 'device.updated'];
    expect(names.map((name) => numberOf(metrics, name))).toEqual([3, 1, 1, 0]);
    expect(metrics.summarise().updates?.reasons).toEqual(Object.fromEntries(ends.map((why) => [why, 1])));
  });

  it('count a device as updated only if its latest update succeeded', () => {
    const metrics = metricsOf([
      ...[moved(0, 'scheduled'), moved(1, 'succeeded'), moved(2, 'scheduled', 0, { update: 'u2' })],
      moved(3, 'cancelled', 0, { update: 'u2' }),
    ]);
    const names = ['update.scheduled', 'update.succeeded', 'update.cancelled', 'device.updated'];
    expect(names.map((name) => numberOf(metrics, name))).toEqual([2, 1, 1, 0]);
  });
});

describe('an action from a console', () => {
  it('is counted and is an anomaly', () => {
    const action = (serial: number): TraceEvent => ({ kind: 'console.action', at: 0, serial, action: 'radio: off' });
    const summary = metricsOf([action(1), action(2), action(1)]).summarise();
    expect(summary.console).toEqual({ actions: 3 });
    expect(summary.anomalies).toMatchObject([{ name: 'console-action', count: 3 }]);
  });
});

describe('steps', () => {
  it('that failed for one reason are one line, with the advice and without the ids of their devices', () => {
    const failed = [7, 5, 6].map(
      (serial): TraceEvent => ({
        ...{ kind: 'step', at: 0, serial, step: 'commands: info show', ok: false },
        note: `POST /v2/spaces/019b7716-2a60-7714-ba56-e2086319900${serial}/devices/${serial} was answered with 429: later`,
      }),
    );
    const other: TraceEvent = { kind: 'step', at: 0, serial: 5, step: 'commands: info show', ok: false, note: 'off' };
    expect(metricsOf([...failed, other]).summarise().anomalies).toMatchObject([
      {
        count: 3,
        about:
          'failed step: commands: info show: POST /v2/spaces/…/devices/… was answered with 429: later; spread the step with "over"',
        serial: 5,
      },
      { count: 1, about: 'failed step: commands: info show: off' },
    ]);
  });

  it('that failed are listed with their reason', () => {
    const step = (ok: boolean, note: string): TraceEvent => ({
      kind: 'step',
      at: 0,
      serial: 1,
      step: 'config',
      ok,
      note,
    });
    const metrics = metricsOf([step(true, ''), step(false, 'no encoder'), step(false, 'no encoder')]);
    expect(metrics.summarise().steps).toEqual({ done: 1, failed: 2 });
    expect(metrics.summarise().anomalies).toEqual([
      { name: 'step-failed', count: 2, about: 'failed step: config: no encoder', serial: 1 },
    ]);
  });
});
