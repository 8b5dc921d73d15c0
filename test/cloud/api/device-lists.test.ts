/** Lists and counts of devices: their filters, orders and pages. */
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/kernel/time.js';
import { ALWAYS, expectEachOnce, movedTo, movingFleet, WAYS } from './moving-devices.js';
import { service } from './service.js';

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
  describe.each(WAYS)('and is paged with %s', (_, byHeader) => {
    it.each(ALWAYS)(
      'has every device that stays once, and an end, while the last one of each page moves: %s, %s',
      (sort, order) => expectEachOnce(sort, order, byHeader),
    );
  });

  it.each(['last_seen', 'session_id'])('has an end while devices report after each page: %s', async (sort) => {
    const { call, store } = await movingFleet();
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
    const { call } = await movingFleet();
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
