import { describe, expect, it } from 'vitest';
import type { CloudContext } from '../../../src/cloud/api/context.js';
import { CloudCore } from '../../../src/cloud/delivery/core.js';
import { DownlinkRefused } from '../../../src/cloud/interfaces/downlinks.js';
import { ConflictError, type MessageRow } from '../../../src/cloud/store/store.js';
import { days, hours, minutes } from '../../../src/kernel/time.js';
import type { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { idAt, message } from '../store/rows.js';
import { type Answer, START, service } from './service.js';

/** The context with the real delivery core, but without gateways. */
function withDelivery(context: CloudContext): CloudContext {
  const { store, ids, log } = context;
  return {
    ...context,
    downlinks: new CloudCore({ store, ids, log, clock: context.clock as VirtualClock, trace: { emit: () => {} } }),
  };
}

/** A device with one message an hour for 48 hours, the last one a minute ago; `n` counts back from there. */
async function history(options: Parameters<typeof service>[0] = {}) {
  const made = await service(options);
  const { id: deviceId } = await made.device();
  const rows: MessageRow[] = [];
  for (let n = 0; n < 48; n++) {
    const createdAt = START - 60_000 - hours(n);
    const type = n % 4 === 3 ? 'session' : 'data';
    rows.push(message(n, { createdAt, id: idAt(createdAt, n), spaceId: made.spaceId, deviceId, type }));
  }
  await made.store.commit(rows.map((row) => ({ kind: 'message.insert', row }) as const).reverse());
  const numbers = async (query: string) =>
    (await made.call('GET', `messages${query}`)).json.map((m: { body: { n: number } }) => m.body.n);
  return { ...made, deviceId, rows, numbers };
}

describe('the list of messages', () => {
  it('contains the newest 20 of the last 24 hours by default', async () => {
    const { numbers } = await history();
    expect(await numbers('')).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(await numbers('?limit=100')).toEqual(Array.from({ length: 24 }, (_, n) => n));
  });

  it('shows all fields of an uplink', async () => {
    const { call, deviceId, rows } = await history();
    expect((await call('GET', 'messages?limit=1')).json).toEqual([
      {
        id: rows[0]?.id,
        created_at: '2025-12-31T23:59:00.000Z',
        type: 'data',
        direction: 'up',
        body: { n: 0 },
        device_id: deviceId,
        device_name: 'freezer-1',
        device_serial_number: '2159017985',
        codec_hash: null,
        raw: null,
        down_state: null,
        down_state_at: null,
        down_scheduled_at: null,
        down_attempt: 0,
      },
    ]);
  });

  it('contains with limit=1 only the latest message of the given device and type', async () => {
    const { numbers, deviceId, ids } = await history();
    expect(await numbers(`?device_id=${deviceId}&type[]=session&limit=1`)).toEqual([3]);
    expect(await numbers(`?device_id=${ids.uuid()}`)).toEqual([]);
  });

  it('contains no data downlinks if the query has a type but no direction', async () => {
    const { call, deviceId } = await history();
    const { id } = (await call('POST', `devices/${deviceId}/downlinks`, { led: 1 })).json;
    const shell = (await call('POST', `devices/${deviceId}/commands`, ['info show'])).json.id;
    const ids = async (query: string) =>
      (await call('GET', `messages?device_id=${deviceId}${query}`)).json.map((m: { id: string }) => m.id);
    expect(await ids('&limit=2')).toEqual([shell, id]);
    expect(await ids('&direction=down')).toEqual([shell, id]);
    expect(await ids('&type=data&direction=down')).toEqual([id]);
    const [latest, ...more] = (await call('GET', `messages?device_id=${deviceId}&type[]=data&limit=1`)).json;
    expect([latest.body, more]).toEqual([{ n: 0 }, []]);
    expect(await ids('&type=data,data')).not.toContain(id);
    expect((await ids('&type[]=data&type[]=shell')).slice(0, 2)).toEqual([shell, latest.id]);
  });

  it('accepts a time window, both ends excluded, in every form', async () => {
    const { numbers } = await history();
    expect(await numbers('?after=2025-12-31T20:59:00Z')).toEqual([0, 1, 2]);
    expect(await numbers('?after=2025-12-31T20%3A59%3A00&before=2025-12-31T22%3A59%3A00')).toEqual([2]);
    expect(await numbers('?after=2025-12-31T21:59:00+01:00')).toEqual([0, 1, 2]);
    expect(await numbers('?after=2025-12-31T21:59:00%2B01:00')).toEqual([0, 1, 2]);
    expect(await numbers('?after=2016-01-01T08:00:00.000Z&limit=100')).toHaveLength(48);
    expect(await numbers('?before=2025-12-30T02:00:00Z')).toEqual([]);
  });

  it('is paged, and ends with an empty page', async () => {
    const { call } = await history();
    const seen: number[] = [];
    let offset = '';
    for (;;) {
      const page = (await call('GET', `messages?limit=7&after=2016-01-01${offset}`)).json;
      if (page.length === 0) break;
      seen.push(...page.map((m: { body: { n: number } }) => m.body.n));
      offset = `&offset=${page.at(-1).id}`;
    }
    expect(seen).toEqual(Array.from({ length: 48 }, (_, n) => n));
  });

  it('is read in pieces if its messages are large, and a piece is read when the client has taken the one before', async () => {
    const sizes: number[] = [];
    const { store, call, device, spaceId } = await service();
    const { id: deviceId } = await device();
    const rows = Array.from({ length: 30 }, (_, n) => {
      const createdAt = START - minutes(n + 1);
      const body = { n, text: 'x'.repeat(200_000) };
      return message(n, { createdAt, id: idAt(createdAt, n), spaceId, deviceId, body });
    });
    await store.commit(rows.map((row) => ({ kind: 'message.insert', row }) as const).reverse());
    const read = store.messages.bind(store);
    store.messages = async (...args) => {
      const found = await read(...args);
      sizes.push(found.length);
      return found;
    };
    const { json, headers } = await call('GET', 'messages?limit=25');
    expect(json.map((m: { body: { n: number } }) => m.body.n)).toEqual(Array.from({ length: 25 }, (_, n) => n));
    expect(sizes).toEqual([4, ...Array.from({ length: 21 }, () => 1)]);
    // The headers are sent before the last pieces are read.
    expect(Number(headers['x-total-at-least'])).toBeLessThan(25);
  });

  it('is limited to the last 24 hours by default, also on a page after a cursor', async () => {
    const { numbers, rows } = await history();
    expect(await numbers(`?offset=${rows[21]?.id}`)).toEqual([22, 23]);
  });

  it('filters by types in every form', async () => {
    const { numbers } = await history();
    for (const query of [
      'type[]=session',
      'type%5B%5D=session',
      'type=session',
      'type=session,nothing',
      'type[]=session&type[]=x',
    ]) {
      expect(await numbers(`?limit=3&${query}`)).toEqual([3, 7, 11]);
    }
    expect(await numbers('?type=data&type=session&limit=4')).toEqual([0, 1, 2, 3]);
    expect(await numbers('?type')).toHaveLength(20);
    expect(await numbers('?direction=down')).toEqual([]);
    expect(await numbers('?direction=up&limit=1')).toEqual([0]);
  });

  it('contains decoders and encoders for the type "codec"', async () => {
    const { numbers, store, spaceId, deviceId } = await history();
    const rows = ['encoder', 'decoder', 'stats'].map((type, i) =>
      message(90 + i, { createdAt: START - 1000 + i, spaceId, deviceId, type }),
    );
    await store.commit(rows.map((row) => ({ kind: 'message.insert', row })));
    expect(await numbers('?type[]=codec')).toEqual([91, 90]);
  });

  it('filters by the tag of the device', async () => {
    const { call, numbers, deviceId } = await history();
    const tag = (await call('POST', 'tags', { name: 'cold', color: '#00ffaa' })).json;
    expect(await numbers(`?tag_id=${tag.id}`)).toEqual([]);
    await call('PUT', `devices/${deviceId}`, { tags: [tag] });
    expect(await numbers(`?tag_id=${tag.id}&limit=2`)).toEqual([0, 1]);
  });

  it('rejects invalid parameters', async () => {
    const { call } = await history();
    for (const query of [
      'device_id=5',
      'direction=left',
      'after=soon',
      'before=2026-02-30',
      'limit=101',
      'limit=0',
      'offset=x',
    ]) {
      const { status, json } = await call('GET', `messages?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(json.message).toContain(`querystring/${query.split('=')[0]}`);
    }
  });

  it('can contain bodies as JSON text for clients that expect it', async () => {
    const { call } = await history({ messageBody: 'string' });
    expect((await call('GET', 'messages?limit=1')).json[0].body).toBe('{"n":0}');
  });
});

describe('a message', () => {
  it('is read by id with the same fields as in the list', async () => {
    const { call, rows, ids } = await history();
    const [listed] = (await call('GET', 'messages?limit=1')).json;
    expect((await call('GET', `messages/${rows[0]?.id}`)).json).toEqual(listed);
    const unknown = await call('GET', `messages/${ids.uuid()}`);
    expect([unknown.status, unknown.json.message]).toEqual([404, 'message not found']);
  });
});

describe('a downlink', () => {
  it('is queued by POST …/configs, …/commands and …/downlinks, which return its message', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const config = await call('POST', `devices/${id}/configs`, ['app config interval-report 900']);
    expect(config.status).toBe(201);
    expect(config.json).toEqual({
      id: expect.any(String),
      created_at: '2026-01-01T00:00:00.000Z',
      type: 'config',
      direction: 'down',
      body: ['app config interval-report 900'],
      device_id: id,
      device_name: 'freezer-1',
      device_serial_number: '2159017985',
      codec_hash: null,
      raw: null,
      down_state: 'pending',
      down_state_at: '2026-01-01T00:00:00.000Z',
      down_scheduled_at: '2026-01-01T00:00:00.000Z',
      down_attempt: 0,
    });
    const shell = await call('POST', `devices/${id}/commands`, ['info show', 'app config']);
    expect(shell.json).toMatchObject({ type: 'shell', body: ['info show', 'app config'] });
    const data = await call('POST', `devices/${id}/downlinks`, { output_1_state: 1, nested: { a: [null] } });
    expect(data.json).toMatchObject({ type: 'data', body: { output_1_state: 1, nested: { a: [null] } } });
    expect((await call('GET', 'messages?direction=down')).json.map((m: { id: string }) => m.id)).toEqual([
      data.json.id,
      shell.json.id,
      config.json.id,
    ]);
  });

  it('can also be queued with POST …/messages, with its body as a value or as JSON text', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const queued = async (type: string, body: unknown) =>
      (await call('POST', 'messages', { device_id: id.toUpperCase(), type, body })).json;
    expect(await queued('data', { a: 1 })).toMatchObject({ type: 'data', body: { a: 1 } });
    expect(await queued('data', '{"a":1}')).toMatchObject({ type: 'data', body: { a: 1 } });
    expect(await queued('config', ['app config'])).toMatchObject({ type: 'config', body: ['app config'] });
    expect(await queued('shell', '["info show"]')).toMatchObject({ type: 'shell', body: ['info show'] });
  });

  it('may consist of raw bytes for the application', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const { status, json } = await call('POST', 'messages', { device_id: id, type: 'data', raw: 'A100' });
    expect([status, json]).toMatchObject([201, { type: 'data', body: null, raw: 'a100' }]);
  });

  it('is rejected with the code "no-encoder" if the firmware of the device has no encoder', async () => {
    const { call, device } = await service({}, (context) => ({
      ...context,
      downlinks: { ...context.downlinks, queue: () => Promise.reject(new DownlinkRefused('no encoder', 'no-encoder')) },
    }));
    const { id } = await device();
    const { status, json } = await call('POST', `devices/${id}/downlinks`, { led: 1 });
    expect([status, json.code]).toEqual([409, 'no-encoder']);
  });

  it('is shown as expired after 30 days', async () => {
    const { call, device, clock } = await service({}, withDelivery);
    const { id } = await device();
    const queue = async () => (await call('POST', `devices/${id}/commands`, ['x'])).json.id;
    const [first, second, third] = [await queue(), await queue(), await queue()];
    await clock.runUntil(clock.now + days(30) + minutes(1));
    const state = (answer: Answer) => [answer.json.down_state, answer.json.down_state_at];
    expect(state(await call('GET', `messages/${first}`))).toEqual(['expired', '2026-01-31T00:00:00.000Z']);
    const timeline = (await call('GET', `messages/${second}/timeline`)).json;
    expect(timeline.at(-1)).toMatchObject({ what: 'expired', at: '2026-01-31T00:00:00.000Z' });
    const listed = (await call('GET', 'messages?after=2025-12-31')).json;
    expect(listed.map((m: { down_state: string }) => m.down_state)).toEqual(['expired', 'expired', 'expired']);
    expect((await call('POST', `messages/${third}/cancel`)).status).toBe(409);
  });

  it('is rejected if its body is not valid', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const refusals: [string, unknown, string][] = [
      [`devices/${id}/configs`, [], 'body is not a list of 1 to 100 lines (got an empty list)'],
      [`devices/${id}/configs`, {}, 'body is not a list of 1 to 100 lines (got an empty object)'],
      [
        `devices/${id}/commands`,
        ['ok', ''],
        'body/1 "" is not a line of 1 to 255 bytes, without line breaks and the character U+0000',
      ],
      [
        `devices/${id}/commands`,
        ['a\0b'],
        'body/0 "a\0b" is not a line of 1 to 255 bytes, without line breaks and the character U+0000',
      ],
      [
        `devices/${id}/commands`,
        [5],
        'body/0 5 is not a line of 1 to 255 bytes, without line breaks and the character U+0000',
      ],
      [
        `devices/${id}/commands`,
        ['ž'.repeat(128)],
        `body/0 "${'ž'.repeat(57)}…" is not a line of 1 to 255 bytes, without line breaks and the character U+0000`,
      ],
      [`devices/${id}/commands`, Array(101).fill('x'), 'body is not a list of 1 to 100 lines (got a list of 101)'],
      [`devices/${id}/downlinks`, [], 'body is not a JSON object (got an empty list)'],
      [`devices/${id}/downlinks`, '5', 'body 5 is not a JSON object'],
      [`devices/${id}/downlinks`, { bad: 1 }, 'the encoder has no field "bad"'],
      ['messages', { device_id: id, type: 'data', body: 'text' }, 'body/body "text" is not a JSON object'],
      [
        'messages',
        { device_id: id, type: 'shell', body: ['a\nb'] },
        'body/body/0 "a\nb" is not a line of 1 to 255 bytes, without line breaks and the character U+0000',
      ],
      [
        'messages',
        { device_id: id, type: 'session', body: {} },
        'body/type "session" is not "data", "config" or "shell"',
      ],
      ['messages', { device_id: id, type: 'data' }, 'body needs "body"'],
      [
        'messages',
        { device_id: id, type: 'data', raw: 'abc' },
        'body/raw "abc" is not at least one byte in hex digits',
      ],
      [
        'messages',
        { device_id: id, type: 'shell', raw: 'ab' },
        'body/raw is possible for type "data" only, and not together with "body"',
      ],
      [
        'messages',
        { device_id: id, type: 'data', raw: 'ab', body: {} },
        'body/raw is possible for type "data" only, and not together with "body"',
      ],
      [
        'messages',
        { device_id: id, type: 'data', body: `${'[['.repeat(40)}${']]'.repeat(40)}` },
        'the JSON is nested too deep: the limit is 64 levels',
      ],
    ];
    for (const [path, body, sentence] of refusals) {
      const { status, json } = await call('POST', path, body);
      expect([status, json.message]).toEqual([400, sentence]);
    }
    expect((await call('POST', `devices/${id}/commands`, ['x'.repeat(255)])).status).toBe(201);
    expect((await call('GET', 'messages')).json).toHaveLength(1);
  });

  it('for an unknown device is rejected: with 404 if its id is in the path, with 400 if it is in the body', async () => {
    const { call, ids } = await service();
    const id = ids.uuid();
    const inPath = await call('POST', `devices/${id}/commands`, ['info show']);
    expect([inPath.status, inPath.json.message]).toEqual([404, 'device not found']);
    const inBody = await call('POST', 'messages', { device_id: id, type: 'data', body: {} });
    expect([inBody.status, inBody.json.code]).toEqual([400, 'unknown-id']);
    expect(inBody.json.message).toBe(`body/device_id "${id}" is not a device of this space`);
  });

  it('with "config save" among its lines is accepted, with a warning in the log', async () => {
    const { call, device, logged } = await service();
    const { id } = await device();
    expect((await call('POST', `devices/${id}/configs`, ['app config', 'config save'])).status).toBe(201);
    expect(logged).toMatchObject([{ level: 'warn', fields: { device: id } }]);
  });

  it('can be cancelled only while it is pending', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const queue = async () => (await call('POST', `devices/${id}/commands`, ['info show'])).json.id;
    const first = await queue();
    const cancelled = await call('POST', `messages/${first}/cancel`);
    expect([cancelled.status, cancelled.json.down_state]).toEqual([200, 'cancelled']);
    const again = await call('POST', `messages/${first}/cancel`);
    expect([again.status, again.json.message]).toEqual([409, 'the message is not a pending downlink']);
    const second = await queue();
    expect((await call('DELETE', `messages/${second}`)).status).toBe(204);
    expect((await call('DELETE', `messages/${second}`)).status).toBe(409);
    expect((await call('GET', `messages/${second}`)).json.down_state).toBe('cancelled');
  });

  it('has a timeline', async () => {
    const { call, device, ids } = await service();
    const { id } = await device();
    const message = (await call('POST', `devices/${id}/commands`, ['info show'])).json.id;
    expect((await call('GET', `messages/${message}/timeline`)).json).toEqual([
      { id: expect.any(String), at: '2026-01-01T00:00:00.000Z', what: 'queued', detail: null },
    ]);
    expect((await call('GET', `messages/${ids.uuid()}/timeline`)).status).toBe(404);
  });

  it('has a timeline that is paged', async () => {
    const { call, device, store } = await service();
    const { id } = await device();
    const messageId = (await call('POST', `devices/${id}/commands`, ['info show'])).json.id;
    const station = (what: string) =>
      ({ kind: 'timeline.add', row: { messageId, at: 1, what, detail: null } }) as const;
    await store.commit(['contact', 'offered', 'sent'].map(station));
    const timeline = `messages/${messageId}/timeline`;
    const whole = await call('GET', timeline);
    expect([whole.json.length, whole.headers['x-total']]).toEqual([4, '4']);
    const seen: string[] = [];
    for (let offset = ''; ; ) {
      const { json, headers } = await call('GET', `${timeline}?limit=3${offset}`);
      expect(headers['x-total']).toBe('4');
      if (json.length === 0) break;
      seen.push(...json.map(({ what }: { what: string }) => what));
      offset = `&offset=${json.at(-1).id}`;
    }
    expect(seen).toEqual(['queued', 'contact', 'offered', 'sent']);
    expect((await call('GET', `${timeline}?limit=501`)).status).toBe(400);
  });

  it('for a device with a full queue is rejected with a message that says what to do', async () => {
    const full = async () => {
      throw new ConflictError('queue');
    };
    const { call, device } = await service({}, (c) => ({ ...c, downlinks: { ...c.downlinks, queue: full } }));
    const { id } = await device();
    const { status, json } = await call('POST', `devices/${id}/commands`, ['info show'], { 'idempotency-key': 'a' });
    expect([status, json.code]).toEqual([409, 'queue-full']);
    expect(json.message).toBe(
      '1000 downlinks are pending for this device; cancel some or wait until it has fetched them',
    );
  });

  it('that is older than 24 hours is not in the list by default', async () => {
    const { call, device, clock } = await service();
    const { id } = await device();
    await call('POST', `devices/${id}/commands`, ['info show']);
    await clock.runUntil(days(1) + 1);
    expect((await call('GET', 'messages')).json).toEqual([]);
  });
});
