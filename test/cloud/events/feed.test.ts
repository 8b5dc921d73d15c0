/** The journal of events, and what its readers get and are woken by. */
import { describe, expect, it, vi } from 'vitest';
import { Feed } from '../../../src/cloud/events/feed.js';
import { StoreBusy } from '../../../src/cloud/store/bounded-commits.js';
import type { EventRow } from '../../../src/cloud/store/store.js';
import { endOfTurn } from '../../../src/kernel/real-timers.js';
import { minutes } from '../../../src/kernel/time.js';
import { service } from '../api/service.js';

describe('the journal', () => {
  it('has an entry for each device that becomes late or silent while there are readers', async () => {
    const { store, clock, device, context } = await service();
    const { feed } = context;
    const { id } = await device({});
    await store.commit([{ kind: 'device.change', id, change: { lastContact: clock.wall, contactEvery: minutes(20) } }]);
    const release = await feed.hold();
    await clock.runUntil(minutes(120));
    release();
    await clock.runUntil(minutes(200));
    const entries = (await store.events(0, 100)).filter(({ kind }) => kind === 'health');
    const T0 = Date.parse('2026-01-01T00:00:00.000Z');
    expect(entries.map(({ at, ref, detail }) => [(at - T0) / minutes(1), ref, detail])).toEqual([
      [41, id, 'late'],
      [81, id, 'silent'],
    ]);
  });

  it('has one entry for a device that became silent while the service was down, if readers can resume', async () => {
    const { store, clock, device, context } = await service();
    const { id } = await device({});
    await store.commit([{ kind: 'device.change', id, change: { lastContact: clock.wall, contactEvery: minutes(20) } }]);
    const release = await context.feed.hold();
    await clock.runUntil(minutes(79));
    await context.feed.keep();
    release();
    await clock.runUntil(minutes(85));
    const restarted = new Feed({ store, clock, ids: context.ids });
    await restarted.open();
    (await restarted.hold())();
    await restarted.hold();
    await clock.runUntil(minutes(90));
    const entries = (await store.events(0, 100)).filter(({ kind }) => kind === 'health');
    expect(entries.map(({ detail }) => detail)).toEqual(['late', 'silent']);
  });

  it('has no entry for a device that became silent while no reader could resume', async () => {
    const { store, clock, device, context } = await service();
    const { id } = await device({});
    await store.commit([{ kind: 'device.change', id, change: { lastContact: clock.wall, contactEvery: minutes(20) } }]);
    (await context.feed.hold())();
    await clock.runUntil(minutes(200));
    await context.feed.hold();
    await clock.runUntil(minutes(210));
    expect((await store.events(0, 100)).filter(({ kind }) => kind === 'health')).toEqual([]);
  });

  it('is not kept for a reader that could not begin', async () => {
    const { store, clock, device, context } = await service();
    const { newestEvent } = store;
    store.newestEvent = () => Promise.reject(new Error('unreachable'));
    await expect(context.feed.hold()).rejects.toThrow('unreachable');
    store.newestEvent = newestEvent;
    await clock.runUntil(minutes(60));
    await device({});
    expect(await store.events(0, 100)).toEqual([]);
  });

  it('keeps the newest 100,000 entries; older ones are deleted in pieces of 10,000, also if one fails', async () => {
    const { store, clock, context } = await service();
    await context.feed.hold();
    const [row] = await store.events(0, 1);
    const pieces: number[] = [];
    const commit = store.commit.bind(store);
    store.newestEvent = async () => 125_000;
    store.events = async () => [{ ...row, seq: pieces.at(-1) ?? 1 } as EventRow];
    store.commit = async (changes) => {
      const prune = changes.find(({ kind }) => kind === 'event.prune');
      if (prune && pieces.length === 1 && clock.wall < start + minutes(6)) throw new StoreBusy();
      if (prune?.kind === 'event.prune') pieces.push(prune.below);
      else await commit(changes);
    };
    const start = clock.wall;
    for (const count of [1, 3]) {
      await clock.runUntil(clock.now + minutes(3) * count);
      await context.feed.keep();
      await expect.poll(() => pieces).toHaveLength(count);
    }
    expect(pieces).toEqual([10_001, 20_001, 25_001]);
  });

  it('begins without the entries of an earlier time, which are then deleted', async () => {
    const { store, clock, spaceId, context } = await service();
    const { feed } = context;
    (await feed.hold())();
    await store.commit([record(spaceId, 'a')]);
    const [old] = await store.events(0, 9);
    await clock.runUntil(minutes(60));
    await feed.hold();
    const position = await feed.newest();
    await store.commit([record(spaceId, 'b')]);
    await expect.poll(async () => (await store.events(0, 9))[0]?.seq).toBe((old?.seq ?? 0) + 1);
    expect(await feed.after(position, spaceId)).toMatchObject({ rows: [{ seq: (old?.seq ?? 0) + 1 }] });
  });
});

describe('the readers of a space', () => {
  it('are not woken by events of another space', async () => {
    const { store, context, spaceId } = await service();
    const release = await context.feed.hold();
    const [own, other] = [context.feed.news(spaceId), context.feed.news('another-space')];
    const { seq } = await context.feed.newest();
    await store.commit([record(spaceId, 'a'), record(spaceId, 'b')]);
    await own.arrived;
    expect([own.hasArrived, other.hasArrived]).toEqual([true, false]);
    const position = await context.feed.newest();
    const before = { ...position, seq };
    expect(context.feed.skip(before, other)).toEqual(position);
    expect(context.feed.skip(before, own)).toEqual(before);
    release();
  });

  it('are all woken by each event, in whatever order they begin to wait again', async () => {
    const { store, context, spaceId } = await service();
    const { feed } = context;
    await feed.hold();
    const [first, second] = [feed.news(spaceId), feed.news(spaceId)];
    await store.commit([record(spaceId, 'a')]);
    await Promise.all([first.arrived, second.arrived]);
    first.cancel();
    const firstAgain = feed.news(spaceId);
    second.cancel();
    const secondAgain = feed.news(spaceId);
    await store.commit([record(spaceId, 'b')]);
    await endOfTurn();
    expect([firstAgain.hasArrived, secondAgain.hasArrived]).toEqual([true, true]);
  });

  it('are woken by an event whenever it is committed while the one before is being passed on', async () => {
    const { store, context, spaceId } = await service();
    await context.feed.hold();
    const woken = [];
    // Each turn of the promises once: the search for readers to wake ends in one of them.
    for (let turns = 0; turns < 30; turns++) {
      const first = store.commit([record(spaceId, `first ${turns}`)]);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const news = context.feed.news(spaceId);
      await store.commit([record(spaceId, `second ${turns}`)]);
      await first;
      await endOfTurn();
      woken.push(news.hasArrived);
      news.cancel();
    }
    expect(woken).toEqual(woken.map(() => true));
  });

  it('get an entry after the store has failed to read it once', async () => {
    const { store, context, spaceId } = await service();
    const { feed } = context;
    await feed.hold();
    const start = await feed.newest();
    vi.spyOn(store, 'events').mockRejectedValueOnce(new Error('a test'));
    vi.spyOn(store, 'record').mockRejectedValueOnce(new Error('a test'));
    // The search for readers to wake reads the page first.
    await store.commit([record(spaceId, 'a')]);
    await endOfTurn();
    const page = await feed.after(start, spaceId);
    const [entry] = page === 'gone' ? [] : page.rows;
    if (entry === undefined) throw new Error('no entry');
    await expect(feed.entry(entry)).rejects.toThrow('a test');
    expect(await feed.entry(entry)).toMatchObject({ record: { id: 'a' } });
  });

  it('get the entries of their space only, and continue after those of the others', async () => {
    const { store, context, spaceId } = await service();
    await context.feed.hold();
    const start = await context.feed.newest();
    await store.commit([record(spaceId, 'a')]);
    const end = await context.feed.newest();
    expect(await context.feed.after(start, 'another-space')).toEqual({ rows: [], end, isFull: false });
    expect(await context.feed.after(start, spaceId)).toMatchObject({ rows: [{ spaceId }], end });
  });
});

function record(spaceId: string, id: string) {
  const row = { family: 'firmware', id, spaceId, key: null, createdAt: 0, dueAt: null, body: {} };
  return { kind: 'record.put', row } as const;
}
