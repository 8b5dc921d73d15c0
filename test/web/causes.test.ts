/** The waits of delivered downlinks, and the histogram of their delivery times by cause. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/client/types.js';
import { type Cause, coloursOf, histogramOf, type Wait, waitsIn } from '../../web/src/model/causes.js';

const QUEUED = Date.parse('2026-01-01T00:00:00.000Z');
const minute = 60_000;
const time = (after: number) => new Date(QUEUED + after).toISOString();
const entry = (what: string, after: number, detail: string | null = null) => {
  return { id: what, at: time(after), what, detail };
};
/** A downlink that was delivered `after` ms after `QUEUED`. */
const sent = (id: string, after: number, queued = 0): Message => ({
  ...{ id, device_id: 'd', device_name: 'cellar', device_serial_number: '2159017985', type: 'shell', body: [] },
  ...{ direction: 'down', created_at: time(queued), codec_hash: null, raw: null },
  ...{ down_state: 'sent', down_state_at: time(after), down_scheduled_at: null, down_attempt: 1 },
});

describe('the waits of a delivery that the cloud alone knows', () => {
  it('are the wait for a contact, and the exchange', () => {
    const entries = [entry('queued', 0), entry('contact', 24 * minute), entry('offered', 24 * minute + 100)];
    expect(waitsIn(sent('1', 25 * minute), entries, [])).toEqual([
      { what: 'next contact of the device', time: 24 * minute },
      { what: 'exchange', time: minute },
    ]);
  });

  it('include earlier downlinks of the device', () => {
    const entries = [entry('queued', 0), entry('contact', 10_000), entry('offered', 40_000)];
    const others = [sent('1', 40_000), { ...sent('0', 39_000), device_id: 'other' }, sent('3', 55_000)];
    expect(waitsIn(sent('2', 50_000), entries, others)).toEqual([
      { what: 'next contact of the device', time: 10_000 },
      { what: 'earlier downlinks of the device', time: 30_000 },
      { what: 'exchange', time: 10_000 },
    ]);
  });

  it('include repetitions and waits of the cloud itself, as inert text', () => {
    const entries = [
      ...[entry('queued', 0), entry('waiting', 5_000, 'no encoder\u001b[2J')],
      ...[entry('offered', 20_000), entry('offered', 80_000)],
    ];
    expect(waitsIn(sent('1', 81_000), entries, [])).toEqual([
      { what: 'next contact of the device', time: 5_000 },
      { what: 'the cloud: no encoder\\u001b[2J', time: 15_000 },
      { what: 'confirmation of the device', time: 60_000 },
      { what: 'exchange', time: 1_000 },
    ]);
  });
});

const journeysOf = (waits: ReadonlyMap<string, readonly Wait[]>) =>
  new Map([...waits].map(([id, each]) => [id, { waits: each }]));

describe('the histogram of delivery times', () => {
  it('divides each downlink among its causes, in proportion to their time', () => {
    const waits = new Map([
      [
        '1',
        [
          { what: 'outage (cellar)', time: 3 * minute },
          { what: 'exchange', time: minute },
        ],
      ],
      ['2', [{ what: 'exchange', time: 500 }]],
    ]);
    const { causes, bars } = histogramOf([sent('1', 4 * minute), sent('2', 500)], journeysOf(waits));
    expect(causes.map(({ what }) => what)).toEqual(['outage (cellar)', 'exchange']);
    expect(causes[0]?.share).toBeCloseTo(180 / 240.5);
    expect(bars.filter(({ count }) => count > 0)).toEqual([
      { upTo: '≤ 1s', count: 1, parts: [0, 1] },
      { upTo: '≤ 5m', count: 1, parts: [0.75, 0.25] },
    ]);
  });

  it('has unknown causes last, and leaves out undelivered downlinks', () => {
    const pending: Message = { ...sent('3', 0), down_state: 'pending' };
    const waits = new Map([
      ['1', [{ what: 'next report or poll', time: 500 }]],
      ['2', []],
    ]);
    const { causes, bars } = histogramOf(
      [sent('1', 500), sent('2', 9_000), sent('4', 9_000), pending],
      journeysOf(waits),
    );
    expect(causes.map(({ what }) => what)).toEqual(['next report or poll', 'unknown', 'not computed yet']);
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });

  it('has the six causes with the longest times, and combines the other causes', () => {
    const many = Array.from({ length: 9 }, (_, n) => sent(`${n}`, 1_000 * (n + 1)));
    const waits = new Map(many.map(({ id }, n) => [id, [{ what: `fault ${n}`, time: 1_000 }]]));
    const { causes, bars } = histogramOf(many, journeysOf(waits));
    expect(causes.map(({ what }) => what)).toEqual([
      ...['fault 8', 'fault 7', 'fault 6', 'fault 5', 'fault 4', 'fault 3'],
      'other causes',
    ]);
    expect(bars[0]?.parts).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });
});

describe('a histogram whose causes are still being computed', () => {
  const many = Array.from({ length: 9 }, (_, n) => sent(`${n}`, 1_000 * (n + 1)));
  const waits = new Map(many.slice(0, 8).map(({ id }, n) => [id, [{ what: `fault ${n}`, time: 1_000 }]]));

  it('says so, and counts what is not computed yet to no other cause', () => {
    const { causes, bars } = histogramOf(many, journeysOf(waits));
    expect(causes.map(({ what }) => what).slice(-2)).toEqual(['other causes', 'not computed yet']);
    expect(bars[1]?.parts).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('names downlinks otherwise whose causes are never read, because they are too many', () => {
    expect(histogramOf(many, journeysOf(waits), 8).causes.at(-1)?.what).toBe('not divided');
  });
});

describe('the colours of causes', () => {
  const none: ReadonlyMap<string, number> = new Map();
  const shown = (...causes: readonly string[]): Cause[] => causes.map((what) => ({ what, share: 0 }));

  it('are different; a seventh cause has the colour of the rest', () => {
    const colours = coloursOf(shown('a', 'b', 'c', 'd', 'e', 'f', 'g', 'unknown'), none);
    expect([...colours]).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((what, colour) => [what, colour]));
  });

  it('stay the same when the order changes, and become free when their cause disappears', () => {
    const first = coloursOf(shown('a', 'b', 'c', 'd', 'e', 'f', 'other causes'), none);
    const second = coloursOf(shown('c', 'x', 'a', 'd', 'e', 'f', 'other causes'), first);
    expect(Object.fromEntries(second)).toEqual({ a: 0, x: 1, c: 2, d: 3, e: 4, f: 5 });
  });
});
