/** Concurrent requests for one resource, at several services: each has read it before the other changes it. */
import { describe, expect, it } from 'vitest';
import { deleteRemains, deletionOf } from '../../../src/cloud/accounts/spaces.js';
import { type Change, ConflictError, type Id } from '../../../src/cloud/store/store.js';
import { writeImage } from '../../../src/protocol/firmware-image.js';
import { person, withKey } from './people.js';
import { KEY, START, service } from './service.js';

type Service = Awaited<ReturnType<typeof service>>;

/** Holds the next `n` commits that concern this resource until all of them are there. */
function meet({ store }: Service, id: Id, n: number): void {
  let release = () => {};
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = 0;
  const commit = store.commit.bind(store);
  const concerns = (change: Change) =>
    ('row' in change && 'id' in change.row ? change.row : (change as { id?: Id })).id === id;
  store.commit = async (changes) => {
    if (arrived < n && changes.some(concerns)) {
      if (++arrived === n) release();
      await all;
    }
    return commit(changes);
  };
}

describe('changes of an API key', () => {
  it('do not restore it if a concurrent request deletes it', async () => {
    const made = await service();
    const { call, another } = made;
    const { id, key } = (await call('POST', 'keys', { name: 'script' })).json;
    meet(made, id, 3);
    const [first, gone, second] = await Promise.all([
      call('POST', `keys/${id}/rotate`),
      another()('DELETE', `keys/${id}`),
      another()('POST', `keys/${id}/rotate`),
    ]);
    expect(gone.status).toBe(204);
    expect((await call('GET', `keys/${id}`)).status).toBe(404);
    for (const secret of [key, first.json.key, second.json.key]) {
      if (secret !== undefined) expect((await withKey(call, secret)('GET', '')).status).toBe(401);
    }
  });

  it('do not undo a concurrent reduction of its permissions', async () => {
    const made = await service();
    const { call, another } = made;
    const tag = (await call('POST', 'tags', { name: 'cold', color: '#00ffaa' })).json;
    const { id } = (await call('POST', 'keys', { name: 'script' })).json;
    meet(made, id, 3);
    const [, , rotated] = await Promise.all([
      call('PUT', `keys/${id}`, { tags: [tag], access_type: 'read' }),
      another()('PUT', `keys/${id}`, { name: 'renamed' }),
      another()('POST', `keys/${id}/rotate`),
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

describe('changes of a variable', () => {
  it('are rejected with 423 if a concurrent request locks it', async () => {
    const made = await service();
    const { call, another } = made;
    const { id } = (await call('POST', 'variables', { name: 'a', value: 'old' })).json;
    meet(made, id, 3);
    const [locked, changed, deleted] = await Promise.all([
      call('POST', `variables/${id}/lock`),
      another()('PUT', `variables/${id}`, { value: 'new' }),
      another()('DELETE', `variables/${id}`),
    ]);
    expect([locked.status, changed.status, deleted.status]).toEqual([200, 423, 423]);
    expect((await call('GET', `variables/${id}`)).json).toMatchObject({ value: 'old', locked: true });
  });

  it('do not restore it if a concurrent request deletes it', async () => {
    const made = await service();
    const { call, another } = made;
    const { id } = (await call('POST', 'variables', { name: 'a', value: 'old' })).json;
    meet(made, id, 2);
    await Promise.all([call('DELETE', `variables/${id}`), another()('PUT', `variables/${id}`, { value: 'new' })]);
    expect((await call('GET', 'variables')).json).toEqual([]);
  });

  it('are all stored if they are concurrent and change different fields', async () => {
    const made = await service();
    const { call, another } = made;
    const { id } = (await call('POST', 'variables', { name: 'a', value: '1' })).json;
    const changes = [{ value: '2' }, { comment: 'c' }, { name: 'b' }, { environment: 'wmbus' }];
    meet(made, id, changes.length);
    await Promise.all(changes.map((change) => another()('PUT', `variables/${id}`, change)));
    expect((await call('GET', `variables/${id}`)).json).toMatchObject(Object.assign({}, ...changes));
  });
});

describe('concurrent changes at one service', () => {
  const script = 'function main(job) { return null; }';

  /** Counts commits of the store, and those that conflict. */
  function count({ store }: Service) {
    const counts = { commits: 0, conflicts: 0 };
    const commit = store.commit.bind(store);
    store.commit = async (changes) => {
      counts.commits++;
      try {
        await commit(changes);
      } catch (error) {
        counts.conflicts++;
        throw error;
      }
    };
    return counts;
  }

  const MANY = 20;
  const many = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: MANY }, (_, n) => work(n)));

  it.each<[string, string, object, (id: string, n: number) => readonly [string, string, object?]]>([
    ['of a key', 'keys', { name: 'script' }, (id, n) => ['PUT', `keys/${id}`, { name: `n${n}` }]],
    ['that replace the secret of a key', 'keys', { name: 'script' }, (id) => ['POST', `keys/${id}/rotate`]],
    ['that create keys', 'keys', { name: 'script' }, (_, n) => ['POST', 'keys', { name: `n${n}` }]],
    ['of a variable', 'variables', { name: 'a', value: '1' }, (id, n) => ['PUT', `variables/${id}`, { value: `${n}` }]],
    ['that lock a variable', 'variables', { name: 'a', value: '1' }, (id) => ['POST', `variables/${id}/lock`]],
    [
      'of a connector',
      'connectors',
      { name: 'hook', transformation: script },
      (id, n) => ['PUT', `connectors/${id}`, { name: `n${n}` }],
    ],
    [
      'of members',
      'tags',
      { name: 'a', color: '#00ffaa' },
      (_, n) => ['POST', 'users/invite', { email: `${n}@example.org` }],
    ],
  ])('%s wait for each other, so that none conflicts', async (_, family, body, change) => {
    const made = await service();
    const { id } = (await made.call('POST', family, body)).json;
    const counts = count(made);
    const answers = await many((n) => made.call(...change(id, n)));
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    expect(counts).toEqual({ commits: MANY, conflicts: 0 });
  });

  it('are not made after their clients have gone', async () => {
    const made = await service();
    const { app, store, spaceId, call } = made;
    const { id } = (await call('POST', 'keys', { name: 'script' })).json;
    const counts = count(made);
    const commit = store.commit.bind(store);
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      store.commit = async (changes) => {
        resolve();
        await held;
        return commit(changes);
      };
    });
    const client = new AbortController();
    const put = (name: string, signal?: AbortSignal) =>
      app.inject({
        method: 'PUT',
        url: `/v2/spaces/${spaceId}/keys/${id}`,
        headers: { 'x-api-key': KEY },
        payload: { name },
        ...(signal && { signal }),
      });
    const first = put('first');
    await begun;
    const gone = many((n) => put(`n${n}`, client.signal).catch(() => 'gone'));
    // The requests wait for their turns.
    await made.call('GET', `keys/${id}`);
    client.abort();
    await gone;
    goOn();
    await first;
    expect((await call('PUT', `keys/${id}`, { access_type: 'read' })).json.name).toBe('first');
    expect(counts).toEqual({ commits: 2, conflicts: 0 });
  });

  it.each<[string, string, object, string, object | undefined]>([
    ['keys/:id', 'keys', { name: 'script' }, 'PUT', { name: 'n' }],
    ['variables/:id', 'variables', { name: 'a', value: '1' }, 'PUT', { value: '2' }],
    ['connectors/:id', 'connectors', { name: 'hook', transformation: script }, 'PUT', { name: 'n' }],
  ])(
    'of %s end with 503 and a time to wait if other services always win',
    async (path, family, body, method, change) => {
      const made = await service();
      const { id } = (await made.call('POST', family, body)).json;
      made.store.commit = () => Promise.reject(new ConflictError('record-body'));
      const counts = count(made);
      const answer = await made.call(method, path.replace(':id', id), change);
      expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'busy', '1']);
      expect(counts.commits).toBe(10);
    },
  );
});

describe('the deletion of a connector or a tag', () => {
  it.each([
    ['connectors', { name: 'hook', transformation: 'function main(job) { return null; }' }],
    ['tags', { name: 'cold', color: '#00ffaa' }],
  ])('is not undone by a concurrent change: %s', async (family, body) => {
    const made = await service();
    const { call } = made;
    const { id } = (await call('POST', family, body)).json;
    meet(made, id, 2);
    await Promise.all([call('DELETE', `${family}/${id}`), call('PUT', `${family}/${id}`, { name: 'renamed' })]);
    expect((await call('GET', family)).json).toEqual([]);
  });
});

describe('the deletion of a device', () => {
  const SERIAL = '2159017985';
  const DATA = Buffer.from(writeImage({ bundle: 'b', name: 'n', version: 'v1' }, 1000)).toString('base64');

  /** A device and a firmware image; the device is deleted immediately before the next commit for which `isIt` is true. */
  async function overtaken(isIt: (change: Change) => boolean) {
    const made = await service();
    const { call, store } = made;
    const { id } = await made.device({ serial_number: SERIAL });
    const image = (await call('POST', 'firmware-images', { data: DATA })).json.id;
    const commit = store.commit.bind(store);
    store.commit = async (changes) => {
      if (!changes.some(isIt)) return commit(changes);
      store.commit = commit;
      expect((await call('DELETE', `devices/${id}`)).status).toBe(204);
      return commit(changes);
    };
    const left = async () => {
      const families = ['variable', 'secret', 'firmware', 'idempotency'];
      const records = await Promise.all(families.map((each) => store.records(each, made.spaceId, { limit: 9 })));
      return [await store.countPending(), ...records.map((rows) => rows.length)];
    };
    return { call, id, image, left };
  }

  const isDownlink = ({ kind }: Change) => kind === 'message.insert';
  const isRecordOf = (family: string) => (change: Change) =>
    change.kind === 'record.put' && change.row.family === family;

  it.each<[string, (change: Change) => boolean, string, string, (id: string, image: string) => unknown]>([
    ['queues commands', isDownlink, 'POST', 'devices/:id/commands', () => ['info show']],
    ['queues a configuration', isDownlink, 'POST', 'devices/:id/configs', () => ['app config interval-report 60']],
    ['queues data', isDownlink, 'POST', 'messages', (id) => ({ device_id: id, type: 'data', raw: '00' })],
    [
      'schedules an update',
      isRecordOf('firmware'),
      'POST',
      'firmware',
      (id, image) => ({ device_id: id, firmware_id: image }),
    ],
    ['schedules its update', isDownlink, 'POST', 'devices/:id/firmware', (_, image) => ({ firmware_id: image })],
    [
      'creates a variable',
      isRecordOf('variable'),
      'POST',
      'variables',
      (id) => ({ name: 'a', value: '1', device_id: id }),
    ],
    ['sets its secret', isRecordOf('secret'), 'PUT', 'devices/:id', () => ({ secret: 'ab'.repeat(16) })],
  ])('makes a concurrent request that %s fail with 404, and nothing stays', async (_, isIt, method, path, body) => {
    const { call, id, image, left } = await overtaken(isIt);
    const once = method === 'POST' ? { 'idempotency-key': 'once' } : {};
    const answer = await call(method, path.replace(':id', id), body(id, image), once);
    expect([answer.status, answer.json.message]).toEqual([404, 'device not found']);
    expect(await left()).toEqual([0, 0, 0, 0, 0]);
  });

  it('also deletes a variable, and ends an update, that was created while it read what the device has', async () => {
    const { call, store, spaceId, device } = await service();
    const { id } = await device({ serial_number: SERIAL });
    const image = (await call('POST', 'firmware-images', { data: DATA })).json.id;
    const commit = store.commit.bind(store);
    store.commit = async (changes) => {
      if (!changes.some(({ kind }) => kind === 'device.delete')) return commit(changes);
      store.commit = commit;
      await call('POST', 'variables', { name: 'a', value: '1', device_id: id });
      await call('POST', 'firmware', { device_id: id, firmware_id: image });
      return commit(changes);
    };
    expect((await call('DELETE', `devices/${id}`)).status).toBe(204);
    expect((await call('GET', 'variables')).json).toEqual([]);
    expect((await store.records('firmware', spaceId, { limit: 9 })).map(({ body }) => body)).toMatchObject([
      { state: 'cancelled', error: 'the device was removed' },
    ]);
    expect(await store.countPending()).toBe(0);
  });
});

describe('the deletion of a space', () => {
  /** Deletes the space immediately before each commit that contains a change of this kind. */
  function overtake({ store, spaceId }: Service, kind: Change['kind'], family?: string): void {
    const commit = store.commit.bind(store);
    store.commit = async (changes) => {
      const isIt = changes.some((c) => c.kind === kind && (c.kind !== 'record.put' || c.row.family === family));
      if (isIt) await commit(deletionOf(spaceId, START));
      return commit(changes);
    };
  }

  it.each([
    [
      'device',
      'device.insert',
      undefined,
      'devices',
      { name: 'x', serial_number: '2159017985', token: '0'.repeat(32) },
    ],
    ['key', 'key.put', undefined, 'keys', { name: 'late' }],
    ['tag', 'tag.put', undefined, 'tags', { name: 'late', color: '#00ffaa' }],
    ['variable', 'record.put', 'variable', 'variables', { name: 'late', value: '1' }],
    [
      'connector',
      'record.put',
      'connector',
      'connectors',
      { name: 'late', transformation: 'function main() {}', triggers: ['data'] },
    ],
    ['invitation', 'record.put', 'invite', 'users/invite', { email: 'eva@example.org' }],
  ] as const)('makes a concurrent request that creates a %s fail with 404', async (_, kind, family, path, body) => {
    const made = await service();
    overtake(made, kind, family);
    const answer = await made.call('POST', path, body, { 'idempotency-key': 'once' });
    expect([answer.status, answer.json.message]).toEqual([404, 'space not found']);
    expect(await made.store.countDevices(made.spaceId, {})).toBe(0);
    expect(await made.store.tags(made.spaceId, { limit: 9 })).toEqual([]);
    while (await deleteRemains(made.store, START, 500));
    for (const left of ['variable', 'connector', 'key', 'idempotency', `member/${made.spaceId}`]) {
      expect(await made.store.records(left, made.spaceId, { limit: 9 })).toEqual([]);
    }
  });

  it('fails if a device is registered first, and also deletes the membership of a user who joins at the same time', async () => {
    const made = await service();
    const eva = await person(made, 'eva@example.org');
    const { store } = made;
    const commit = store.commit.bind(store);
    let deviceFirst = true;
    store.commit = async (changes) => {
      const isDeletion = changes.some(({ kind }) => kind === 'space.delete');
      if (isDeletion && deviceFirst) {
        deviceFirst = false;
        await made.device();
      }
      return commit(changes);
    };
    const refused = await eva.call('DELETE', '');
    expect([refused.status, refused.json.message]).toEqual([409, 'the space still has devices (1): delete them first']);
    const [device] = (await made.call('GET', 'devices')).json;
    await made.call('DELETE', `devices/${device.id}`);
    const invited = (await made.call('POST', 'users/invite', { email: 'adam@example.org' })).json;
    const acceptance = { token: invited.invite_token, email: invited.email, password: 'a-password' };
    const [deleted] = await Promise.all([eva.call('DELETE', ''), made.call('POST', '/v2/auth/accept', acceptance)]);
    expect(deleted.status).toBe(204);
    while (await deleteRemains(store, START, 500));
    expect(await store.records(`member/${made.spaceId}`, made.spaceId, { limit: 9 })).toEqual([]);
    expect(await store.records(`member-of/${invited.id}`, null, { limit: 9 })).toEqual([]);
    expect((await eva.call('DELETE', '')).status).toBe(404);
  });
});
