/** API keys, and the resources that a key limited to tags can read and change. */
import { describe, expect, it, vi } from 'vitest';
import { putKey } from '../../../src/cloud/accounts/keys.js';
import { days, hours, minutes } from '../../../src/kernel/time.js';
import { person, withKey } from './people.js';
import { type Call, START, service } from './service.js';

const SECRET = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('an API key', () => {
  it('shows its secret when it is created and when it is rotated, and never again', async () => {
    const { call } = await service();
    const made = await call('POST', 'keys', { name: ' script ' });
    const { key: secret, ...key } = made.json;
    expect([made.status, secret]).toEqual([201, expect.stringMatching(SECRET)]);
    expect(key).toEqual({
      id: expect.any(String),
      name: 'script',
      prefix: secret.slice(0, 8),
      scope: 'space',
      tags: [],
      access_type: 'write',
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: null,
      last_used_at: null,
      parent_id: expect.any(String),
    });
    const rotated = (await call('POST', `keys/${key.id}/rotate`)).json;
    expect(rotated).toEqual({ ...key, key: expect.stringMatching(SECRET), prefix: rotated.key.slice(0, 8) });
    expect((await withKey(call, secret)('GET', '')).status).toBe(401);
    expect((await withKey(call, rotated.key)('GET', '')).status).toBe(200);
    const all = (await call('GET', 'keys')).text + (await call('GET', `keys/${key.id}`)).text;
    expect(all).not.toContain(rotated.key);
    expect(all).not.toContain(secret);
  });

  it('is listed next to the given key of the space, renamed, and deleted', async () => {
    const { call } = await service();
    const { key, id } = (await call('POST', 'keys', { name: 'script' })).json;
    expect((await call('GET', 'keys')).json).toMatchObject([{ name: 'given key', prefix: '' }, { id }]);
    expect((await call('PUT', `keys/${id}`, { name: 'other' })).json).toMatchObject({
      name: 'other',
      prefix: key.slice(0, 8),
    });
    expect((await withKey(call, key)('GET', '')).status).toBe(200);
    expect((await call('DELETE', `keys/${id}`)).status).toBe(204);
    expect((await withKey(call, key)('GET', '')).status).toBe(401);
    expect((await call('GET', `keys/${id}`)).status).toBe(404);
  });

  it('shows its last use, to the minute', async () => {
    const { call, clock } = await service();
    const { key, id } = (await call('POST', 'keys', { name: 'script' })).json;
    await withKey(call, key)('GET', '');
    await clock.runUntil(minutes(0.5));
    await withKey(call, key)('GET', '');
    expect((await call('GET', `keys/${id}`)).json.last_used_at).toBe('2026-01-01T00:00:00.000Z');
    await clock.runUntil(minutes(1));
    await withKey(call, key)('GET', '');
    expect((await call('GET', `keys/${id}`)).json.last_used_at).toBe('2026-01-01T00:01:00.000Z');
  });

  it('is rejected if the space has 1,000 keys', async () => {
    const { call, store, ids, spaceId } = await service();
    const at = { spaceId, tagIds: null, access: 'read', createdAt: START, prefix: '' } as const;
    const others = Array.from({ length: 999 }, () => ({ ...at, id: ids.uuid(), name: 'script' }));
    await store.commit(others.flatMap((key) => putKey(key, key.id)));
    const read = vi.spyOn(store, 'records');
    const rejected = await call('POST', 'keys', { name: 'script' });
    expect(rejected).toMatchObject({ status: 409, json: { code: 'quota' } });
    // They are counted: reading them all would delay other requests.
    expect(read).not.toHaveBeenCalled();
    await call('DELETE', `keys/${others[0]?.id}`);
    expect((await call('POST', 'keys', { name: 'script' })).status).toBe(201);
  });

  it('is invalid from its expiry time on, which can be changed', async () => {
    const { call, clock } = await service();
    const made = await call('POST', 'keys', { name: 'temporary', expires_at: '2026-01-01T00:10:00+00' });
    const { id, key, expires_at: end } = made.json;
    expect([made.status, end]).toEqual([201, '2026-01-01T00:10:00.000Z']);
    const read = withKey(call, key);
    await clock.runUntil(minutes(10) - 1);
    expect((await read('GET', '')).status).toBe(200);
    await clock.runUntil(minutes(10));
    const late = await read('GET', '');
    expect([late.status, late.json.code]).toEqual([401, 'key-expired']);
    expect((await call('GET', `keys/${id}`)).json.expires_at).toBe(end);
    expect((await call('PUT', `keys/${id}`, { expires_at: '2026-01-02' })).json.expires_at).toBe(
      '2026-01-02T00:00:00.000Z',
    );
    expect((await read('GET', '')).status).toBe(200);
    expect((await call('PUT', `keys/${id}`, { name: 'renamed' })).json.expires_at).toBe('2026-01-02T00:00:00.000Z');
    const rotated = (await call('POST', `keys/${id}/rotate`)).json;
    expect(rotated.expires_at).toBe('2026-01-02T00:00:00.000Z');
    expect((await call('PUT', `keys/${id}`, { expires_at: null })).json.expires_at).toBeNull();
    await clock.runUntil(days(3));
    expect((await withKey(call, rotated.key)('GET', '')).status).toBe(200);
  });

  it('cannot get an expiry time in the past', async () => {
    const { call } = await service();
    for (const expiresAt of ['2026-01-01T00:00:00Z', '2025-12-31', 'tomorrow', 5]) {
      expect((await call('POST', 'keys', { name: 'late', expires_at: expiresAt })).status).toBe(400);
    }
    expect((await call('POST', 'keys', { name: 'late', expires_at: '2025-12-31' })).json.message).toBe(
      'body/expires_at "2025-12-31" is not in the future',
    );
    expect((await call('GET', 'keys')).json).toHaveLength(1);
  });

  it('that is read-only can read, and gets 403 for changes', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const reader = withKey(call, (await call('POST', 'keys', { name: 'reader', access_type: 'read' })).json.key);
    expect((await reader('GET', `devices/${id}`)).status).toBe(200);
    expect((await reader('GET', '')).json.user_role).toBe('user');
    for (const [method, path] of [
      ['POST', `devices/${id}/commands`],
      ['PUT', `devices/${id}`],
      ['POST', 'keys'],
      ['POST', '/v2/spaces'],
    ] as const) {
      expect((await reader(method, path, { name: 'x' })).status).toBe(403);
    }
  });
});

/**
 * Creates a key that is limited to the tags `mine` and `watched` (read-only), and four devices with one downlink each. One
 * device has the tags `mine` and `foreign`, one has `watched`, one has `foreign`, and one has no tags.
 */
async function limited() {
  const made = await service();
  const { call } = made;
  const tag = async (name: string, accessType = 'write') =>
    (await call('POST', 'tags', { name, color: '#00ffaa', access_type: accessType })).json;
  const [mine, watched, foreign] = [await tag('mine'), await tag('watched', 'read'), await tag('foreign')];
  const device = (n: number, ...tags: { id: string }[]) =>
    made.device({ name: `unit-${n}`, serial_number: String(2159017985 + n), tags });
  const devices = {
    mine: await device(1, mine, foreign),
    watched: await device(2, watched),
    foreign: await device(3, foreign),
    bare: await device(4),
  };
  const messages: Record<string, string> = {};
  for (const [name, { id }] of Object.entries(devices)) {
    messages[name] = (await call('POST', `devices/${id}/commands`, ['info show'])).json.id;
  }
  const { key, id: keyId } = (await call('POST', 'keys', { name: 'limited', tags: [mine, watched] })).json;
  return { ...made, mine, watched, foreign, devices, messages, keyId, limited: withKey(call, key) };
}

const names = (answer: { json: { name: string }[] }) => answer.json.map(({ name }) => name);

describe('a key that was created with another key', () => {
  it('has the id of that key in parent_id, and is deleted with it on request', async () => {
    const { call } = await service();
    const parent = (await call('POST', 'keys', { name: 'parent' })).json;
    const child = (await withKey(call, parent.key)('POST', 'keys', { name: 'child' })).json;
    const grandchild = (await withKey(call, child.key)('POST', 'keys', { name: 'grandchild' })).json;
    expect([child.parent_id, grandchild.parent_id]).toEqual([parent.id, child.id]);
    const works = async ({ key }: { key: string }) => (await withKey(call, key)('GET', '')).status === 200;
    await call('DELETE', `keys/${parent.id}`);
    expect([await works(parent), await works(child)]).toEqual([false, true]);
    await call('DELETE', `keys/${child.id}?children=true`);
    expect([await works(child), await works(grandchild)]).toEqual([false, false]);
    expect((await call('GET', 'keys')).json).toHaveLength(1);
  });

  it('ends earlier if that key gets an earlier end', async () => {
    const { call } = await service();
    const parent = (await call('POST', 'keys', { name: 'parent' })).json;
    const child = (await withKey(call, parent.key)('POST', 'keys', { name: 'child' })).json;
    const grandchild = (await withKey(call, child.key)('POST', 'keys', { name: 'grandchild' })).json;
    const end = '2026-01-02T00:00:00.000Z';
    await call('PUT', `keys/${parent.id}`, { expires_at: end });
    for (const { id } of [parent, child, grandchild])
      expect((await call('GET', `keys/${id}`)).json.expires_at).toBe(end);
  });

  it('ends earlier with that key also if the key between them was deleted', async () => {
    const { call } = await service();
    const parent = (await call('POST', 'keys', { name: 'parent' })).json;
    const child = (await withKey(call, parent.key)('POST', 'keys', { name: 'child' })).json;
    const grandchild = (await withKey(call, child.key)('POST', 'keys', { name: 'grandchild' })).json;
    await withKey(call, parent.key)('DELETE', `keys/${child.id}`);
    const end = '2026-01-02T00:00:00.000Z';
    await call('PUT', `keys/${parent.id}`, { expires_at: end });
    expect((await call('GET', `keys/${grandchild.id}`)).json).toMatchObject({ expires_at: end, parent_id: parent.id });
    await call('DELETE', `keys/${parent.id}?children=true`);
    expect((await withKey(call, grandchild.key)('GET', '')).status).toBe(401);
  });

  it('expires with that key at the latest', async () => {
    const { call } = await service();
    const end = '2026-02-01T00:00:00.000Z';
    const parent = (await call('POST', 'keys', { name: 'parent', expires_at: end })).json;
    const asParent = withKey(call, parent.key);
    expect((await asParent('POST', 'keys', { name: 'child' })).json.expires_at).toBe(end);
    const later = { name: 'child', expires_at: '2026-03-01T00:00:00.000Z' };
    expect((await asParent('POST', 'keys', later)).json.message).toContain(`after the end of this API key, ${end}`);
    expect((await asParent('PUT', `keys/${parent.id}`, { expires_at: null })).json.expires_at).toBe(end);
  });
});

describe('a key that is limited to tags', () => {
  it('cannot replace the claim token or the secret of a device', async () => {
    const { limited: call, devices } = await limited();
    for (const body of [{ token: 'ab'.repeat(16) }, { secret: 'ff'.repeat(16), secret_type: 'psk' }]) {
      expect(await call('PUT', `devices/${devices.mine.id}`, body)).toMatchObject({ status: 403 });
    }
  });

  it('sees the devices with these tags, their messages and these tags', async () => {
    const { limited: call, devices, messages, mine } = await limited();
    expect(names(await call('GET', 'devices'))).toEqual(['unit-1', 'unit-2']);
    expect(names(await call('GET', 'devices?sort_by=name&order_by=desc'))).toEqual(['unit-2', 'unit-1']);
    expect(names(await call('GET', `devices?tag_ids=${mine.id}`))).toEqual(['unit-1']);
    expect((await call('GET', 'devices/count')).json).toEqual({ count: 2 });
    expect((await call('GET', 'devices?limit=1')).headers['x-total']).toBe('2');
    expect(names(await call('GET', 'tags'))).toEqual(['mine', 'watched']);
    expect((await call('GET', 'tags?limit=1')).json).toHaveLength(1);
    const listed = (await call('GET', 'messages')).json.map((message: { id: string }) => message.id);
    expect(listed).toEqual([messages.watched, messages.mine]);
    expect((await call('GET', `messages?device_id=${devices.foreign.id}`)).json).toEqual([]);
    expect((await call('GET', `messages/${messages.mine}/timeline`)).status).toBe(200);
  });

  it('gets the same answer for hidden and for missing resources', async () => {
    const { limited: call, devices, messages, foreign, ids } = await limited();
    for (const [method, family, id, tail, body] of [
      ['GET', 'devices', devices.foreign.id, ''],
      ['PUT', 'devices', devices.bare.id, '', {}],
      ['DELETE', 'devices', devices.bare.id, ''],
      ['POST', 'devices', devices.foreign.id, '/commands', ['info show']],
      ['GET', 'messages', messages.foreign, ''],
      ['GET', 'messages', messages.bare, '/timeline'],
      ['POST', 'messages', messages.foreign, '/cancel'],
      ['GET', 'tags', foreign.id, ''],
      ['DELETE', 'tags', foreign.id, ''],
      ['GET', 'keys', ids.uuid(), ''],
      ['GET', 'users', ids.uuid(), ''],
    ] as const) {
      const known = await call(method, `${family}/${id}${tail}`, body);
      const unknown = await call(method, `${family}/${ids.uuid()}${tail}`, body);
      expect([family, known.status, known.text]).toEqual([family, 404, unknown.text]);
    }
    const cursor = (id: string) => call('GET', `devices?sort_by=name&offset=${id}`);
    expect((await cursor(devices.bare.id)).text).toBe((await cursor(ids.uuid())).text);
    for (const family of ['keys', 'users', 'variables']) expect((await call('GET', family)).status).toBe(404);
  });

  it('registers and changes devices only with a tag of its own that is not read-only', async () => {
    const { limited: call, devices, mine, watched, foreign } = await limited();
    const device = (n: number, ...tags: { id: string }[]) =>
      call('POST', 'devices', { name: 'new', serial_number: `000000000${n}`, token: String(n).repeat(32), tags });
    expect((await device(1)).status).toBe(403);
    expect((await device(2, watched)).status).toBe(403);
    expect((await device(3, foreign)).json.message).toContain(`"${foreign.id}" is not a tag of this space`);
    expect((await device(4, mine)).status).toBe(201);
    const path = `devices/${devices.mine.id}`;
    expect((await call('PUT', path, { tags: [foreign] })).json.message).toContain('is not a tag of this space');
    expect((await call('PUT', path, { tags: [mine, watched], comment: 'x' })).json.tags).toHaveLength(2);
  });

  it('neither sees nor changes the other tags of a device', async () => {
    const { limited: call, call: admin, devices, mine, watched, foreign } = await limited();
    const path = `devices/${devices.mine.id}`;
    const tagsOf = async (caller: Call) => names({ json: (await caller('GET', path)).json.tags });
    expect(await tagsOf(call)).toEqual(['mine']);
    expect((await call('GET', 'devices')).text).not.toContain(foreign.id);
    expect(names({ json: (await call('PUT', path, { tags: [watched, mine] })).json.tags })).toEqual([
      'watched',
      'mine',
    ]);
    expect(await tagsOf(admin)).toEqual(['foreign', 'watched', 'mine']);
    expect((await call('PUT', path, { tags: [mine, foreign] })).json.message).toContain(
      `body/tags/1/id "${foreign.id}" is not a tag of this space`,
    );
    expect((await call('PUT', path, { tags: [] })).status).toBe(403);
    await call('PUT', path, { tags: [mine] });
    expect(await tagsOf(admin)).toEqual(['foreign', 'mine']);
  });

  it('gets the same answer for a filter by a hidden tag and by a missing one', async () => {
    const { limited: call, mine, foreign, ids } = await limited();
    const answers = (id: string) =>
      Promise.all(
        [
          `devices?tag_ids=${id}`,
          `devices?tag_ids=${id},${mine.id}`,
          `devices?tag_ids=${id},${mine.id}&tag_filter_logic=all`,
          `devices/count?tag_ids=${id}`,
          `messages?tag_id=${id}`,
        ].map(async (path) => (await call('GET', path)).text),
      );
    expect(await answers(foreign.id)).toEqual(await answers(ids.uuid()));
    expect((await answers(foreign.id))[0]).toBe('[]');
  });

  it('can neither change a device nor send to it if they share only read-only tags', async () => {
    const { limited: call, devices, messages, mine } = await limited();
    const path = `devices/${devices.watched.id}`;
    for (const answer of [
      await call('POST', `${path}/commands`, ['info show']),
      await call('POST', 'messages', { device_id: devices.watched.id, type: 'data', body: {} }),
      await call('POST', `messages/${messages.watched}/cancel`),
      await call('PUT', path, { tags: [mine] }),
      await call('DELETE', path),
    ]) {
      expect([answer.status, answer.json.message]).toEqual([403, expect.stringContaining('access type "write"')]);
    }
    expect((await call('POST', `devices/${devices.mine.id}/commands`, ['info show'])).status).toBe(201);
    expect((await call('POST', `messages/${messages.mine}/cancel`)).status).toBe(200);
  });

  it('can change neither tags nor its space', async () => {
    const { limited: call, watched } = await limited();
    const escalation = await call('PUT', `tags/${watched.id}`, { access_type: 'write' });
    const others = [
      await call('POST', 'tags', { name: 'new', color: '#000000' }),
      await call('PUT', '', { name: 'x' }),
    ];
    expect([escalation, ...others].map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('sees nothing after its tags are deleted', async () => {
    const { limited: call, call: admin, mine, watched, keyId } = await limited();
    await admin('DELETE', `tags/${mine.id}`);
    await admin('DELETE', `tags/${watched.id}`);
    expect((await admin('GET', `keys/${keyId}`)).json).toMatchObject({ scope: 'tags', tags: [] });
    expect((await call('GET', 'devices')).json).toEqual([]);
    expect((await call('GET', 'messages')).json).toEqual([]);
    expect((await admin('PUT', `keys/${keyId}`, { tags: [] })).json.scope).toBe('space');
    expect((await call('GET', 'devices')).json).toHaveLength(4);
  });
});

describe('a key with an end', () => {
  async function expiring() {
    const made = await service();
    const { call } = made;
    const { key, id } = (await call('POST', 'keys', { name: 'contractor', expires_at: '2026-01-02T00:00:00.000Z' }))
      .json;
    return { ...made, own: withKey(call, key), id };
  }
  const REFUSED = { status: 403, json: { code: 'key-ends' } };

  it('can neither rotate nor change a key that is valid longer', async () => {
    const { call, own } = await expiring();
    const other = (await call('POST', 'keys', { name: 'production', access_type: 'read' })).json;
    expect(await own('POST', `keys/${other.id}/rotate`)).toMatchObject(REFUSED);
    for (const change of [{ access_type: 'write' }, { tags: [] }, { name: 'x' }, { expires_at: null }])
      expect(await own('PUT', `keys/${other.id}`, change)).toMatchObject(REFUSED);
    expect((await withKey(call, other.key)('GET', '')).status).toBe(200);
  });

  it('creates no key while it is being deleted, nor one without an end', async () => {
    const { call, own, id } = await expiring();
    const create = () => Array.from({ length: 4 }, () => own('POST', 'keys', { name: 'child' }));
    const creations = [...create(), own('DELETE', `keys/${id}`), ...create()];
    const statuses = (await Promise.all(creations)).map(({ status }) => status);
    expect(statuses.every((status) => [201, 204, 401].includes(status))).toBe(true);
    const [, ...left] = (await call('GET', 'keys')).json as { expires_at: string | null }[];
    expect(left.filter((key) => key.expires_at === null)).toEqual([]);
  });

  it('can neither rotate nor change a session of the console, with which keys without an end can be created', async () => {
    const { call, own, store, ids, spaceId } = await expiring();
    const session = {
      id: ids.uuid(),
      spaceId,
      name: 'console session',
      prefix: '',
      tagIds: null,
      isSession: true,
    } as const;
    const times = { createdAt: START, expiresAt: START + hours(12) };
    await store.commit(putKey({ ...session, ...times, access: 'write' }, 'the secret of a session of the console'));
    expect(await own('POST', `keys/${session.id}/rotate`)).toMatchObject(REFUSED);
    expect(await own('PUT', `keys/${session.id}`, { name: 'x' })).toMatchObject(REFUSED);
    expect((await call('POST', `keys/${session.id}/rotate`)).status).toBe(200);
  });

  it('cannot hand over its space', async () => {
    const { call, own } = await expiring();
    const ann = await person({ call }, 'ann@example.org');
    expect(await own('PUT', '', { owner_id: ann.id })).toMatchObject(REFUSED);
    expect((await own('PUT', '', { name: 'renamed' })).status).toBe(200);
    expect((await call('PUT', '', { owner_id: ann.id })).status).toBe(200);
  });

  it('can rotate itself and change the keys that it has created', async () => {
    const { own, id } = await expiring();
    const child = (await own('POST', 'keys', { name: 'child' })).json;
    expect((await own('PUT', `keys/${child.id}`, { name: 'renamed' })).status).toBe(200);
    expect((await own('POST', `keys/${id}/rotate`)).json.expires_at).toBe('2026-01-02T00:00:00.000Z');
  });

  it('can neither invite a user nor make a user an admin', async () => {
    const { call, own } = await expiring();
    const bob = await person({ call }, 'bob@example.org', 'user');
    expect(await own('POST', 'users/invite', { email: 'me@example.org' })).toMatchObject(REFUSED);
    expect(await own('PUT', `users/${bob.id}`, { role: 'admin' })).toMatchObject(REFUSED);
    expect((await own('PUT', `users/${bob.id}`, { name: 'Bob' })).status).toBe(200);
  });
});

describe('a key whose tags are all deleted', () => {
  it('sees no device after it was changed with its own fields, and the whole space only if that is asked for', async () => {
    const { call, device } = await service();
    await device();
    const { id: tag } = (await call('POST', 'tags', { name: 'cold', color: '#000000' })).json;
    const { key, id } = (await call('POST', 'keys', { name: 'limited', tags: [{ id: tag }] })).json;
    await call('DELETE', `tags/${tag}`);
    const read = (await call('GET', `keys/${id}`)).json;
    expect(read).toMatchObject({ scope: 'tags', tags: [] });
    const { name, scope, tags } = read;
    expect((await call('PUT', `keys/${id}`, { name: `${name} 2`, scope, tags })).json).toMatchObject({ scope: 'tags' });
    expect((await withKey(call, key)('GET', 'devices')).json).toEqual([]);
    expect((await call('PUT', `keys/${id}`, { scope: 'space' })).json).toMatchObject({ scope: 'space' });
    expect((await withKey(call, key)('GET', 'devices')).json).toHaveLength(1);
  });

  it('can be created, too: it sees nothing', async () => {
    const { call, device } = await service();
    await device();
    const { key } = (await call('POST', 'keys', { name: 'limited', scope: 'tags' })).json;
    expect((await withKey(call, key)('GET', 'devices')).json).toEqual([]);
  });
});

describe('a leaked key', () => {
  it('is deleted before its many changes that wait', async () => {
    const { call } = await service();
    const { key, id } = (await call('POST', 'keys', { name: 'leaked' })).json;
    const leaked = withKey(call, key);
    const ended: string[] = [];
    const change = (n: number) => leaked('PUT', `keys/${id}`, { name: `name ${n}` }).then(() => ended.push('changed'));
    const flood = Array.from({ length: 100 }, (_, n) => change(n));
    const deleted = call('DELETE', `keys/${id}`).then(({ status }) => ended.push(String(status)));
    await Promise.all([...flood, deleted]);
    expect(ended.indexOf('204')).toBeGreaterThanOrEqual(0);
    expect(ended.indexOf('204')).toBeLessThan(20);
  });
});

describe('the list of keys', () => {
  it('reads a tag once, however many keys have it', async () => {
    const { call, store } = await service();
    const { id } = (await call('POST', 'tags', { name: 'cold', color: '#000000' })).json;
    for (const name of ['a', 'b', 'c']) await call('POST', 'keys', { name, tags: [{ id }] });
    const read = vi.spyOn(store, 'tag');
    const { json } = await call('GET', 'keys');
    expect(json.map((key: { tags: object[] }) => key.tags.length)).toEqual([0, 1, 1, 1]);
    expect(read).toHaveBeenCalledTimes(1);
  });
});
