import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/kernel/time.js';
import { KEY, service } from './service.js';

const TOKEN = '00112233445566778899AABBCCDDEEFF';

type Order = 'asc' | 'desc';

describe('the health of devices', () => {
  it('is in the list, in the summaries and in the count, which can be filtered by it', async () => {
    const { call, store, clock, device } = await service();
    const rhythms = [{ contactEvery: minutes(15) }, { contactEvery: minutes(30) }, { contactEvery: minutes(60) }];
    for (const [n, rhythm] of rhythms.entries()) {
      const { id } = await device({ name: `unit-${n}`, serial_number: `215901798${n}` });
      await store.commit([{ kind: 'device.change', id, change: { lastContact: clock.wall, ...rhythm } }]);
    }
    await device({ name: 'unit-3', serial_number: '2159017983' });
    await clock.runUntil(minutes(70));
    for (const list of ['devices', 'devices/summaries']) {
      const { json } = await call('GET', list);
      const healths = json.map(({ name, health }: Record<string, string>) => [name, health]);
      expect(Object.fromEntries(healths)).toEqual({
        ...{ 'unit-0': 'silent', 'unit-1': 'late', 'unit-2': 'on_time', 'unit-3': 'never_seen' },
      });
      const { json: wanted } = await call('GET', `${list}?health=late&health=silent`);
      expect(wanted.map(({ name }: { name: string }) => name)).toEqual(['unit-0', 'unit-1']);
      expect(wanted[0]).toMatchObject({ last_contact: '2026-01-01T00:00:00.000Z', contact_every: 900 });
    }
    expect((await call('GET', 'devices/count?health=on_time')).json).toEqual({ count: 1 });
    expect((await call('GET', 'devices?health=active')).status).toBe(400);
  });

  it('does not end the pages of a sorted list, although it changes while they are read', async () => {
    const { call, store, clock, device } = await service();
    for (const n of [0, 1, 2]) {
      const { id } = await device({ name: `unit-${n}`, serial_number: `215901798${n}` });
      await store.commit([{ kind: 'device.change', id, change: { lastContact: clock.wall } }]);
    }
    const first = await call('GET', 'devices?health=on_time&sort_by=name&limit=1');
    await clock.runUntil(minutes(1));
    await store.commit([{ kind: 'device.change', id: first.json[0].id, change: { name: 'zz' } }]);
    const next = await call('GET', `devices?health=on_time&sort_by=name&limit=1&offset=${first.json[0].id}`);
    expect(next.json[0].name).toBe('unit-1');
  });
});

describe('a list that is sorted by what changes', () => {
  const SORTS = ['name', 'external_id', 'last_seen', 'session_id'] as const;

  /** Seven devices; those with the numbers 5 and 6 have neither an external id nor a session, and were never seen. */
  async function fleet() {
    const made = await service();
    for (let n = 0; n < 7; n++) {
      const values = n < 5 ? { external_id: `e${n}` } : {};
      const { id } = await made.device({ name: `n${n}`, serial_number: String(2159017980 + n), ...values });
      const seen = { lastSeen: 1_000 + n, sessionId: 100 + n };
      if (n < 5) await made.store.commit([{ kind: 'device.change', id, change: seen }]);
    }
    return made;
  }

  let moves = 0;
  /** What users and reports do: a device gets a value that is greater than all others, or smaller. */
  function movedTo(order: Order) {
    const n = ++moves;
    return order === 'asc'
      ? { name: `z${n}`, externalId: `z${n}`, lastSeen: 1e6 + n, sessionId: 1e6 + n }
      : { name: `0${9e5 - n}`, externalId: `0${9e5 - n}`, lastSeen: 900 - n, sessionId: 90 - n };
  }

  const WAYS = [
    ['the header x-next-offset', true],
    ['the id of the last device', false],
  ] as const;
  describe.each(WAYS)('and is paged with %s', (_, byHeader) => {
    const cases = SORTS.flatMap((sort) => (['asc', 'desc'] as const).map((order) => [sort, order] as const));
    it.each(cases)(
      'has every device that stays once, and an end, while the last one of each page moves: %s, %s',
      async (sort, order) => {
        for (const direction of ['asc', 'desc'] as const) {
          const { call, store } = await fleet();
          const moved = new Set<string>();
          const found: string[] = [];
          let offset = '';
          for (let pages = 0; ; pages++) {
            expect(pages).toBeLessThan(12);
            const { json, headers } = await call('GET', `devices?limit=2&sort_by=${sort}&order_by=${order}${offset}`);
            if (json.length === 0) break;
            found.push(...json.map((row: { serial_number: string }) => row.serial_number));
            const last = json.at(-1);
            offset = `&offset=${byHeader ? headers['x-next-offset'] : last.id}`;
            if (pages < 5) {
              moved.add(last.serial_number);
              await store.commit([{ kind: 'device.change', id: last.id, change: movedTo(direction) }]);
            }
          }
          const stayed = found.filter((serial) => !moved.has(serial)).sort();
          const all = Array.from({ length: 7 }, (_, n) => String(2159017980 + n));
          expect(stayed).toEqual(all.filter((serial) => !moved.has(serial)));
        }
      },
    );
  });

  it.each(['last_seen', 'session_id'])('has an end while devices report after each page: %s', async (sort) => {
    const { call, store } = await fleet();
    let offset = '';
    let pages = 0;
    for (; pages < 20; pages++) {
      const { json, headers } = await call('GET', `devices?limit=1&sort_by=${sort}${offset}`);
      if (json.length === 0) break;
      offset = `&offset=${headers['x-next-offset']}`;
      const { json: all } = await call('GET', 'devices');
      for (const { id } of all.slice(0, 5)) {
        await store.commit([{ kind: 'device.change', id, change: movedTo('asc') }]);
      }
    }
    expect(pages).toBeLessThan(8);
  });

  it('continues after a device that is deleted, and after a restart of the service with x-next-offset', async () => {
    const { call } = await fleet();
    const first = await call('GET', 'devices?limit=2&sort_by=name');
    await call('DELETE', `devices/${first.json[1].id}`);
    const other = await service();
    for (const offset of [first.json[1].id, first.headers['x-next-offset']]) {
      const { json } = await call('GET', `devices?limit=2&sort_by=name&offset=${offset}`);
      expect(json.map(({ name }: { name: string }) => name)).toEqual(['n2', 'n3']);
    }
    await other.device({ name: 'n9' });
    const elsewhere = await other.call('GET', `devices?sort_by=name&offset=${first.headers['x-next-offset']}`);
    expect(elsewhere.json.map(({ name }: { name: string }) => name)).toEqual(['n9']);
  });

  it.each([
    ['of a list in another order', ['name', 'x', null]],
    ['with a value of another type', ['last_seen', 'x', null]],
    ['with a limit of another type', ['last_seen', 1, 'x']],
    ['made of an object', { value: 1 }],
  ])('rejects a position %s', async (_, parts) => {
    const { call, device } = await service();
    const { id } = await device();
    const offset = `${id}.${Buffer.from(JSON.stringify(parts)).toString('base64url')}`;
    const { status, json } = await call('GET', `devices?sort_by=last_seen&offset=${offset}`);
    expect([status, json.message]).toEqual([
      400,
      `querystring/offset "${offset}" is not a device of this space, or not of this list`,
    ]);
  });
});

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
    const fixed = await call('PUT', `devices/${id}`, { serial_number: '1' });
    expect(fixed.json).toEqual(cleared.json);
    expect(forgotten).toHaveLength(4);
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

describe('the list of devices', () => {
  async function fleet() {
    const made = await service();
    const tag = (await made.call('POST', 'tags', { name: 'cold', color: '#00ffaa' })).json;
    const other = (await made.call('POST', 'tags', { name: 'warm', color: '#ff0000' })).json;
    const devices = [];
    for (const [i, tags] of [[tag], [tag, other], [], [other]].entries()) {
      devices.push(
        await made.device({
          name: `unit-${4 - i}`,
          serial_number: String(2159017985 + i),
          tags,
          external_id: i === 2 ? 'ext' : null,
        }),
      );
    }
    const names = async (query: string) =>
      (await made.call('GET', `devices${query}`)).json.map((d: { name: string }) => d.name);
    return { ...made, devices, names, tag, other };
  }

  it('is sorted by id and paged, with the count of all devices', async () => {
    const { call, names, devices } = await fleet();
    expect(await names('')).toEqual(['unit-4', 'unit-3', 'unit-2', 'unit-1']);
    expect(await names(`?limit=2&offset=${devices[1]?.id}`)).toEqual(['unit-2', 'unit-1']);
    expect(await names(`?limit=2&offset=${devices[3]?.id}`)).toEqual([]);
    expect((await call('GET', 'devices?limit=1')).headers['x-total']).toBe('4');
    expect((await call('GET', 'devices?limit=1&name=unit-1')).headers['x-total']).toBe('1');
    expect((await call('GET', 'devices')).headers['x-total']).toBe('4');
  });

  it('has 100 devices on a page by default, and 500 at most', async () => {
    const { call, device } = await service();
    for (let n = 1; n <= 101; n++) await device({ name: `unit-${n}`, serial_number: String(2159017985 + n) });
    const page = await call('GET', 'devices');
    expect([page.json.length, page.headers['x-total']]).toEqual([100, '101']);
    expect((await call('GET', 'devices?limit=500')).json).toHaveLength(101);
    expect((await call('GET', 'devices?limit=501')).status).toBe(400);
  });

  it('is sorted by each of the sort fields, in both directions', async () => {
    const { names, devices, call } = await fleet();
    expect(await names('?sort_by=name')).toEqual(['unit-1', 'unit-2', 'unit-3', 'unit-4']);
    expect(await names('?sort_by=serial_number&order_by=desc')).toEqual(['unit-1', 'unit-2', 'unit-3', 'unit-4']);
    expect(await names('?sort_by=external_id&order_by=desc')).toEqual(['unit-2', 'unit-4', 'unit-3', 'unit-1']);
    expect(await names(`?sort_by=name&limit=2&offset=${devices[2]?.id}`)).toEqual(['unit-3', 'unit-4']);
    expect((await call('GET', 'devices?sort_by=colour&order_by=up')).json.message).toBe(
      'querystring/sort_by "colour" is not one of id, name, serial_number, external_id, last_seen, session_id; ' +
        'querystring/order_by "up" is not "asc" or "desc"',
    );
  });

  it('rejects a cursor that is not a device of the space', async () => {
    const { call, ids } = await fleet();
    const { status, json } = await call('GET', `devices?sort_by=name&offset=${ids.uuid()}`);
    expect([status, json.message]).toEqual([400, expect.stringContaining('is not a device of this space')]);
  });

  it('is filtered by name, serial number and external id', async () => {
    const { names } = await fleet();
    expect(await names('?name=UNIT-2')).toEqual(['unit-2']);
    expect(await names('?name=%20unit-2%20')).toEqual(['unit-2']);
    expect(await names('?name=%20')).toEqual([]);
    expect(await names('?serial_number=017987')).toEqual(['unit-2']);
    expect(await names('?external_id=ext')).toEqual(['unit-2']);
  });

  it.each([
    'name=',
    'serial_number=',
    'external_id=',
    'tag_ids=',
    'tag_ids%5B%5D=',
    'tag_ids[0]=',
    'tag_ids=,',
    'limit=',
    'sort_by=',
    'offset=',
  ])('rejects the empty parameter "%s", which a script could mean as nothing', async (query) => {
    const { call } = await fleet();
    const { status, json } = await call('GET', `devices?${query}`);
    expect([status, json.message]).toEqual([400, expect.stringMatching(/^querystring\/\w+ is empty/)]);
  });

  it('accepts the list of tags of a filter in every form that clients send', async () => {
    const { names, tag, other } = await fleet();
    const [a, b] = [tag.id, other.id];
    for (const query of [
      `tag_ids[]=${a}&tag_ids[]=${b}`,
      `tag_ids%5B%5D=${a}&tag_ids%5B%5D=${b}`,
      `tag_ids=${a}&tag_ids=${b}`,
      `tag_ids[0]=${a}&tag_ids[1]=${b}`,
      `tag_ids%5B0%5D=${a}&tag_ids%5B17%5D=${b}`,
      `tag_ids[]=${a}&tag_ids[0]=${b}&tag_ids=${a}`,
      `tag_ids=${a},${b}`,
      `tag_ids=${a.toUpperCase()}%2C${b}`,
      `tag_ids%5B%5D=${a}%5B%5D=${b}`,
      `tag_ids%5B%5D=${a}%5B%5D=${b}%5B%5D=${b}`,
    ]) {
      expect(await names(`?${query}&tag_filter_logic=any`)).toEqual(['unit-4', 'unit-3', 'unit-1']);
      expect(await names(`?${query}&tag_filter_logic=all`)).toEqual(['unit-3']);
    }
    expect(await names(`?tag_ids[]=${a}`)).toEqual(['unit-4', 'unit-3']);
  });

  it('answers the queries of real clients, and rejects malformed queries with 400', async () => {
    const { names, call } = await fleet();
    const hio = '?limit=40&sort_by=id&order_by=asc&tag_filter_logic=any&tag_ids%5B%5D';
    expect(await names(hio)).toHaveLength(4);
    expect(await names('?limit=500')).toHaveLength(4);
    for (const query of [
      'limit=30[]=x',
      'limit=0',
      'limit=501',
      'limit=1.5',
      'limit=1&limit=2',
      'name=a&name=b',
      'offset=7',
      'tag_ids=x',
    ]) {
      expect([query, (await call('GET', `devices?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('can be counted, with the same filters', async () => {
    const { call, tag } = await fleet();
    expect((await call('GET', 'devices/count')).json).toEqual({ count: 4 });
    expect((await call('GET', `devices/count?tag_ids=${tag.id}`)).json).toEqual({ count: 2 });
  });

  it('has a short form, sorted by id in either direction, in pages of at most 2,000', async () => {
    const { call, devices, tag, store } = await fleet();
    const session = { fw_version: 'v4.0.0', fw_name: 'Clime', fw_bundle: 'com.example.clime', imei: '351358811123456' };
    await store.commit([
      { kind: 'device.change', id: devices[1]?.id ?? '', change: { session, sessionId: 1_767_225_600 } },
    ]);
    const all = await call('GET', 'devices/summaries?limit=2000');
    expect(all.headers['x-total']).toBe('4');
    expect(all.json[1]).toEqual({
      ...{ id: devices[1]?.id, name: 'unit-3', serial_number: '2159017986', label: {}, last_seen: null },
      ...{ session_id: 1_767_225_600, tag_names: ['cold', 'warm'] },
      ...{ last_contact: null, contact_every: null, health: 'never_seen' },
      ...{ fw_bundle: 'com.example.clime', fw_name: 'Clime', fw_version: 'v4.0.0' },
    });
    const names = async (query: string) =>
      (await call('GET', `devices/summaries?${query}`)).json.map(({ name }: { name: string }) => name);
    expect(await names(`order_by=desc&limit=2&offset=${devices[3]?.id}`)).toEqual(['unit-2', 'unit-3']);
    expect(await names(`tag_ids=${tag.id}&name=UNIT-4`)).toEqual(['unit-4']);
    expect((await call('GET', 'devices/summaries?limit=2001')).json.message).toContain('from 1 to 2000');
  });

  it('has the count of all devices on its first page; for other pages, counting stops at 10,000', async () => {
    const { call, device, store } = await service();
    store.countDevices = async (_space, _filter, most = 12_000) => Math.min(12_000, most);
    const { id } = await device();
    const totals = async (query: string) => {
      const { headers } = await call('GET', `devices?limit=1${query}`);
      return [headers['x-total'], headers['x-total-at-least']];
    };
    expect(await totals('')).toEqual(['12000', undefined]);
    expect(await totals(`&offset=${id}`)).toEqual([undefined, '10000']);
  });
});
