/**
 * The requests of real clients, sent over a socket with the paths, headers and bodies of these clients. Some of the requests
 * are malformed in ways that a client library would correct.
 */
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/cloud/api/index.js';
import { minutes } from '../../../src/kernel/time.js';
import { message } from '../store/rows.js';
import { PASSWORD, person } from './people.js';
import { KEY, service } from './service.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Reply {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers whose shape is what they test
  readonly json: any;
}

/** The service with the options that real clients need, on a socket. Each request has its own connection, as in hio-dotnet. */
async function served(options: Partial<ApiOptions> = {}) {
  const made = await service({ messageBody: 'string', plainNotFound: true, legacyPaths: true, ...options });
  const base = new URL(await made.app.listen({ port: 0, host: '127.0.0.1' }));
  closing.push(() => made.app.close());
  const send = (method: string, path: string, headers: Record<string, string>, body?: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const options = {
        host: base.hostname,
        port: base.port,
        method,
        path,
        agent: false,
        headers: { ...headers, ...length },
      };
      const sent = request(options, async (answer) => {
        let text = '';
        for await (const part of answer) text += part;
        resolve({ status: answer.statusCode ?? 0, text, json: parsed(text) });
      });
      sent.on('error', reject).end(body);
    });
  return { ...made, send, S: `/v2/spaces/${made.spaceId}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON as System.Text.Json writes it. */
function dotnetJson(body: unknown): string {
  return JSON.stringify(body).replaceAll(
    /[<>&'+\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

describe('hio-dotnet', () => {
  async function driver(options: Partial<ApiOptions> = {}) {
    const made = await served(options);
    const send = (
      method: string,
      path: string,
      body?: unknown,
      credential: Record<string, string> = { 'X-Api-Key': KEY },
    ) => {
      const type = body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' };
      const headers = { Accept: 'application/json', ...credential, ...type };
      return made.send(method, path, headers, body === undefined ? undefined : dotnetJson(body));
    };
    const tag = async (name: string) =>
      (await send('POST', `${made.S}/tags`, { id: null, name, color: '#1F77B4' })).json;
    const device = async (more: object = {}) =>
      (
        await send('POST', `${made.S}/devices`, {
          space_id: made.spaceId,
          name: 'Warehouse-A freezer',
          serial_number: '2163212289',
          token: '00112233445566778899aabbccddeeff',
          ...more,
        })
      ).json;
    return { ...made, send, tag, device };
  }

  it('#1 Login: sends only email and password, and needs access_token in the answer', async () => {
    const { send, ...made } = await driver();
    await person(made, 'eva@example.org');
    const { status, json } = await send('POST', '/v2/auth/login', { email: 'eva@example.org', password: PASSWORD }, {});
    expect([status, typeof json.access_token]).toEqual([200, 'string']);
    const wrong = await send('POST', '/v2/auth/login', { email: 'eva@example.org', password: 'wrong-one' }, {});
    expect(wrong.status).toBe(401);
  });

  it('#2 to #4 GetSpaces, GetSpace and CreateSpace, whose path ends in a slash', async () => {
    const { send, spaceId, S, ...made } = await driver();
    await person(made, 'eva@example.org');
    const { json } = await send('POST', '/v2/auth/login', { email: 'eva@example.org', password: PASSWORD }, {});
    const bearer = { Authorization: `Bearer ${json.access_token}` };
    const spaces = await send('GET', '/v2/spaces?limit=100', undefined, bearer);
    expect(spaces.json).toMatchObject([{ id: spaceId, name: 'lab', user_role: 'admin' }]);
    expect((await send('GET', `/v2/spaces?limit=100&offset=${spaceId}`, undefined, bearer)).json).toEqual([]);
    expect((await send('GET', S, undefined, bearer)).json).toEqual(spaces.json[0]);
    const made2 = await send(
      'POST',
      '/v2/spaces/',
      { name: 'Nový <space>', type: 'default', user_role: 'admin' },
      bearer,
    );
    expect([made2.status, made2.json]).toMatchObject([201, { name: 'Nový <space>', type: 'default' }]);
  });

  it('#5 GetAllDevicesOfSpace: joins tags in its own form, does not escape filters, and has a limit of 40', async () => {
    const { send, S, tag, device } = await driver();
    const [a, b] = [await tag('a-tag'), await tag('b-tag')];
    await device({ tags: [a, b] });
    await device({ serial_number: '2163212290', token: 'f'.repeat(32), name: 'other', tags: [b] });
    const start = `${S}/devices?limit=40&sort_by=id&order_by=asc`;
    const serials = async (query: string) =>
      (await send('GET', start + query)).json.map((each: { serial_number: string }) => each.serial_number);
    expect(await serials('')).toHaveLength(2);
    expect(await serials('&tag_filter_logic=any&tag_ids%5B%5D')).toHaveLength(2);
    expect(await serials(`&tag_filter_logic=any&tag_ids%5B%5D=${a.id}%5B%5D=${b.id}`)).toHaveLength(2);
    expect(await serials(`&tag_filter_logic=all&tag_ids%5B%5D=${a.id}%5B%5D=${b.id}`)).toEqual(['2163212289']);
    expect(await serials(`&tag_filter_logic=any&tag_ids%5B%5D=${a.id}`)).toEqual(['2163212289']);
    expect(await serials('&name=oth&serial_number=290')).toEqual(['2163212290']);
  });

  it('#6 GetDevice: recognises a missing device by the text "not found"', async () => {
    const { send, S, device, ids } = await driver();
    const made = await device();
    expect((await send('GET', `${S}/devices/${made.id}`)).json).toEqual(made);
    expect(await send('GET', `${S}/devices/${ids.uuid()}`)).toEqual({
      status: 404,
      text: 'not found',
      json: undefined,
    });
  });

  it('#7 CreateDevice: sends a space id, whole tags, labels and a creation time, and gets a UUID and a map of labels', async () => {
    const { send, S, tag, spaceId } = await driver();
    const made = await send('POST', `${S}/devices`, {
      space_id: spaceId,
      name: "Eva's freezer + čidlo",
      serial_number: '2163212289',
      token: '00112233445566778899aabbccddeeff',
      label: { ubidots: 'x&y' },
      tags: [await tag('a-tag')],
      created_at: '0001-01-01T00:00:00',
      comment: '',
    });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Eva's freezer + čidlo",
      label: { ubidots: 'x&y' },
      session_id: null,
      last_seen: null,
    });
    expect(made.text).not.toContain('00112233445566778899aabbccddeeff');
  });

  it('#8 and #16 UpdateDevice and AddTagToDevice: read a device, and write all its labels and tags back', async () => {
    const { send, S, tag, device } = await driver();
    const [a, b] = [await tag('a-tag'), await tag('b-tag')];
    const { id, name, label } = await device({ tags: [a], label: { site: 'A' } });
    const body = { name, comment: 'moved', label: { ...label, shelf: '3' }, tags: [a, b] };
    const { status, json } = await send('PUT', `${S}/devices/${id}`, body);
    expect([status, json]).toMatchObject([200, { comment: 'moved', label: { site: 'A', shelf: '3' }, tags: [a, b] }]);
  });

  it('#9 GetAllDeviceMessages: gets all messages since 2016, or after a time without a zone, with bodies as text', async () => {
    const { send, S, device, clock } = await driver();
    const { id } = await device();
    await send('POST', `${S}/devices/${id}/downlinks`, { output_1_state: 1 });
    await clock.runUntil(minutes(1));
    await send('POST', `${S}/devices/${id}/commands`, ['info show']);
    const start = `${S}/messages?device_id=${id}&limit=30`;
    const all = await send('GET', `${start}&after=2016-01-01T08:00:00.000Z`);
    expect(all.json.map((message: { type: string }) => message.type)).toEqual(['shell', 'data']);
    expect(all.json[1]).toMatchObject({ body: '{"output_1_state":1}', down_attempt: 0, device_id: id });
    const typed = await send('GET', `${start}&type%5B%5D=data&direction=down&after=2025-12-31T23%3A00%3A00`);
    expect(typed.json).toHaveLength(1);
    // A time without a zone is UTC, whatever the time zone of the server.
    const window = 'after=2026-01-01T00%3A00%3A30&before=2026-01-01T00%3A01%3A30';
    expect((await send('GET', `${start}&${window}`)).json).toMatchObject([{ type: 'shell' }]);
    expect((await send('GET', `${S}/messages?limit=30[]=x`)).status).toBe(400);
  });

  it('#10 GetAllMessagesBetweenDates: requests pages of 100 until a page is empty', async () => {
    const { send, S, device } = await driver();
    const { id } = await device();
    for (let n = 0; n < 5; n++) await send('POST', `${S}/devices/${id}/downlinks`, { n });
    const seen: string[] = [];
    for (let offset = ''; ; ) {
      const limit = 'limit=100&after=2016-01-01T08:00:00.000Z';
      const { json } = await send('GET', `${S}/messages?device_id=${id}&${limit}${offset}`);
      if (json.length === 0) break;
      seen.push(...json.map((message: { body: string }) => message.body));
      offset = `&offset=${json.at(-1).id}`;
    }
    expect(seen).toEqual([4, 3, 2, 1, 0].map((n) => `{"n":${n}}`));
  });

  it('#11 and #12 GetMessage and AddNewDownlinkMessage: older versions send the body as text, newer ones as an object', async () => {
    const { send, S, device } = await driver();
    const { id } = await device();
    for (const body of ['{"output_1_state":1}', { output_1_state: 1 }]) {
      const made = await send('POST', `${S}/messages`, { device_id: id, body, type: 'data' });
      expect([made.status, made.json.body, made.json.down_state]).toEqual([201, '{"output_1_state":1}', 'pending']);
      expect((await send('GET', `${S}/messages/${made.json.id}`)).json).toEqual(made.json);
    }
    const config = { device_id: id, body: ['app config interval-report 900'], type: 'config' };
    expect((await send('POST', `${S}/messages`, config)).json.body).toBe('["app config interval-report 900"]');
  });

  it('#13 to #15 CreateTag, GetTags and GetTag, whose path lacks a slash', async () => {
    const { send, S } = await driver();
    const made = await send('POST', `${S}/tags`, { id: null, name: 'a-tag', color: '#1F77B4' });
    expect(made.status).toBe(201);
    expect((await send('GET', `${S}/tags?limit=100`)).json).toEqual([made.json]);
    expect((await send('GET', `${S}/tags${made.json.id}`)).json).toEqual(made.json);
  });

  const CONNECTOR = {
    direction: 'up',
    name: 'Test Connector',
    retry_delays: [10, 30, 60, 600, 1800, 3600, 10_800, 21_600, 43_200],
    state: 'enabled',
    transformation: 'function main(job) {\r\n  return { "method": "POST", "url": "https://example.org" };\r\n}',
    triggers: ['data'],
    type: 'webhook',
  };

  it('#17 to #19 GetConnectors, GetConnector and CreateConnector', async () => {
    const { send, S, tag, spaceId } = await driver();
    const tags = [await tag('a-tag')];
    const made = await send('POST', `${S}/connectors`, { ...CONNECTOR, tags, SpaceId: spaceId });
    expect([made.status, made.json]).toMatchObject([201, { ...CONNECTOR, tags }]);
    expect((await send('GET', `${S}/connectors?limit=100`)).json).toMatchObject([{ name: 'Test Connector' }]);
    expect((await send('GET', `${S}/connectors/${made.json.id}`)).json).toMatchObject(CONNECTOR);
  });

  it('#20 UpdateConnector: sends no id, so the connector is found by its name', async () => {
    const { send, S } = await driver();
    await send('POST', `${S}/connectors`, { ...CONNECTOR, tags: [] });
    const changed = await send('PUT', `${S}/connectors`, { ...CONNECTOR, tags: [], triggers: ['data', 'session'] });
    expect([changed.status, changed.json.triggers]).toEqual([200, ['data', 'session']]);
    const unknown = await send('PUT', `${S}/connectors`, { ...CONNECTOR, tags: [], name: 'Another' });
    expect([unknown.status, unknown.text]).toEqual([404, 'not found']);
  });

  it('#21 the grabber finds the newest message first in the answer to each poll', async () => {
    const { send, S, device } = await driver();
    const { id } = await device();
    for (const n of [1, 2]) {
      await send('POST', `${S}/devices/${id}/downlinks`, { n });
      const { json } = await send('GET', `${S}/messages?device_id=${id}&limit=30&after=2016-01-01T08:00:00.000Z`);
      expect(json[0].body).toBe(`{"n":${n}}`);
    }
  });
});

describe('scripts and examples', () => {
  const JSON_BODY = { 'Content-Type': 'application/json' };

  it('the Control scripts post to a path without a space', async () => {
    const { send, device } = await served();
    const { id } = await device();
    const headers = { Authorization: `ApiKey ${KEY}`, ...JSON_BODY };
    const control = JSON.stringify({ body: { output_1_state: 1 }, device_id: id, type: 'data' });
    expect((await send('POST', '/v2/messages', headers, control)).status).toBe(201);
    const config = `{"body": ["app config interval-report 60"], "device_id": "${id}", "type": "config"}`;
    expect((await send('POST', '/v2/messages', headers, config)).status).toBe(201);
    // config.sh has a surplus comma.
    const broken = `{"body": ["app config interval-report 60",], "device_id": "${id}", "type": "config"}`;
    expect((await send('POST', '/v2/messages', headers, broken)).status).toBe(400);
  });

  it('the examples of the documentation list spaces, devices and the latest message of each device', async () => {
    const { send, device, S, store, spaceId, clock, ids } = await served({ messageBody: 'json' });
    const { id } = await device();
    for (const name of ['X-API-KEY', 'X-Api-Key', 'X-API-Key', 'x-api-key']) {
      expect((await send('GET', '/v2/spaces', { [name]: KEY })).json).toHaveLength(1);
    }
    expect((await send('GET', `${S}/devices?limit=500`, { 'X-API-KEY': KEY })).json).toHaveLength(1);
    const createdAt = clock.wall;
    const row = message(1, { id: ids.uuid(), createdAt, spaceId, deviceId: id, body: { temperature: 4.5 } });
    await store.commit([{ kind: 'message.insert', row }]);
    await send('POST', `${S}/devices/${id}/downlinks`, { 'X-API-KEY': KEY, ...JSON_BODY }, '{"button_1_state": 1}');
    for (const type of ['type[]=data', 'type%5B%5D=data']) {
      const { json } = await send('GET', `${S}/messages?device_id=${id}&${type}&limit=1`, { 'X-API-KEY': KEY });
      expect(json).toMatchObject([{ body: { temperature: 4.5 } }]);
    }
  });

  it('the example of the page about DTLS sets a secret, which is never returned', async () => {
    const { send, device, S, store, spaceId } = await served();
    const { id } = await device();
    const secret = '000102030405060708090A0B0C0D0E0F';
    const headers = { 'X-API-KEY': KEY, ...JSON_BODY };
    const body = JSON.stringify({ secret, secret_type: 'psk' });
    const set = await send('PUT', `${S}/devices/${id}`, headers, body);
    expect(set.status).toBe(200);
    const read = await send('GET', `${S}/devices/${id}`, headers);
    expect((set.text + read.text).toUpperCase()).not.toContain(secret);
    expect((await store.record('secret', spaceId, id))?.body).toEqual({ type: 'psk', secret: secret.toLowerCase() });
    const short = await send('PUT', `${S}/devices/${id}`, headers, '{"secret":"0badc0de","secret_type":"psk"}');
    expect([short.status, short.text]).toEqual([400, expect.not.stringContaining('0badc0de')]);
    await send('PUT', `${S}/devices/${id}`, headers, '{"secret":null}');
    expect(await store.record('secret', spaceId, id)).toBeUndefined();
  });

  it('the script of January 2024 binds its login to a space, and expects 201 for its list', async () => {
    const { send, spaceId, ...made } = await served();
    await person(made, 'eva@example.org');
    const credentials = JSON.stringify({ email: 'eva@example.org', password: PASSWORD });
    const login = (await send('POST', '/v2/auth/login', JSON_BODY, credentials)).json.access_token;
    const bearer = { Authorization: `Bearer ${login}`, ...JSON_BODY };
    const [space] = (await send('GET', '/v2/spaces', bearer)).json;
    expect((await send('GET', '/v2/devices', bearer)).status).toBe(400);
    const bound = await send('POST', '/v2/auth/space', bearer, JSON.stringify({ space_id: space.id }));
    expect(bound.status).toBe(200);
    const headers = { Authorization: `Bearer ${bound.json.access_token}`, ...JSON_BODY };
    expect((await send('GET', '/v2/devices', headers)).status).toBe(201);
    const device = { name: 'x', serial_number: '1234567890', token: '0123456789abcdef0123456789abcdef' };
    expect((await send('POST', '/v2/devices', headers, JSON.stringify(device))).json.space_id).toBe(spaceId);
    expect((await send('GET', '/v2/devices?limit=1', headers)).json).toHaveLength(1);
    const foreign = await send('POST', '/v2/auth/space', bearer, JSON.stringify({ space_id: made.ids.uuid() }));
    expect([foreign.status, foreign.json.code]).toEqual([400, 'unknown-id']);
  });

  it('the script of April 2024 sends "space" instead of "spaces" in the path', async () => {
    const { send, spaceId } = await served();
    const headers = { Authorization: `Bearer ${KEY}`, ...JSON_BODY };
    const path = `/v2/space/${spaceId}/devices`;
    const device = { name: 'x', serial_number: '1234567890', token: '0123456789abcdef0123456789abcdef' };
    expect((await send('POST', path, headers, JSON.stringify(device))).status).toBe(201);
    expect(await send('GET', path, headers)).toMatchObject({ status: 200, json: [{ serial_number: '1234567890' }] });
  });

  it('the Python dashboard reads bodies as text, and the first 19 characters of a time', async () => {
    const { send, device, S } = await served();
    const { id } = await device();
    await send('POST', `${S}/devices/${id}/downlinks`, { 'X-API-KEY': KEY, ...JSON_BODY }, '{"a": 1}');
    const [message] = (await send('GET', `${S}/messages?limit=20`, { 'X-API-KEY': KEY })).json;
    expect(message).toMatchObject({ type: 'data', device_name: 'freezer-1', body: '{"a":1}' });
    expect(message.created_at.slice(0, 19)).toBe('2026-01-01T00:00:00');
  });

  it('without --legacy-paths, the older paths are unknown', async () => {
    const { send, spaceId } = await served({ legacyPaths: false, plainNotFound: false });
    const headers = { 'X-API-KEY': KEY };
    const own = ['/v2/spaces/own/devices', '/v2/%73paces/own/devices', '/%762/spaces/own/devices'];
    for (const path of ['/v2/devices', '/v2/messages', `/v2/space/${spaceId}/devices`])
      expect([path, (await send('GET', path, headers)).status]).toEqual([path, 404]);
    for (const path of own) expect([path, (await send('GET', path, headers)).status]).toEqual([path, 400]);
    expect((await send('POST', '/v2/auth/space', headers)).status).toBe(404);
  });
});
