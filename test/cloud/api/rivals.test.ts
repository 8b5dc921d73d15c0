/** Requests about one thing at the same moment: each has read it before the other has changed it. */
import { describe, expect, it } from 'vitest';
import type { Id } from '../../../src/cloud/store/store.js';
import { withKey } from './people.js';
import { service } from './service.js';

type Service = Awaited<ReturnType<typeof service>>;

/** The next `n` who read this thing go on together, when all of them have read it. */
function meet({ store }: Service, id: Id, n: number): void {
  let release = () => {};
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = 0;
  const meeting = async <T>(read: Promise<T>): Promise<T> => {
    const value = await read;
    if (arrived >= n) return value;
    if (++arrived === n) release();
    await all;
    return value;
  };
  const [record, tag] = [store.record.bind(store), store.tag.bind(store)];
  store.record = (family, space, wanted) =>
    wanted === id && family !== 'key-use' ? meeting(record(family, space, wanted)) : record(family, space, wanted);
  store.tag = (space, wanted) => (wanted === id ? meeting(tag(space, wanted)) : tag(space, wanted));
}

describe('rivals for an API key', () => {
  it('do not bring back one that is deleted', async () => {
    const made = await service();
    const { call } = made;
    const { id, key } = (await call('POST', 'keys', { name: 'script' })).json;
    meet(made, id, 3);
    const [first, gone, second] = await Promise.all([
      call('POST', `keys/${id}/rotate`),
      call('DELETE', `keys/${id}`),
      call('POST', `keys/${id}/rotate`),
    ]);
    expect(gone.status).toBe(204);
    expect((await call('GET', `keys/${id}`)).status).toBe(404);
    for (const secret of [key, first.json.key, second.json.key]) {
      if (secret !== undefined) expect((await withKey(call, secret)('GET', '')).status).toBe(401);
    }
  });

  it('do not widen one that is narrowed', async () => {
    const made = await service();
    const { call } = made;
    const tag = (await call('POST', 'tags', { name: 'cold', color: '#00ffaa' })).json;
    const { id } = (await call('POST', 'keys', { name: 'script' })).json;
    meet(made, id, 3);
    const [, , rotated] = await Promise.all([
      call('PUT', `keys/${id}`, { tags: [tag], access_type: 'read' }),
      call('PUT', `keys/${id}`, { name: 'renamed' }),
      call('POST', `keys/${id}/rotate`),
    ]);
    expect((await call('GET', `keys/${id}`)).json).toMatchObject({
      name: 'renamed',
      scope: 'tags',
      access_type: 'read',
      prefix: rotated.json.key.slice(0, 8),
    });
    expect((await withKey(call, rotated.json.key)('GET', '')).status).toBe(200);
  });
});

describe('rivals for a variable', () => {
  it('do not write what is locked, nor unlock it', async () => {
    const made = await service();
    const { call } = made;
    const { id } = (await call('POST', 'variables', { name: 'a', value: 'old' })).json;
    meet(made, id, 3);
    const [locked, changed, deleted] = await Promise.all([
      call('POST', `variables/${id}/lock`),
      call('PUT', `variables/${id}`, { value: 'new' }),
      call('DELETE', `variables/${id}`),
    ]);
    expect([locked.status, changed.status, deleted.status]).toEqual([200, 423, 423]);
    expect((await call('GET', `variables/${id}`)).json).toMatchObject({ value: 'old', locked: true });
  });

  it('do not bring back one that is deleted', async () => {
    const made = await service();
    const { call } = made;
    const { id } = (await call('POST', 'variables', { name: 'a', value: 'old' })).json;
    meet(made, id, 2);
    await Promise.all([call('DELETE', `variables/${id}`), call('PUT', `variables/${id}`, { value: 'new' })]);
    expect((await call('GET', 'variables')).json).toEqual([]);
  });

  it('do not undo each other', async () => {
    const made = await service();
    const { call } = made;
    const { id } = (await call('POST', 'variables', { name: 'a', value: '1' })).json;
    const changes = [{ value: '2' }, { comment: 'c' }, { name: 'b' }, { environment: 'wmbus' }];
    meet(made, id, changes.length);
    await Promise.all(changes.map((change) => call('PUT', `variables/${id}`, change)));
    expect((await call('GET', `variables/${id}`)).json).toMatchObject(Object.assign({}, ...changes));
  });
});

describe('rivals for a connector or a tag', () => {
  it.each([
    ['connectors', { name: 'hook', transformation: 'function main(job) { return null; }' }],
    ['tags', { name: 'cold', color: '#00ffaa' }],
  ])('do not bring back one of the %s that is deleted', async (family, body) => {
    const made = await service();
    const { call } = made;
    const { id } = (await call('POST', family, body)).json;
    meet(made, id, 2);
    await Promise.all([call('DELETE', `${family}/${id}`), call('PUT', `${family}/${id}`, { name: 'renamed' })]);
    expect((await call('GET', family)).json).toEqual([]);
  });
});
