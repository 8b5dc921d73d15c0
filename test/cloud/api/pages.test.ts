/** Pages of lists are read and converted bit by bit, in turns, so that a large page does not delay the requests of others. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Share } from '../../../src/cloud/api/share.js';
import { Unsent } from '../../../src/cloud/http/unsent.js';
import { LoopTurns } from '../../../src/cloud/store/loop-turns.js';
import { idAt } from '../store/rows.js';
import { service } from './service.js';

afterEach(() => vi.restoreAllMocks());

const MANY = 65;
/** Tags of each device and key. */
const TAGS = 5;

/** A service with {@link MANY} devices, tags, keys and variables. */
async function furnished() {
  const made = await service();
  const { call, store, spaceId, clock } = made;
  const at = clock.wall;
  const tags = Array.from({ length: MANY }, (_, n) => ({ id: idAt(at, n), name: `tag-${n}` }));
  await store.commit(
    tags.map((tag) => ({
      kind: 'tag.put' as const,
      row: { ...tag, spaceId, color: '#000000', accessType: 'write' as const, createdAt: at },
    })),
  );
  const refs = tags.slice(0, TAGS).map(({ id }) => ({ id }));
  for (let n = 0; n < MANY; n++) {
    await made.device({ serial_number: String(2159017985 + n), tags: refs });
    await call('POST', 'keys', { name: `key-${n}`, tags: refs });
    await call('POST', 'variables', { name: `variable-${n}`, value: 'x' });
  }
  return made;
}

describe('a page', () => {
  it('of any list is read and converted in pieces of ten items and then fifty, each in a turn', async () => {
    const { call, store, spaceId } = await furnished();
    const next = vi.spyOn(LoopTurns.prototype, 'next');
    for (const list of ['devices', 'devices?sort_by=name', 'devices/summaries', 'tags', 'variables']) {
      next.mockClear();
      const { json } = await call('GET', list);
      expect([list, json.length, next.mock.calls]).toEqual([list, MANY, [[spaceId], [spaceId], [spaceId]]]);
    }
    const tag = vi.spyOn(store, 'tag');
    next.mockClear();
    expect((await call('GET', 'keys')).json).toHaveLength(MANY + 1);
    expect(next).toHaveBeenCalledTimes(3);
    // The pieces share the tags that they have read.
    expect(tag).toHaveBeenCalledTimes(TAGS);
  });

  it('of few items takes one turn, because they may be large, and another one to count the items of the list', async () => {
    const { call } = await furnished();
    const next = vi.spyOn(LoopTurns.prototype, 'next');
    expect((await call('GET', 'devices?limit=10')).json).toHaveLength(10);
    expect(next).toHaveBeenCalledTimes(1);
    next.mockClear();
    expect((await call('GET', 'tags?limit=1')).headers['x-total']).toBe(String(MANY));
    expect(next).toHaveBeenCalledTimes(2);
  });

  it('is not made further for a client that has gone', async () => {
    const { call, device, app } = await service();
    const raw: ServerResponse[] = [];
    app.addHook('onRequest', async (_, reply) => void raw.unshift(reply.raw));
    for (let n = 0; n < MANY; n++) await device({ serial_number: String(2159017985 + n) });
    const next = vi.spyOn(LoopTurns.prototype, 'next').mockImplementation(async () => {
      if (next.mock.calls.length === 2) raw[0]?.destroy();
    });
    await call('GET', 'devices').catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(next).toHaveBeenCalledTimes(2);
  });

  it('that is large is converted while the client takes it', async () => {
    const { call, device, app } = await service();
    const next = vi.spyOn(LoopTurns.prototype, 'next');
    let atHead = 0;
    app.addHook('onSend', async () => {
      atHead = next.mock.calls.length;
    });
    const label = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`l${n}`, 'v'.repeat(1000)]));
    const made: string[] = [];
    for (let n = 0; n < 40; n++) made.push((await device({ serial_number: String(2159017985 + n), label })).id);
    next.mockClear();
    const { json, headers } = await call('GET', 'devices?limit=500');
    expect(json.map(({ id }: { id: string }) => id)).toEqual(made);
    expect([headers['x-total'], headers['x-next-offset']]).toEqual(['40', made.at(-1)]);
    // Three turns until more than 1 MiB was made, and three in which the rest was read for its last device.
    expect([atHead, next.mock.calls.length > atHead]).toEqual([6, true]);
  });

  it('ends at once when its client goes, also while it waits for its turn', async () => {
    const { store, spaceId } = await service();
    const turns = new LoopTurns();
    vi.spyOn(turns, 'next').mockReturnValue(new Promise(() => {}));
    const raw = Object.assign(new EventEmitter(), { req: {}, closed: false, destroyed: false });
    const access = { userId: null, keyId: 'key', boundTo: spaceId, role: 'admin', scope: null } as const;
    const unsent = new Unsent({ all: 1, each: 1 });
    // The casts are safe because a share uses only these members of an answer.
    const reply = { raw } as unknown as FastifyReply;
    const waiting = new Share({ store, turns, unsent }, { spaceId, access }, reply).turn();
    await new Promise((resolve) => setImmediate(resolve));
    raw.destroyed = true;
    raw.emit('close');
    await expect(waiting).rejects.toThrow('the client has closed the connection');
  });

  it('of large items is read a few items at a time', async () => {
    const { call, device, store } = await service();
    const label = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`l${n}`, 'v'.repeat(1000)]));
    for (let n = 0; n < 30; n++) await device({ serial_number: String(2159017985 + n), label });
    const read = vi.spyOn(store, 'devices');
    expect((await call('GET', 'devices/summaries?limit=500')).json).toHaveLength(30);
    expect(read.mock.calls.map(([, { limit }]) => limit)).toEqual([10, 4, 4, 4, 4, 4, 4]);
    read.mockClear();
    expect((await call('GET', 'devices?limit=30&sort_by=name&order_by=desc')).json).toHaveLength(30);
    expect(Math.max(...read.mock.calls.map(([, { limit }]) => limit))).toBe(10);
  });

  it('of small items is read in two or three steps', async () => {
    const { call, device, store } = await service();
    for (let n = 0; n < 60; n++) await device({ serial_number: String(2159017985 + n) });
    const read = vi.spyOn(store, 'devices');
    expect((await call('GET', 'devices?limit=50')).json).toHaveLength(50);
    expect(read.mock.calls.map(([, { limit }]) => limit)).toEqual([10, 40]);
  });
});
