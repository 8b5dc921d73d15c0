import { describe, expect, it } from 'vitest';
import { guardCommits, StoreBusy } from '../../../src/cloud/operations/guard.js';
import { MemoryStore } from '../../../src/cloud/store/memory.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { service } from '../api/service.js';

/** A store whose commits wait until they are let through. */
function slowStore() {
  const store = new MemoryStore();
  const commit = store.commit.bind(store);
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  store.commit = async (changes) => {
    await gate;
    await commit(changes);
  };
  return { store, release };
}

describe('a guarded store', () => {
  it('refuses a commit at once when too many wait, and takes commits again afterwards', async () => {
    const { store, release } = slowStore();
    const took: number[] = [];
    const clock = new VirtualClock();
    const counts = guardCommits(store, { clock, limit: 2, onCommit: (ms) => took.push(ms) });
    const waiting = [store.commit([]), store.commit([])];
    await expect(store.commit([])).rejects.toThrow(StoreBusy);
    expect(counts).toEqual({ waiting: 2, refused: 1 });
    release();
    await Promise.all(waiting);
    await store.commit([]);
    expect(counts).toEqual({ waiting: 0, refused: 1 });
    expect(took).toEqual([0, 0, 0]);
  });

  it('counts a commit that failed as done', async () => {
    const store = new MemoryStore();
    const counts = guardCommits(store, { clock: new VirtualClock(), limit: 1 });
    const foreign = {
      id: 'a',
      spaceId: 'nowhere',
      name: 'x',
      color: '#000000',
      accessType: 'write',
      createdAt: 1,
    } as const;
    await expect(store.commit([{ kind: 'tag.put', row: foreign }])).rejects.toThrow();
    expect(counts.waiting).toBe(0);
  });
});

describe('a service with too much to do', () => {
  it('answers 503 with Retry-After, and logs no failure', async () => {
    const { call, store, logged } = await service();
    store.commit = () => Promise.reject(new StoreBusy());
    const answer = await call('POST', 'tags', { name: 'a', color: '#000000' });
    expect([answer.status, answer.headers['retry-after'], answer.json.code]).toEqual([503, '1', 'busy']);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a rate limit', () => {
  it('answers 429 and says when to come back; other keys are not concerned', async () => {
    const { call, clock } = await service({ rateLimit: 2 });
    const first = await call('GET', '/v2/spaces');
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '60',
    });
    expect((await call('GET', '/v2/spaces')).status).toBe(200);
    await clock.runUntil(clock.now + 20_000);
    const third = await call('GET', '/v2/spaces');
    expect([third.status, third.headers['retry-after'], third.json.code]).toEqual([429, '40', 'rate-limit']);
    expect((await call('GET', '/v2/spaces', undefined, { 'x-api-key': 'another' })).status).toBe(401);
    await clock.runUntil(clock.now + 40_000);
    expect((await call('GET', '/v2/spaces')).status).toBe(200);
  });

  it('slows down those who guess, too', async () => {
    const { call } = await service({ rateLimit: 1 });
    expect((await call('GET', '/v2/spaces', undefined, { 'x-api-key': 'guess' })).status).toBe(401);
    expect((await call('GET', '/v2/spaces', undefined, { 'x-api-key': 'guess' })).status).toBe(429);
  });

  it('leaves the documentation alone when there is none', async () => {
    const { call } = await service();
    const answer = await call('GET', '/v2/spaces');
    expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
  });
});
