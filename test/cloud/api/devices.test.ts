/** Devices: how they are created, read, changed and deleted. */
import { describe, expect, it } from 'vitest';
import { deviceRegistration } from '../../../src/cloud/api/devices.js';
import { KEY, service } from './service.js';

const TOKEN = '00112233445566778899AABBCCDDEEFF';

describe('creating a device', () => {
  it('returns 201 with all its fields except the claim token', async () => {
    const { call, spaceId, store, forgotten } = await service();
    const tag = (await call('POST', 'tags', { name: 'cold', color: '#00ffaa' })).json;
    const { status, json, text } = await call('POST', 'devices', {
      name: ' Warehouse-A freezer ',
      serial_number: '2159017985',
      token: TOKEN,
      external_id: 'ext',
      comment: 'by the door',
      label: { site: 'A' },
      tags: [{ ...tag, created_at: 'whatever' }, { id: tag.id.toUpperCase() }],
      space_id: spaceId,
      unknown: { is: 'ignored' },
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      space_id: spaceId,
      name: 'Warehouse-A freezer',
      comment: 'by the door',
      serial_number: '2159017985',
      external_id: 'ext',
      label: { site: 'A' },
      tags: [tag],
      version: 0,
      created_at: '2026-01-01T00:00:00.000Z',
      last_seen: null,
      ...{ last_contact: null, contact_every: null, health: 'never_seen' },
      session_id: null,
      config_hash: null,
      decoder_hash: null,
      encoder_hash: null,
      session: null,
      dashboard_type: null,
    });
    expect(text.toLowerCase()).not.toContain(TOKEN.toLowerCase());
    expect((await store.deviceBySerial(2159017985))?.token).toBe(TOKEN.toLowerCase());
    expect(forgotten).toEqual([2159017985]);
  });

  it('without HTTP checks, stores and answers as the route does', async () => {
    const [one, other] = [await service(), await service()];
    const register = deviceRegistration(other.context, { strictNames: false });
    const tagged = async ({ call }: typeof one) => [
      { id: (await call('POST', 'tags', { name: 'cold', color: '#00ffaa' })).json.id },
    ];
    const body = { name: ' freezer ', serial_number: '0000000042', token: TOKEN, secret: 'AB'.repeat(16) };
    const answer = (await one.call('POST', 'devices', { ...body, tags: await tagged(one) })).json;
    expect(await register(other.spaceId, { ...body, tags: await tagged(other) })).toEqual(answer);
    expect(await other.store.deviceBySerial(42)).toEqual(await one.store.deviceBySerial(42));
    expect(other.forgotten).toEqual([42]);
    for (const wrong of [
      body,
      { ...body, token: 'x' },
      { ...body, tags: [{ id: other.spaceId }] },
      { ...body, name: '\ud800' },
    ]) {
      const { statusCode, message } = (await one.call('POST', 'devices', wrong)).json;
      await expect(register(other.spaceId, wrong)).rejects.toMatchObject({ statusCode, message });
    }
  });

  it('accepts a serial number that is a JSON number or has leading zeros', async () => {
    const { device } = await service();
    expect((await device({ serial_number: 2159017985 })).serial_number).toBe('2159017985');
    expect((await device({ serial_number: '0000000042' })).serial_number).toBe('0000000042');
  });

  it('rejects a serial number or a claim token in use, and does not say which, or in which space', async () => {
    const { call, device, store, ids } = await service();
    const token = '1'.repeat(32);
    await device({ token });
    const other = ids.uuid();
    const own = await store.deviceBySerial(2159017985);
    if (!own) throw new Error('the device is stored');
    await store.commit([
      { kind: 'space.put', row: { id: other, name: 'other', type: 'team', createdAt: 0 } },
      { kind: 'device.insert', row: { ...own, id: ids.uuid(), spaceId: other, serial: 5, token: '5'.repeat(32) } },
    ]);
    const free = { name: 'b', serial_number: '0000000006', token: '6'.repeat(32) };
    const answers = [
      await call('POST', 'devices', { ...free, serial_number: '2159017985' }),
      await call('POST', 'devices', { ...free, serial_number: '0000000005' }),
      await call('POST', 'devices', { ...free, token }),
      await call('POST', 'devices', { ...free, token: '5'.repeat(32) }),
      await call('POST', 'devices', { ...free, serial_number: '0000000005', token: '5'.repeat(32) }),
    ];
    const message = 'another device has this serial number or this claim token';
    const expected = { statusCode: 409, error: 'Conflict', message, code: 'device-taken' };
    for (const { status, json } of answers) expect([status, json]).toEqual([409, expected]);
    expect((await call('POST', 'devices', free)).status).toBe(201);
  });

  it('succeeds for only one of several concurrent requests with the same claim token', async () => {
    const { call } = await service();
    const register = (serial: string) => call('POST', 'devices', { name: 'b', serial_number: serial, token: TOKEN });
    const answers = await Promise.all(['0000000001', '0000000002', '0000000003'].map(register));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('reports the problem of each field, and never repeats the token', async () => {
    const { call, logged } = await service();
    const secret = 'not-a-token-but-still-a-secret';
    const body = { name: 'x'.repeat(65), serial_number: '0000000000', token: secret, label: { a: 1 }, comment: 5 };
    const { status, json, text } = await call('POST', 'devices', { ...body, tags: ['x'] });
    expect(status).toBe(400);
    expect(json.message.split('; ')).toEqual(
      expect.arrayContaining([
        `body/name "${'x'.repeat(57)}…" is not a name of 1 to 64 printable characters`,
        'body/serial_number "0000000000" is not ten decimal digits from 0000000001 to 4294967295',
        'body/token is not a claim token of 32 hex digits',
        'body/label/a 1 is not a text',
        'body/comment 5 is not a text of at most 500 characters, or null',
        'body/tags/0 "x" is not an object with the id of a tag',
      ]),
    );
    expect(text + JSON.stringify(logged)).not.toContain(secret);
    for (const serial of ['123', '4294967296', 12, '21590179850', 'x', null]) {
      expect((await call('POST', 'devices', { name: 'a', serial_number: serial, token: TOKEN })).status).toBe(400);
    }
    for (const name of ['', '  ', 'a\u0000b', 'a\nb', '\ud800', 5, null]) {
      expect((await call('POST', 'devices', { name, serial_number: '2159017985', token: TOKEN })).status).toBe(400);
    }
  });

  it('reports a tag that does not exist', async () => {
    const { call, ids } = await service();
    const id = ids.uuid();
    const body = { name: 'a', serial_number: '2159017985', token: TOKEN, tags: [{ id }] };
    const { status, json } = await call('POST', 'devices', body);
    expect([status, json.message]).toEqual([400, `body/tags/0/id "${id}" is not a tag of this space`]);
  });

  it('accepts and logs a name that breaks the naming rule', async () => {
    const { device, logged } = await service();
    await device();
    expect(logged).toEqual([]);
    await device({ name: 'Freezer 2', serial_number: '2159017986' });
    expect(logged).toMatchObject([{ level: 'warn', fields: { name: 'Freezer 2' } }]);
    expect(JSON.stringify(logged)).not.toContain(KEY);
  });
});

describe('changing a device', () => {
  it('is rejected with 412 if the device no longer has the version of If-Match', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const put = (body: object, version?: string) =>
      call('PUT', `devices/${id}`, body, version === undefined ? {} : { 'if-match': version });
    expect((await put({ comment: 'a' }, '"0"')).json).toMatchObject({ comment: 'a', version: 1 });
    const late = await put({ label: { b: 'c' }, name: 'late' }, '"0"');
    expect([late.status, late.json.code]).toEqual([412, 'changed-meanwhile']);
    expect((await call('GET', `devices/${id}`)).json).toMatchObject({ label: {}, comment: 'a', version: 1 });
    expect((await put({ label: { b: 'c' } }, '"1"')).json.version).toBe(2);
    expect((await put({ comment: null })).json).toMatchObject({ label: { b: 'c' }, version: 3 });
  });

  it('rejects an If-Match that is not a version in quotation marks', async () => {
    const { call, device } = await service();
    const { id } = await device();
    for (const header of ['0', '"x"', 'W/"0"', '"0", "1"', '""']) {
      const { status, json } = await call('PUT', `devices/${id}`, { comment: 'a' }, { 'if-match': header });
      expect([status, json.message]).toEqual([400, expect.stringContaining('in quotation marks')]);
    }
  });

  it('limits the number, names and values of labels', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, '']));
    for (const label of [many, { ['x'.repeat(65)]: '' }, { a: 'x'.repeat(1025) }, { 'a\nb': 5 }, [], 'x', null]) {
      const { status, json } = await call('PUT', `devices/${id}`, { label });
      expect(status).toBe(400);
      expect(json.message).toContain('is not an object of at most 64 texts');
    }
    expect((await call('PUT', `devices/${id}`, { label: { a: null } })).json.message).toBe(
      'body/label/a null is not a text',
    );
    expect((await call('PUT', `devices/${id}`, { label: { 'a\nb': 'x'.repeat(1024) } })).status).toBe(200);
  });

  it('limits the external id, the comment, the secret and the number of tags', async () => {
    const { call, device, ids } = await service();
    const { id } = await device();
    const allowed = { external_id: 'x'.repeat(255), comment: 'x'.repeat(500), secret: '0'.repeat(64) };
    expect((await call('PUT', `devices/${id}`, allowed)).status).toBe(200);
    for (const [field, value] of [
      ['external_id', 'x'.repeat(256)],
      ['comment', 'x'.repeat(501)],
      ['secret', '0'.repeat(66)],
      ['secret', '0'.repeat(33)],
      ['secret_type', 'cert'],
      ['tags', Array.from({ length: 101 }, () => ({ id: ids.uuid() }))],
    ] as const) {
      const { status, json } = await call('PUT', `devices/${id}`, { [field]: value });
      expect([field, status, json.message]).toEqual([field, 400, expect.stringContaining(`body/${field}`)]);
    }
  });
});

describe('names of spaces, devices, tags and connectors', () => {
  /** The answers to requests that give `name` to one resource of each kind. */
  async function named(name: string, options: Parameters<typeof service>[0] = {}) {
    const { call, device, logged } = await service(options);
    const { id } = await device();
    const answers = [
      await call('PUT', '', { name }),
      await call('PUT', `devices/${id}`, { name }),
      await call('POST', 'tags', { name, color: '#00ffaa' }),
      await call('POST', 'connectors', { name, transformation: 'function main() { return null }' }),
    ];
    return { answers, statuses: answers.map(({ status }) => status), logged };
  }

  it('may break the naming rule, which is logged', async () => {
    const { statuses, logged } = await named('Freezer 2');
    expect(statuses).toEqual([200, 200, 201, 201]);
    const kinds = ['space', 'device', 'tag', 'connector'];
    expect(logged.map(({ message }) => message)).toEqual(
      kinds.map((kind) => `the name of a ${kind} breaks the naming rule`),
    );
    expect((await named('freezer-2')).logged).toEqual([]);
  });

  it('are logged only when they have been stored', async () => {
    const { call, device, logged } = await service();
    const { id } = await device();
    const tag = (await call('POST', 'tags', { name: 'cold', color: '#1f77b4' })).json;
    const name = 'Freezer 2';
    const script = 'function main() { return null }';
    await call('POST', 'connectors', { name: 'hook', transformation: script });
    const rejected = [
      await device({ name }),
      await call('PUT', `devices/${id}`, { name }, { 'if-match': '"7"' }),
      await call('PUT', `devices/${id}`, { name, tags: [{ id }] }),
      await call('PUT', `tags/${id}`, { name }),
      await call('POST', 'connectors', { name, transformation: script, tags: [{ id }] }),
    ];
    expect(rejected).toMatchObject([{ code: 'device-taken' }, ...[412, 400, 404, 400].map((status) => ({ status }))]);
    expect(logged).toEqual([]);
    await call('PUT', `tags/${tag.id}`, { name });
    expect(logged).toMatchObject([{ fields: { name } }]);
  });

  it('are rejected with --strict-names if they break the naming rule', async () => {
    const { answers, statuses } = await named('Freezer 2', { strictNames: true });
    expect(statuses).toEqual([400, 400, 400, 400]);
    for (const { json } of answers)
      expect(json.message).toContain('body/name "Freezer 2" is not a name of at least 3 lower-case');
    expect((await named('freezer-2', { strictNames: true })).statuses).toEqual([200, 200, 201, 201]);
    for (const name of ['2-freezer', 'freezer-', 'ab']) {
      expect((await named(name, { strictNames: true })).statuses).toEqual([400, 400, 400, 400]);
    }
  });
});

describe('a device', () => {
  it('is read by its id; the answers for an unknown device and for one of another space are the same', async () => {
    const { call, device, ids, store } = await service();
    const made = await device();
    expect((await call('GET', `devices/${made.id}`)).json).toEqual(made);
    const space = { id: ids.uuid(), name: 'other', type: 'team', createdAt: 0 };
    const row = await store.deviceBySerial(2159017985);
    if (!row) throw new Error('the device is stored');
    const foreign = { ...row, id: ids.uuid(), spaceId: space.id, serial: 5, token: 'f'.repeat(32) };
    await store.commit([
      { kind: 'space.put', row: space },
      { kind: 'device.insert', row: foreign },
    ]);
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      const known = await call(method, `devices/${foreign.id}`, body);
      const unknown = await call(method, `devices/${ids.uuid()}`, body);
      expect([known.status, known.text]).toEqual([404, unknown.text]);
    }
  });

  it('shows its session', async () => {
    const { call, device, store } = await service();
    const { id } = await device();
    const session = { vendor_name: 'X', imei: '351358815178345' };
    const change = { session, sessionId: 1_767_225_600, lastSeen: 1_767_225_600_123, configHash: '0123456789abcdef' };
    await store.commit([{ kind: 'device.change', id, change }]);
    expect((await call('GET', `devices/${id}`)).json).toMatchObject({
      session,
      session_id: 1_767_225_600,
      last_seen: '2026-01-01T00:00:00.123Z',
      config_hash: '0123456789abcdef',
    });
  });

  it('is changed in the given fields; tags and labels are replaced as a whole', async () => {
    const { call, device, forgotten } = await service();
    const a = (await call('POST', 'tags', { name: 'a-tag', color: '#00ffaa' })).json;
    const b = (await call('POST', 'tags', { name: 'b-tag', color: '#00ffab' })).json;
    const { id } = await device({ tags: [{ id: a.id }], label: { x: '1' }, external_id: 'e' });
    const changed = await call('PUT', `devices/${id}`, { tags: [b, a], label: { y: '2' }, comment: 'c' });
    expect(changed.status).toBe(200);
    expect(changed.json).toMatchObject({ tags: [b, a], label: { y: '2' }, comment: 'c', external_id: 'e' });
    const cleared = await call('PUT', `devices/${id}`, { tags: [], external_id: null, name: 'freezer-2' });
    expect(cleared.json).toMatchObject({ tags: [], external_id: null, name: 'freezer-2', label: { y: '2' } });
    expect(forgotten).toHaveLength(3);
  });

  it('keeps its serial number: a change of it is rejected, and the present one accepted', async () => {
    const { call, device } = await service();
    const { id, ...made } = await device();
    for (const serial of ['2159017986', 2_159_017_986, '1', {}]) {
      const { status, json } = await call('PUT', `devices/${id}`, { serial_number: serial, comment: 'new' });
      expect([status, json.code]).toEqual([400, 'serial-number-fixed']);
      expect(json.message).toMatch(/^body\/serial_number is not 2159017985: /);
    }
    expect((await call('PUT', `devices/${id}`, { ...made, comment: null })).json).toEqual({ ...made, id, version: 1 });
    for (const serial of [2_159_017_985, null])
      expect((await call('PUT', `devices/${id}`, { serial_number: serial })).status).toBe(200);
  });

  it('can get another claim token, for example after a repair', async () => {
    const { call, device, store, forgotten } = await service();
    const { id } = await device();
    await device({ serial_number: '0000000002', token: '2'.repeat(32) });
    const changed = await call('PUT', `devices/${id}`, { token: TOKEN });
    expect([changed.status, changed.text.toLowerCase()]).toEqual([
      200,
      expect.not.stringContaining(TOKEN.toLowerCase()),
    ]);
    expect((await store.deviceBySerial(2159017985))?.token).toBe(TOKEN.toLowerCase());
    expect(forgotten).toContain(2159017985);
    const taken = await call('PUT', `devices/${id}`, { token: '2'.repeat(32), name: 'not-stored' });
    expect([taken.status, taken.json.code]).toEqual([409, 'device-taken']);
    expect((await call('GET', `devices/${id}`)).json.name).toBe('freezer-1');
    expect((await call('PUT', `devices/${id}`, { token: 'short' })).json.message).toBe(
      'body/token is not a claim token of 32 hex digits',
    );
  });

  it('is deleted with 204, and is not found afterwards', async () => {
    const { call, device, forgotten } = await service();
    const { id } = await device();
    const deleted = await call('DELETE', `devices/${id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await call('DELETE', `devices/${id}`)).status).toBe(404);
    expect((await call('GET', 'devices')).json).toEqual([]);
    expect(forgotten).toEqual([2159017985, 2159017985]);
  });
});
