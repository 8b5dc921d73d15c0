/** What the pages of a device and of the downlinks read, when, and what they keep. */
import { describe, expect, it, vi } from 'vitest';
import type { DeviceCloudClient } from '../../src/client/client.js';
import type { Message } from '../../src/client/types.js';
import type { DownlinkWaits } from '../../src/control/run-state.js';
import { DeviceModel } from '../../web/src/model/device.js';
import { type Downlink, Downlinks } from '../../web/src/model/downlinks.js';
import type { Feed, Listener } from '../../web/src/model/feed.js';
import { JourneyReader } from '../../web/src/model/journey-reader.js';
import { DeviceReports } from '../../web/src/model/reports.js';
import { until } from '../support/until.js';

const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const idOf = (n: number) => String(n).padStart(6, '0');

describe('the journeys of downlinks', () => {
  const downlink = (n: number, down_state: 'pending' | 'sent' = 'sent'): Downlink => ({
    // The cast is safe because the reader reads only these fields.
    message: {
      ...{ id: idOf(n), device_id: 'a', device_serial_number: '2159017985', down_state, down_attempt: 0 },
      ...{ created_at: new Date(T0).toISOString(), down_state_at: new Date(T0).toISOString() },
    } as Message,
    station: undefined,
  });
  /** A reader, and the ids that it has asked the cloud and the run for. */
  function fixture(knownToRun: (id: string) => boolean = () => true) {
    const [timelines, batches]: [string[], string[][]] = [[], []];
    const state = { isSilent: false, now: 0, stages: { delivered: 1_000 } as DownlinkWaits['stages_ms'] };
    const reader = new JourneyReader(
      {
        timeline: async (id) => {
          timelines.push(id);
          if (state.isSilent) throw new Error('no answer');
          return [];
        },
      },
      {
        journeys: async (downlinks) => {
          batches.push(downlinks.map(({ id }) => id));
          if (state.isSilent) throw new Error('no answer');
          const known = downlinks.filter(({ id }) => knownToRun(id));
          return known.map(({ id }) => ({ id, waits: [], now: 'outage', stages_ms: state.stages }));
        },
      },
      () => state.now,
    );
    const read = (count: number) => until(() => reader.journeys.value.size === count);
    return { reader, timelines, batches, read, state };
  }

  const CLOUD = { all: [], isRun: false };

  it('are read once from the cloud, and again when a downlink has moved', async () => {
    const { reader, timelines, read } = fixture();
    reader.want({ ...CLOUD, shown: [downlink(1, 'pending')], others: [downlink(2)] });
    await read(2);
    reader.want({ ...CLOUD, shown: [downlink(1, 'pending'), downlink(3)], others: [downlink(2)] });
    await read(3);
    expect(timelines).toEqual([idOf(1), idOf(2), idOf(3)]);
    reader.want({ ...CLOUD, shown: [downlink(1, 'sent')], others: [downlink(2)] });
    await until(() => timelines.length === 4);
    expect(timelines.at(-1)).toBe(idOf(1));
  });

  it('are read from the run, fifty at a time, and from the cloud if the run does not know them', async () => {
    const { reader, timelines, batches, read } = fixture((id) => id !== idOf(7));
    const shown = Array.from({ length: 60 }, (_, n) => downlink(n));
    reader.want({ shown, others: [], all: [], isRun: true });
    await read(60);
    expect(batches.map(({ length }) => length)).toEqual([50, 10]);
    expect(timelines).toEqual([idOf(7)]);
    expect(reader.journeys.value.get(idOf(1))).toMatchObject({ now: 'outage', isOfRun: true });
    expect(reader.journeys.value.get(idOf(7))?.isOfRun).toBe(false);
  });

  it.each([true, false])('are asked for again if there was no answer (from a run: %s)', async (isRun) => {
    const { reader, timelines, batches, read, state } = fixture();
    const wanted = { shown: [downlink(1)], others: [], all: [], isRun };
    const asked = () => timelines.length + batches.length;
    state.isSilent = true;
    reader.want(wanted);
    await until(() => asked() === 1);
    state.isSilent = false;
    reader.want(wanted);
    expect(asked()).toBe(1);
    state.now = 60_000;
    reader.want(wanted);
    await read(1);
    expect([asked(), reader.journeys.value.get(idOf(1))?.isOfRun]).toEqual([2, isRun]);
  });

  it('are read once if a downlink is both shown and among the others, with different knowledge of it', async () => {
    const { reader, batches, read } = fixture();
    const station = { what: 'received' } as Downlink['station'];
    const wanted = { shown: [{ ...downlink(1), station }], others: [downlink(1), downlink(2)], all: [], isRun: true };
    reader.want(wanted);
    await read(2);
    reader.want(wanted);
    expect(batches).toEqual([[idOf(1), idOf(2)]]);
  });

  it('are asked for again after growing pauses while the run is silent, even if the downlinks move', async () => {
    const { reader, batches, read, state } = fixture();
    state.isSilent = true;
    const asksAt = async (now: number) => {
      state.now = now;
      reader.want({
        shown: [{ ...downlink(1), station: { what: `${now}` } as never }],
        others: [],
        all: [],
        isRun: true,
      });
      await new Promise((resolve) => setImmediate(resolve));
      return batches.length;
    };
    const times = [0, 1_999, 2_000, 5_999, 6_000, 13_999, 14_000, 21_999, 22_000];
    const asked: number[] = [];
    for (const time of times) asked.push(await asksAt(time));
    expect(asked).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5]);
    state.isSilent = false;
    await asksAt(30_000);
    await read(1);
    expect(await asksAt(30_001)).toBe(7);
  });

  it('are those of the run as soon as there is one', async () => {
    const { reader, batches, read } = fixture();
    reader.want({ ...CLOUD, shown: [downlink(1)], others: [] });
    await read(1);
    reader.want({ shown: [downlink(1)], others: [], all: [], isRun: true });
    await until(() => reader.journeys.value.get(idOf(1))?.isOfRun === true);
    expect(batches).toEqual([[idOf(1)]]);
  });

  it('are asked for again until the run has seen the delivery that the cloud reports', async () => {
    const { reader, batches, read, state } = fixture();
    const wanted = { shown: [downlink(1)], others: [], all: [], isRun: true };
    state.stages = {};
    reader.want(wanted);
    await read(1);
    state.stages = { received: 900, delivered: 1_000 };
    state.now = 60_000;
    reader.want(wanted);
    await until(() => reader.journeys.value.get(idOf(1))?.stages.delivered === 1_000);
    state.now = 120_000;
    reader.want(wanted);
    expect(batches.length).toBe(2);
  });

  it('are forgotten when the page no longer has their downlinks', async () => {
    const { reader, read } = fixture();
    const wanted = (...ns: number[]) => ({ ...CLOUD, shown: ns.map((n) => downlink(n)), others: [] });
    reader.want(wanted(1, 2));
    await read(2);
    reader.want(wanted(2, 3));
    await until(() => reader.journeys.value.has(idOf(3)));
    expect([...reader.journeys.value.keys()]).toEqual([idOf(2), idOf(3)]);
  });
});

describe('the reports of a device', () => {
  const report = (n: number): Message =>
    // The cast is safe because the class reads only these fields.
    ({ id: idOf(n), type: 'data', direction: 'up', created_at: new Date(T0 + n).toISOString() }) as Message;
  /** A device with the reports 1 to `count`. */
  function deviceWith(count: number) {
    const asked: (string | undefined)[] = [];
    const messages = async ({ offset }: { readonly offset?: string | undefined } = {}) => {
      asked.push(offset);
      const newest = offset === undefined ? count : Number(offset) - 1;
      return Array.from({ length: Math.min(100, newest) }, (_, n) => report(newest - n));
    };
    return { asked, reports: new DeviceReports({ messages }, 'a') };
  }

  it('are read to the first one of the time, newest first', async () => {
    const { reports, asked } = deviceWith(230);
    await reports.load(T0);
    expect(asked).toEqual([undefined, idOf(131), idOf(31)]);
    expect([reports.all.value.length, reports.all.value[0]?.id, reports.isCut.value]).toEqual([230, idOf(230), false]);
  });

  it('end after a thousand, and it is known that there are more', async () => {
    const { reports, asked } = deviceWith(5_000);
    await reports.load(T0);
    expect([asked.length, reports.all.value.length, reports.isCut.value]).toEqual([10, 1_000, true]);
  });

  it('contain the newest one if none is of the time', async () => {
    const messages = async ({ after, limit }: { readonly after?: string; readonly limit?: number } = {}) =>
      after === undefined ? [report(9), report(8)].slice(0, limit) : [];
    const reports = new DeviceReports({ messages }, 'a');
    await reports.load(T0);
    expect(reports.all.value.map(({ id }) => id)).toEqual([idOf(9)]);
    expect(reports.isCut.value).toBe(false);
  });

  it('contain those that arrive meanwhile, once, and no other messages', async () => {
    const { reports } = deviceWith(3);
    await reports.load(T0);
    reports.see([report(4), { ...report(5), type: 'session' }, report(2)], T0);
    expect(reports.all.value.map(({ id }) => Number(id))).toEqual([4, 3, 2, 1]);
  });

  it('begin with the newest one, also if the device sends older ones later, as after an outage', async () => {
    const made = (n: number, second: number) => ({
      ...report(n),
      body: { message: { timestamp: T0 / 1000 + second } },
    });
    const { reports } = deviceWith(0);
    await reports.load(T0);
    reports.see([made(200_000, 60), made(190_000, 30), made(180_000, 170)], T0);
    expect(reports.all.value.map(({ id }) => Number(id))).toEqual([180_000, 200_000, 190_000]);
  });

  it('lose those that are older than the time, which moves, except the newest one', async () => {
    const { reports } = deviceWith(3);
    await reports.load(T0);
    reports.see([report(5), report(4)], T0 + 3);
    expect(reports.all.value.map(({ id }) => Number(id))).toEqual([5, 4, 3]);
    reports.see([report(5), report(4)], T0 + 60);
    expect(reports.all.value.map(({ id }) => Number(id))).toEqual([5]);
  });
});

describe('a page that stays open', () => {
  const message = (n: number, direction: 'up' | 'down', down_state: Message['down_state'] = null) =>
    // The cast is safe because the models read only these fields.
    ({ id: idOf(n), device_id: 'a', type: 'shell', direction, down_state }) as Message;
  /** A feed that the test fills. */
  function openFeed() {
    const listeners: Listener[] = [];
    // The cast is safe because the models only listen.
    const feed = { listen: (listener: Listener) => listeners.push(listener) } as unknown as Feed;
    const see = (seen: Message) => {
      for (const { message: take } of listeners) take?.(seen);
    };
    const miss = () => {
      for (const { reset } of listeners) reset?.();
    };
    return { feed, see, miss };
  }
  const numbers = (messages: Iterable<Message>) => [...messages].map(({ id }) => Number(id));

  it('keeps the latest 2,000 downlinks, and the older ones that still wait', () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { feed, see } = openFeed();
    const downlinks = new Downlinks({} as DeviceCloudClient, feed);
    for (let n = 1; n <= 2_100; n++) see(message(n, 'down', n === 5 ? 'pending' : 'sent'));
    vi.advanceTimersByTime(250);
    vi.useRealTimers();
    const kept = numbers([...downlinks.all.value.values()].map((each) => each.message)).sort((a, b) => a - b);
    expect([kept.length, kept[0], kept[1], kept.at(-1)]).toEqual([2_000, 5, 102, 2_100]);
  });

  it('is to load its downlinks, or its device, again after the feed has missed events', () => {
    const { feed, miss } = openFeed();
    const [downlinks, device] = [
      new Downlinks({} as DeviceCloudClient, feed),
      new DeviceModel('a', {} as DeviceCloudClient, feed),
    ];
    miss();
    expect([downlinks.missed.value, device.missed.value]).toEqual([1, 1]);
  });

  it('keeps the latest 500 messages of a device, and as many more as the user has requested', async () => {
    const { feed, see } = openFeed();
    const messages = async ({ offset }: { readonly offset?: string }) => {
      const before = Number(offset);
      return Array.from({ length: 100 }, (_, n) => message(before - 1 - n, 'up'));
    };
    // The cast is safe because the model requests only messages here.
    const device = new DeviceModel('a', { messages } as unknown as DeviceCloudClient, feed);
    for (let n = 1_001; n <= 1_510; n++) see(message(n, 'up'));
    const kept = () => numbers(device.messages.value);
    expect([kept().length, kept()[0], kept().at(-1), device.hasOlder.value]).toEqual([500, 1_510, 1_011, true]);
    await device.loadOlder();
    see(message(1_511, 'up'));
    expect([kept().length, kept()[0], kept().at(-1)]).toEqual([600, 1_511, 912]);
  });
});
