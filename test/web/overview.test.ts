/** The first page: the places of the cells, what happened last, and the curves of the figures. */
import { describe, expect, it } from 'vitest';
import type { History, Message } from '../../src/client/types.js';
import { bandsOf, faultCurve, linesOf } from '../../web/src/model/charts.js';
import type { Row } from '../../web/src/model/fleet.js';
import {
  type Happening,
  ofEarlierFaults,
  ofFaults,
  ofHealth,
  ofMessage,
  ofStation,
  withEarlier,
  withHappening,
} from '../../web/src/model/happenings.js';
import { curveOf, latest } from '../../web/src/model/history.js';
import { cellAt, indexAt, indexesIn, layOut, neighbour } from '../../web/src/pages/overview/layout.js';
import { ordered } from '../../web/src/pages/overview/order.js';

const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const minute = 60_000;
const OUTAGE = { id: 'f', fault: 'outage', part: 'network' as const, to: 'cellar', from: 0, until: minute };

describe('the wall', () => {
  it('has a cell for each device: its place leads back to it', () => {
    for (const counts of [[1], [300], [190, 90, 20], [100_000]]) {
      const layout = layOut(
        counts.map((count, n) => ({ name: `group ${n}`, count })),
        1200,
        400,
      );
      const total = counts.reduce((a, b) => a + b);
      const places = new Set<string>();
      for (let index = 0; index < total; index++) {
        const { x, y } = cellAt(layout, index);
        places.add(`${x} ${y}`);
        if (indexAt(layout, x + layout.side / 2, y + layout.side / 2) !== index)
          throw new Error(`cell ${index} is lost`);
      }
      expect(places.size).toBe(total);
    }
  });

  it('fits 100,000 devices into a small box, and draws few devices large', () => {
    expect(layOut([{ name: '', count: 100_000 }], 1248, 370).height).toBeLessThanOrEqual(370);
    expect(layOut([{ name: '', count: 40 }], 1248, 370).side).toBeGreaterThan(20);
  });

  it('becomes higher than its box if not even the smallest cells fit, as on a phone', () => {
    const { height, pitch } = layOut([{ name: '', count: 100_000 }], 380, 160);
    expect([height, pitch]).toEqual([1054, 2]);
  });

  it('has titles for a few groups, and none for one or many', () => {
    const named = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `g${n}`, count: 5 }));
    expect(layOut(named(3), 600, 400).blocks.map(({ name }) => name)).toEqual(['g0', 'g1', 'g2']);
    expect(layOut(named(30), 600, 400).blocks).toMatchObject([{ name: '', count: 150 }]);
  });

  it('groups devices by the tag that says most about them, as long as the groups are few', () => {
    // The cast is safe because the function reads only these fields.
    const row = (name: string, ...tags: string[]) => ({ id: name, name, tags, region: null }) as unknown as Row;
    const names = (rows: readonly Row[]) => ordered(rows, true).groups.map(({ name, count }) => `${name} ${count}`);
    const cellars = [row('cellar-1', 'indoor', 'cellar'), row('cellar-2', 'indoor', 'cellar')];
    const offices = [row('office-1', 'indoor'), row('office-2', 'indoor'), row('office-3', 'indoor')];
    expect(names([...cellars, ...offices, row('x')])).toEqual(['cellar 2', 'other indoor 3', 'others 1']);
    const sites = Array.from({ length: 9 }, (_, n) => row(`d${n}`, n < 4 ? 'north' : 'south', `site-${n}`));
    expect(names(sites)).toEqual(['north 4', 'south 5']);
  });

  it('selects the cells in a box, whatever corner the pointer began at', () => {
    const layout = layOut([{ name: '', count: 100 }], 260, 400);
    const { pitch, columns } = layout;
    const box = { x0: 2 * pitch, y0: 2 * pitch, x1: 0, y1: 0 };
    expect(indexesIn(layout, box)).toEqual([0, 1, columns, columns + 1]);
    expect(indexAt(layout, 10_000, 0)).toBeUndefined();
    expect(indexAt(layout, 0, -5)).toBeUndefined();
  });

  it('is walked by the arrow keys, and they stop at its ends', () => {
    const layout = layOut([{ name: '', count: 25 }], 260, 400);
    expect(layout.columns).toBe(10);
    const from = (index: number, key: string) => neighbour(layout, index, key);
    expect([from(3, 'ArrowDown'), from(3, 'ArrowUp'), from(24, 'ArrowRight'), from(3, 'End')]).toEqual([13, 0, 24, 24]);
  });
});

describe('what happened last', () => {
  const message = (at: number, device: string): Message =>
    // The cast is safe because the function reads only these fields.
    ({ type: 'data', direction: 'up', device_id: device, created_at: new Date(at).toISOString() }) as Message;
  const station = (what: string, at: number, type = 'shell') => ({
    message_id: 'm',
    device_id: 'a',
    device_name: 'gate-1',
    device_serial_number: '2159017985',
    down_state: null,
    detail: null,
    type,
    what,
    at: new Date(at).toISOString(),
  });

  it('joins the reports of a minute to one sentence, and counts each device once', () => {
    const reports = [message(T0, 'a'), message(T0 + 1000, 'b'), message(T0 + 2000, 'b')].map(ofMessage);
    const all = reports.reduce<readonly Happening[]>(withHappening, []);
    expect(all).toMatchObject([{ text: '2 devices reported', deviceId: undefined }]);
    const later = withHappening(all, ofMessage(message(T0 + 2 * minute, 'c')));
    expect(later.map(({ text, deviceId }) => [text, deviceId])).toEqual([
      ['reported', 'c'],
      ['2 devices reported', undefined],
    ]);
  });

  it('is not only reports: the latest three sentences about them are kept', () => {
    const fault = ofFaults([], [{ ...OUTAGE, state: 'active' }], T0)[0];
    const reports = [1, 2, 3, 4, 5].map((n) => ofMessage(message(T0 + 2 * n * minute, `d${n}`)));
    const all = [fault, ...reports].reduce<readonly Happening[]>(withHappening, []);
    expect(all.map(({ deviceId, text }) => deviceId ?? text)).toEqual([
      'd5',
      'd4',
      'd3',
      'Fault: outage (cellar) has begun',
    ]);
  });

  it('is in the order of its times, also if an event arrives late', () => {
    const answer = ofStation(station('answered', T0 + minute), undefined);
    const fault = ofFaults([], [{ ...OUTAGE, state: 'active' }], T0)[0];
    const all = [answer, fault, ofMessage(message(T0 + 30_000, 'a'))].reduce<readonly Happening[]>(withHappening, []);
    expect(all.map(({ at }) => at - T0)).toEqual([60_000, 30_000, 0]);
  });

  it('contains the faults that began before the page was opened, at their times', () => {
    const faults = [
      { ...OUTAGE, id: 'a', state: 'active' as const, from: 60 * minute, until: null },
      { ...OUTAGE, id: 'b', state: 'over' as const, from: 10 * minute, until: 20 * minute },
      { ...OUTAGE, id: 'c', state: 'planned' as const, from: 90 * minute, until: null },
      { ...OUTAGE, id: 'd', state: 'active' as const, from: 0, until: null },
    ];
    const reported = ofMessage(message(T0 + 30 * minute, 'a'));
    const all = withEarlier(withHappening([], reported), ofEarlierFaults(faults, T0));
    expect(all.map(({ at, text }) => [(at - T0) / minute, text])).toEqual([
      [60, 'Fault: outage (cellar) has begun'],
      [30, 'reported'],
      [20, 'Fault: outage (cellar) is over'],
      [10, 'Fault: outage (cellar) has begun'],
    ]);
  });

  it('says how long a command took, and nothing about what the cloud sends by itself', () => {
    expect(ofStation(station('sent', T0 + 14 * minute), T0)?.text).toBe('received its command after 14m');
    expect(ofStation(station('answered', T0 + minute), undefined)?.text).toBe('answered its command');
    expect(ofStation(station('sent', T0, 'session'), T0)).toBeUndefined();
    expect(ofStation(station('queued', T0, 'data'), T0)?.text).toBe('has data waiting: it gets it at its next contact');
  });

  it('says since when a device is silent, and what was expected of it', () => {
    const event = {
      device_id: 'a',
      device_name: 'gate-1',
      device_serial_number: '2159017985',
      at: new Date(T0 + 2 * 3_600_000).toISOString(),
      health: 'silent',
      last_contact: new Date(T0).toISOString(),
      contact_every: 1800,
    } as const;
    expect(ofHealth(event)).toMatchObject({
      text: 'is silent: no contact for 2h, expected every 30m',
      tone: 'bad',
    });
  });

  it('counts the devices that become silent within a minute, apart from their reports', () => {
    const silent = (device: string, after: number) =>
      ofHealth({
        ...{ device_id: device, device_name: device, device_serial_number: '2159017985', health: 'silent' },
        ...{ at: new Date(T0 + after).toISOString(), last_contact: null, contact_every: null },
      });
    const happened = [silent('a', 0), ofMessage(message(T0 + 1, 'a')), silent('b', 2), silent('c', 2 * minute)];
    const all = happened.reduce<readonly Happening[]>(withHappening, []);
    expect(all.map(({ text }) => text)).toEqual(['is silent', 'reported', '2 devices became silent']);
  });

  it('names the faults that begin and end', () => {
    const fault = (state: 'planned' | 'active' | 'over') => ({
      id: 'f',
      fault: 'outage',
      part: 'network' as const,
      to: 'cellar',
      from: 0,
      until: null,
      state,
    });
    const said = (a: Parameters<typeof fault>[0], b: Parameters<typeof fault>[0]) =>
      ofFaults([fault(a)], [fault(b)], T0).map(({ text }) => text);
    expect(said('planned', 'active')).toEqual(['Fault: outage (cellar) has begun']);
    expect(said('active', 'over')).toEqual(['Fault: outage (cellar) is over']);
    expect(said('active', 'active')).toEqual([]);
    expect(ofFaults([], [fault('active')], T0)).toHaveLength(1);
  });
});

describe('the curves of the figures', () => {
  const values = { min: [1, null, 3, 4], mean: [1, null, 3, 5], max: [1, null, 3, 6] };
  const figures: History['figures'] = {
    devices_on_time: values,
    reports_per_minute: values,
    downlinks_waiting: values,
    delivery_p50_seconds: { min: [5, null], mean: [5, null], max: [5, null] },
    delivery_p95_seconds: values,
  };
  const history: History = { from: new Date(T0).toISOString(), starts: [0, 60, 120, 180], devices: 3, figures };

  it('show the whole time, or its end', () => {
    const times = (n?: number) => curveOf(history, 'devices_on_time', n).times.map((at) => (at - T0) / minute);
    expect(times()).toEqual([0, 1, 2, 3]);
    expect(times(2 * minute)).toEqual([2, 3]);
    expect(latest(history, 'devices_on_time')).toBe(5);
    // Known earlier, but not at the end.
    expect(latest(history, 'delivery_p50_seconds')).toBeUndefined();
  });

  it('have buckets of different lengths', () => {
    const { times } = curveOf({ ...history, starts: [0, 60, 90, 100] }, 'devices_on_time');
    expect(times.map((at) => at - T0)).toEqual([0, 60_000, 90_000, 100_000]);
  });

  it('show delivery times in milliseconds, and nothing before the first answer', () => {
    const plan = { title: '', lines: [{ name: 'p95', figure: 'delivery_p95_seconds' }], isTime: true } as const;
    expect(linesOf(plan, history)[0]?.curve.mean).toEqual([1000, null, 3000, 5000]);
    expect(linesOf(plan, undefined)[0]?.curve.mean).toEqual([]);
  });

  it('show how many faults were in force in the last hour', () => {
    const fault = { id: 'f', fault: 'x', part: 'network' as const, to: null, state: 'over' as const };
    const { times, mean } = faultCurve([{ ...fault, from: 3_600_000, until: 5_400_000 }], 7_200_000);
    expect([times[0], times.at(-1)]).toEqual([3_600_000, 7_200_000]);
    expect([mean[0], mean.at(-1)]).toEqual([1, 0]);
    expect(bandsOf(undefined)).toEqual([]);
  });
});
