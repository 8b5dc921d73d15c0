import { describe, expect, it, vi } from 'vitest';
import { putVariable, type Variable, variablesFor } from '../../../src/cloud/connectors/variables.js';
import { service } from './service.js';

describe('a variable', () => {
  it('is created, read, changed and deleted', async () => {
    const { call, spaceId, device } = await service();
    const { id: deviceId } = await device();
    const given = { device_id: deviceId.toUpperCase(), name: '12345678', value: '00ff', environment: 'wmbus' };
    const made = await call('POST', 'variables', given);
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: expect.any(String),
        space_id: spaceId,
        device_id: deviceId,
        name: '12345678',
        value: '00ff',
        environment: 'wmbus',
        comment: null,
        secure: false,
        locked: false,
        created_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
    const path = `variables/${made.json.id}`;
    expect((await call('GET', path)).json).toEqual(made.json);
    const changed = await call('PUT', path, { value: '01', comment: 'meter', environment: null });
    expect(changed.json).toEqual({ ...made.json, value: '01', comment: 'meter', environment: null });
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('is not changed under a condition that would be ignored, and neither is what else has no version', async () => {
    const { call } = await service();
    const { json: variable } = await call('POST', 'variables', { name: 'a', value: '1' });
    const { json: tag } = await call('POST', 'tags', { name: 'cold', color: '#1f77b4' });
    const condition = { 'if-match': '"1"' };
    const answers = [
      await call('PUT', `variables/${variable.id}`, { value: '2' }, condition),
      await call('DELETE', `variables/${variable.id}`, undefined, condition),
      await call('PUT', `tags/${tag.id}`, { name: 'warm' }, condition),
      await call('PUT', 'connectors', { name: 'hook', transformation: 'function main() { return null }' }, condition),
      await call('PUT', `variables/${variable.id}`, { value: '2' }, { 'if-none-match': '*' }),
      await call('POST', 'tags', { name: 'hot', color: '#1f77b4' }, { 'if-none-match': '*' }),
      await call('PUT', `tags/${tag.id}`, { name: 'warm' }, { 'if-unmodified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }),
    ];
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(answers.map(() => [400, 'no-condition']));
    expect((await call('GET', `variables/${variable.id}`, undefined, condition)).json).toEqual(variable);
  });

  it('can be sent as it was read, also if it is secure; another device is rejected, and not ignored', async () => {
    const { call, device, spaceId, store } = await service();
    const { id } = await device();
    const { json: variable } = await call('POST', 'variables', { name: 'key', value: 'hush', secure: true });
    const path = `variables/${variable.id}`;
    const changed = await call('PUT', path, { ...variable, comment: 'meter' });
    expect([changed.status, changed.json]).toEqual([200, { ...variable, comment: 'meter' }]);
    expect(await variablesFor({ store }, spaceId, id)).toEqual({ key: 'hush' });
    expect((await call('PUT', path, { ...variable, secure: false })).json.code).toBe('secure-variable');
    const moved = await call('PUT', path, { ...variable, device_id: id });
    expect([moved.status, moved.json.code, moved.json.message]).toEqual([
      400,
      'device-fixed',
      'body/device_id is not null: a variable cannot be moved: delete it, and create one there',
    ]);
    const { json: owned } = await call('POST', 'variables', { name: 'key', value: 'hush', device_id: id });
    const same = { ...owned, device_id: id.toUpperCase() };
    expect((await call('PUT', `variables/${owned.id}`, same)).json).toEqual(owned);
  });

  it('has a unique name per device and environment', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const variable = { name: 'a', value: '1' };
    for (const place of [{}, { device_id: id }, { environment: 'wmbus' }, { device_id: id, environment: 'wmbus' }]) {
      expect((await call('POST', 'variables', { ...variable, ...place })).status).toBe(201);
      const again = await call('POST', 'variables', { ...variable, ...place });
      expect([again.status, again.json.message]).toEqual([
        409,
        'a variable "a" already exists for this device and environment',
      ]);
    }
  });

  it('that is secure never shows its value, and can be made visible only together with a new value', async () => {
    const { call, store, spaceId, ids } = await service();
    const made = await call('POST', 'variables', { name: 'key', value: 'hush-hush', secure: true });
    const path = `variables/${made.json.id}`;
    const answers = [made, await call('GET', path), await call('PUT', path, { comment: 'x' })];
    for (const { json, text } of answers) {
      expect(json.value).toBeNull();
      expect(text).not.toContain('hush-hush');
    }
    expect(await variablesFor({ store }, spaceId, ids.uuid())).toEqual({ key: 'hush-hush' });
    // Previews get asterisks instead of the value, because a script could print the value in any form.
    expect(await variablesFor({ store }, spaceId, ids.uuid(), 'hidden')).toEqual({ key: '********' });
    expect((await call('PUT', path, { secure: false })).status).toBe(400);
    expect((await call('PUT', path, { secure: false, value: 'open' })).json.value).toBe('open');
    const refused = await call('POST', 'variables', { name: 'key', value: 'hush-hush'.repeat(500) });
    expect([refused.status, refused.text]).toEqual([400, expect.not.stringContaining('hush')]);
  });

  it('that is locked can be neither changed nor deleted', async () => {
    const { call } = await service();
    const { id } = (await call('POST', 'variables', { name: 'a', value: '1' })).json;
    for (const method of ['POST', 'PUT']) {
      expect((await call(method, `variables/${id}/lock`)).json).toMatchObject({ id, locked: true });
      const { status, json } = await call('PUT', `variables/${id}`, { value: '2' });
      expect([status, json]).toEqual([
        423,
        { statusCode: 423, error: 'Locked', code: 'locked', message: 'variable "a" is locked: unlock it first' },
      ]);
      expect((await call('DELETE', `variables/${id}`)).status).toBe(423);
      expect((await call(method, `variables/${id}/unlock`)).json).toMatchObject({ value: '1', locked: false });
    }
    expect((await call('PUT', `variables/${id}`, { value: '2' })).status).toBe(200);
  });

  it('may belong to a device of the space, and is then deleted with the device', async () => {
    const { call, device, ids } = await service();
    const { id } = await device();
    await call('POST', 'variables', { name: 'a', value: '1', device_id: id });
    await call('POST', 'variables', { name: 'a', value: '1' });
    const unknown = ids.uuid();
    const refused = await call('POST', 'variables', { name: 'a', value: '1', device_id: unknown });
    expect([refused.status, refused.json.message]).toEqual([
      400,
      `body/device_id "${unknown}" is not a device of this space`,
    ]);
    await call('DELETE', `devices/${id}`);
    expect((await call('GET', 'variables')).json).toMatchObject([{ device_id: null }]);
  });
});

describe('the variables of a device, and of the space itself,', () => {
  const OLD = { deviceId: null, environment: null, comment: null, secure: false, locked: false, createdAt: 0 };
  const named = (n: number, more: object = {}) => ({ name: `v${n}`, value: '', ...more });
  const quota = (owner: string) =>
    `the ${owner} would have more than 1000 variables, or 256 KiB of their names and values, which is the maximum; delete some`;

  it('are at most 1,000 each, also if they are created concurrently', async () => {
    const { call, device, store, spaceId, ids } = await service();
    const { id } = await device();
    const create = (n: number, more?: object) => call('POST', 'variables', named(n, more));
    const stored = Array.from({ length: 950 }, (_, n) => ({ ...OLD, spaceId, id: ids.uuid(), ...named(2000 + n) }));
    await store.commit(stored.map(putVariable));
    const answers = await Promise.all(Array.from({ length: 51 }, (_, n) => create(n)));
    const rejected = answers.filter(({ status }) => status !== 201);
    expect(rejected).toMatchObject([{ status: 409, json: { code: 'quota', message: quota('space itself') } }]);
    expect((await create(1, { device_id: id })).status).toBe(201);
    await call('DELETE', `variables/${answers[0]?.json.id}`);
    expect((await create(1001)).status).toBe(201);
  });

  it('have at most 256 KiB of names and values, in bytes, also after changes', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const create = (n: number, value: string) => call('POST', 'variables', named(n, { value, device_id: id }));
    const answers = [];
    for (let n = 0; n < 21; n++) answers.push(await create(n, '€'.repeat(4096)));
    expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(201));
    const small = await create(30, 'a');
    expect(await create(31, '€'.repeat(4096))).toMatchObject({ status: 409, json: { message: quota('device') } });
    const path = `variables/${small.json.id}`;
    expect(await call('PUT', path, { value: '€'.repeat(4096) })).toMatchObject({
      status: 409,
      json: { code: 'quota' },
    });
    expect((await call('PUT', path, { comment: 'small', value: '' })).status).toBe(200);
  });

  it('that are more from an older version can be made smaller, but not larger', async () => {
    const { call, store, spaceId, ids } = await service();
    const rows = Array.from({ length: 1100 }, (_, n) => ({
      ...OLD,
      spaceId,
      id: ids.uuid(),
      ...named(n),
      value: 'abc',
    }));
    await store.commit(rows.map(putVariable));
    const path = `variables/${rows[0]?.id}`;
    expect((await call('PUT', path, { value: 'a' })).status).toBe(200);
    expect((await call('PUT', path, { value: 'abcd' })).json).toMatchObject({ code: 'quota' });
  });
});

describe('the list of variables', () => {
  it('is filtered and paged', async () => {
    const { call, device } = await service();
    const { id } = await device();
    for (const [name, more] of [
      ['a', {}],
      ['b', { device_id: id }],
      ['c', { environment: 'wmbus' }],
      ['d', { secure: true }],
    ] as const) {
      await call('POST', 'variables', { name, value: '1', ...more });
    }
    const names = async (query: string) =>
      (await call('GET', `variables${query}`)).json.map((variable: { name: string }) => variable.name);
    expect(await names('')).toEqual(['a', 'b', 'c', 'd']);
    expect(await names(`?device_id=${id}`)).toEqual(['b']);
    for (const name of ['a', '%20a%20']) expect(await names(`?name=${name}`)).toEqual(['a']);
    expect(await names('?environment=wmbus')).toEqual(['c']);
    expect(await names('?secure=true')).toEqual(['d']);
    const [first] = (await call('GET', 'variables?limit=1&secure=false')).json;
    expect(await names(`?limit=2&secure=false&offset=${first.id}`)).toEqual(['b', 'c']);
  });
});

describe('the variables for a transformation', () => {
  it('are the variables of its device and of its space that have no environment; a variable of the device takes precedence', async () => {
    const { call, device, store, spaceId } = await service();
    const { id } = await device();
    for (const variable of [
      { name: 'url', value: 'of the device', device_id: id },
      { name: 'url', value: 'of the space' },
      { name: 'group', value: '7' },
      { name: '12345678', value: '00ff', environment: 'wmbus' },
    ]) {
      await call('POST', 'variables', variable);
    }
    expect(await variablesFor({ store }, spaceId, id)).toEqual({ url: 'of the device', group: '7' });
  });

  it('are read without those of other devices and with an environment, and not beyond the limits', async () => {
    const { store, device, spaceId, ids } = await service();
    const [{ id }, other] = [await device(), await device({ name: 'freezer-2', serial_number: '2159017986' })];
    const read = vi.spyOn(store, 'recordsInRange');
    const put = (count: number, more: Partial<Variable>) =>
      store.commit(
        Array.from({ length: count }, (_, n) => {
          const owner = { spaceId, deviceId: null, environment: null, createdAt: 0 };
          const rest = { comment: null, secure: false, locked: false, name: `v${n}`, value: '€'.repeat(4096) };
          return putVariable({ id: ids.uuid(), ...owner, ...rest, ...more });
        }),
      );
    const readRows = async () => {
      const pages = await Promise.all(read.mock.results.map(({ value }) => value));
      read.mockClear();
      return pages.flat().length;
    };
    await put(500, { deviceId: other.id });
    await put(500, { environment: 'wmbus' });
    await put(2, { deviceId: id });
    expect(Object.keys((await variablesFor({ store }, spaceId, id)) ?? {})).toEqual(['v1', 'v0']);
    expect(await readRows()).toBe(2);
    await put(500, {});
    expect(await variablesFor({ store }, spaceId, id)).toBeUndefined();
    expect(await readRows()).toBeLessThan(100);
  });
});
