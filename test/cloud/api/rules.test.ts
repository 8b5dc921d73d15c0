/** Rules for all routes: credentials, errors, bodies, URLs, and requests from web pages of other origins. */
import { describe, expect, it } from 'vitest';
import { DEPTH_LIMIT, isTooDeep } from '../../../src/kernel/json-size.js';
import { NOT_UNICODE } from '../../../src/kernel/json-text.js';
import { KEY, service } from './service.js';

const TOKEN = '0'.repeat(32);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('the credential', () => {
  it('is taken from the header X-API-KEY, in upper or lower case, or from Authorization', async () => {
    const { app } = await service();
    const spellings = [
      { 'X-API-KEY': KEY },
      { 'x-api-key': KEY },
      { 'X-Api-Key': ` ${KEY} ` },
      { authorization: `ApiKey ${KEY}` },
      { authorization: `bearer ${KEY}` },
      { 'x-api-key': '', authorization: `Bearer ${KEY}` },
      { 'x-api-key': KEY, authorization: 'Bearer wrong' },
    ];
    for (const headers of spellings) {
      expect((await app.inject({ url: '/v2/spaces', headers })).statusCode).toBe(200);
    }
  });

  it('is rejected with 401 and a challenge if missing or invalid, before the body is read', async () => {
    const { app, call, spaceId } = await service();
    for (const headers of [{ 'x-api-key': 'wrong' }, { authorization: `Basic ${KEY}` }, { authorization: 'Bearer' }]) {
      const answer = await app.inject({ url: '/v2/spaces', headers });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
    const missing = await app.inject({ url: '/v2/spaces' });
    expect(missing.json()).toEqual({
      statusCode: 401,
      error: 'Unauthorized',
      message: 'API key is missing: send it in the header X-API-KEY',
    });
    for (const authorization of [KEY, `Token ${KEY}`, `Basic ${KEY}`, 'Bearer']) {
      const other = await app.inject({ url: '/v2/spaces', headers: { authorization } });
      expect(other.json().message).toMatch(/^the header Authorization must be "ApiKey <key>" or "Bearer /);
      expect(other.body).not.toContain(KEY);
    }
    const bad = await call('POST', `/v2/spaces/${spaceId}/devices`, '{', { 'x-api-key': 'wrong' });
    expect([bad.status, bad.json.message]).toEqual([401, 'this API key or token is not valid']);
  });

  it('does not open another space, and does not reveal whether it exists', async () => {
    const { call, store, ids } = await service();
    const foreign = ids.uuid();
    await store.commit([{ kind: 'space.put', row: { id: foreign, name: 'other', type: 'team', createdAt: 0 } }]);
    for (const tail of ['', '/devices', '/messages', '/tags', '/devices/count']) {
      const known = await call('GET', `/v2/spaces/${foreign}${tail}`);
      const unknown = await call('GET', `/v2/spaces/${ids.uuid()}${tail}`);
      expect(known.status).toBe(404);
      expect(known.text).toBe(unknown.text);
    }
  });
});

describe('errors', () => {
  it('have the common form for an unknown route', async () => {
    const { call } = await service();
    expect((await call('GET', '/v2/nothing?a=b')).json).toEqual({
      statusCode: 404,
      error: 'Not Found',
      message: 'Route GET:/v2/nothing not found',
    });
    expect((await call('PATCH', 'devices')).json).toMatchObject({ statusCode: 405, code: 'method-not-allowed' });
  });

  it('name no route for a path that is like none', async () => {
    const { call } = await service();
    for (const path of ['/', '/foo', '/v2', 'webhooks', `/${'spaces/'.repeat(50)}`])
      expect((await call('GET', path)).json.message).toMatch(/ not found$/);
  });

  it('say that a part of the path is not a UUID, or empty', async () => {
    const { call } = await service();
    for (const [path, message] of [
      ['/v2/spaces/my-space/devices', 'params/space_id "my-space" is not a UUID'],
      ['/v2/spaces//devices', 'params/space_id "" is not a UUID'],
      ['/v2/spaces/lab', 'params/space_id "lab" is not a UUID'],
      ['devices//firmware', 'params/id "" is not a UUID'],
    ] as const) {
      const { status, json } = await call('GET', path);
      expect([status, json.message]).toEqual([400, message]);
    }
    for (const method of ['PUT', 'DELETE'])
      expect((await call(method, 'devices/', {})).json.message).toBe('the id at the end of the path is empty');
  });

  it('say what was given in place of a list, and suggest the name of a missing field or value', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const message = async (method: string, path: string, body?: unknown) =>
      (await call(method, path, body)).json.message;
    const lines = 'body is not a list of 1 to 100 lines';
    expect(await message('POST', `devices/${id}/commands`, [])).toBe(`${lines} (got an empty list)`);
    expect(await message('POST', `devices/${id}/commands`, { commands: ['a'] })).toBe(`${lines} (got an object)`);
    expect(await message('POST', `devices/${id}/configs`, Array(101).fill('a'))).toBe(`${lines} (got a list of 101)`);
    expect(await message('POST', 'devices', { name: 'a', serialNumber: '1', token: TOKEN })).toBe(
      'body needs "serial_number"; "serialNumber" is not a field (did you mean "serial_number"?)',
    );
    expect(await message('POST', 'tags', { name: 'a', colour: '#123456' })).toContain('(did you mean "color"?)');
    expect(await message('GET', 'messages?direction=dwn')).toContain('(did you mean "down"?)');
    expect(await message('GET', 'events?event=messages')).toContain('(did you mean "message"?)');
  });

  it('have a code if a name is taken or a resource cannot be changed now', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const tag = { name: 'cold', color: '#1f77b4' };
    await call('POST', 'tags', tag);
    const sent = (await call('POST', `devices/${id}/commands`, ['info show'])).json;
    await call('POST', `messages/${sent.id}/cancel`);
    const conflicts = [await call('POST', 'tags', tag), await call('POST', `messages/${sent.id}/cancel`)];
    expect(conflicts).toMatchObject([{ json: { code: 'name-taken' } }, { json: { code: 'not-pending' } }]);
  });

  it('name every problem with its value and what is expected', async () => {
    const { call } = await service();
    const { status, json } = await call('POST', 'tags', { name: '', color: 'red' });
    expect(status).toBe(400);
    expect(json).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message:
        'body/name "" is not a name of 1 to 64 printable characters; ' +
        'body/color "red" is not a colour such as "#1f77b4", or "#abc" for "#aabbcc"',
      code: 'FST_ERR_VALIDATION',
    });
    expect((await call('POST', 'tags', {})).json.message).toBe('body needs "name"; body needs "color"');
    expect((await call('POST', 'tags', [])).json.message).toBe('body is not a JSON object (got an empty list)');
    expect((await call('GET', 'tags?limit=501')).json.message).toBe(
      'querystring/limit 501 is not a whole number from 1 to 500',
    );
    expect((await call('GET', 'devices/none')).json.message).toBe('params/id "none" is not a UUID');
  });

  it('name each unknown query parameter and the nearest known one', async () => {
    const { call } = await service();
    const messageFor = async (method: string, path: string) => {
      const { status, json } = await call(method, path);
      expect([status, json.code]).toEqual([400, 'FST_ERR_VALIDATION']);
      return json.message;
    };
    expect(await messageFor('GET', 'tags?limt=5')).toBe(
      'querystring "limt" is not a parameter of this request (did you mean "limit"?); it has limit, offset',
    );
    expect(await messageFor('GET', 'messages?type[]=data&devise_id=x&limit=x')).toMatch(
      /^querystring "devise_id" is not a parameter of this request \(did you mean "device_id"\?\); it has .*; querystring\/limit "x" is not/,
    );
    expect(await messageFor('GET', 'devices?Name=a')).toContain('(did you mean "name"?)');
    expect(await messageFor('GET', 'devices?tagids[]=a')).toContain('(did you mean "tag_ids"?)');
    expect(await messageFor('GET', 'devices?tag_ids[0][id]=a')).toContain('"tag_ids[0][id]" is not a parameter');
    expect(await messageFor('GET', '?x=1')).toBe('querystring "x" is not a parameter of this request; it has none');
    expect(await messageFor('DELETE', `tags/${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}?force=`)).toContain(
      '"force"',
    );
    expect(await messageFor('GET', `tags?${'x'.repeat(100)}=1`)).toContain(`"${'x'.repeat(57)}…"`);
  });

  it('name twenty unknown query parameters at most, and the number of the others', async () => {
    const { call } = await service();
    const query = Array.from({ length: 1500 }, (_, n) => `q${n}=1`).join('&');
    const problems = (await call('GET', `tags?${query}`)).json.message.split('; ');
    expect(problems.filter((problem: string) => problem.startsWith('querystring'))).toHaveLength(20);
    expect(problems.at(-1)).toBe('and 1480 more unknown parameters');
  });

  it('name every problem of a body up to a maximum length, and quote numbers without quotation marks', async () => {
    const { call } = await service();
    const wrong = { name: 1, external_id: 2, comment: 3, label: { a: 4 }, tags: [5], secret: 6, secret_type: 7 };
    const { json } = await call('POST', 'devices', { ...wrong, serial_number: 8, token: 9 });
    expect(json.message.split('; ').sort()).toEqual([
      'body/comment 3 is not a text of at most 500 characters, or null',
      'body/external_id 2 is not a text of at most 255 characters, or null',
      'body/label/a 4 is not a text',
      'body/name 1 is not a name of 1 to 64 printable characters',
      'body/secret is not a secret of 16 to 32 bytes in hex digits, or null',
      'body/secret_type 7 is not "psk"',
      'body/serial_number 8 is not ten decimal digits from 0000000001 to 4294967295',
      'body/tags/0 5 is not an object with the id of a tag',
      'body/token is not a claim token of 32 hex digits',
    ]);
    const many = Array.from({ length: 300 }, (_, i) => `"l${i}":${i}`);
    const { status, text } = await call('POST', 'devices', `{"label":{${many}}}`);
    expect([status, text.length < 8000, text.includes('and possibly more')]).toEqual([400, true, true]);
  });

  it('of the service itself do not reveal their cause, which is in the log', async () => {
    const { call, logged } = await service({}, (context) => ({
      ...context,
      store: Object.assign(Object.create(context.store), {
        keyByHash: context.store.keyByHash.bind(context.store),
        tags: () => Promise.reject(new Error('table tag is on fire')),
      }),
    }));
    const { status, json, text } = await call('GET', 'tags');
    expect(status).toBe(500);
    expect(json).toEqual({
      statusCode: 500,
      error: 'Internal Server Error',
      message: 'the service failed to handle this request; its log says why',
    });
    expect(text).not.toContain('fire');
    expect(logged).toMatchObject([
      { level: 'error', fields: { method: 'GET', route: '/v2/spaces/:space_id/tags' }, message: 'request failed' },
    ]);
    expect(JSON.stringify(logged)).not.toContain(KEY);
  });

  it('of a missing resource can be the plain text that one client expects', async () => {
    const { call, ids } = await service({ plainNotFound: true });
    const answer = await call('GET', `devices/${ids.uuid()}`);
    expect([answer.status, answer.text]).toEqual([404, 'not found']);
    expect(answer.headers['content-type']).toContain('text/plain');
  });
});

describe('a body', () => {
  it('must be present, valid JSON, and within the limits of size and depth', async () => {
    const { call } = await service();
    const refused = async (body: string, headers: Record<string, string> = {}) => {
      const { status, json } = await call('POST', 'tags', body, headers);
      expect(json).toMatchObject({ statusCode: status });
      return [status, json.message];
    };
    expect(await refused('{"name": "a",}')).toEqual([
      400,
      'the body is not valid JSON: unexpected "}" at line 1, column 14',
    ]);
    expect(await refused('')).toEqual([400, 'the body is empty: this request needs a body']);
    expect(await refused(`"${'x'.repeat(1_048_576)}"`)).toEqual([
      413,
      'the body is too large: the limit is 1 MiB, or 16 KiB without a credential',
    ]);
    expect(await refused('name=x', { 'content-type': 'text/plain' })).toEqual([
      415,
      'the body must be JSON: send it with Content-Type: application/json',
    ]);
    expect(await refused(nested(65))).toEqual([400, 'the JSON is nested too deep: the limit is 64 levels']);
    expect(await refused(nested(64))).toEqual([400, 'body is not a JSON object (got a list of 1)']);
    expect(await refused(nested(200_000))).toEqual([400, 'the JSON is nested too deep: the limit is 64 levels']);
  });

  it('is rejected if it has numbers that could not be stored as they are, also in JSON as text', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const body = '{"a":9007199254740993,"b":[1e400]}';
    const sentence =
      'the body: 9007199254740993, 1e400 cannot be kept exactly as a number; write it as a text in quotation marks';
    const asText = JSON.stringify({ device_id: id, type: 'data', body });
    for (const [path, sent] of [
      [`devices/${id}/downlinks`, body],
      ['messages', asText],
    ] as const) {
      const { status, json } = await call('POST', path, sent);
      expect([status, json.code, json.message]).toEqual([400, 'inexact-number', sentence]);
    }
  });

  it.each([
    ['__proto__', '{"a":{"__proto__":{"b":1}}}', 'forbidden-key', '/a has the forbidden key "__proto__"'],
    ['__proto__ with an escape', '{"__pr\\u006fto__":1}', 'forbidden-key', ' has the forbidden key "__proto__"'],
    [
      'prototype of a constructor',
      '{"constructor":{"prototype":{}}}',
      'forbidden-key',
      '/constructor has the forbidden key "prototype" in "constructor"',
    ],
    ['a key twice', '{"t":1,"u":2,"\\u0074":3}', 'duplicate-key', ' has the key "t" more than once'],
    ['a key twice in a list', '{"l":[0,{"t":1,"t":1}]}', 'duplicate-key', '/l/1 has the key "t" more than once'],
    ['half of a surrogate pair', '{"s":"cut \\ud83d"}', 'invalid-unicode', `/s ${NOT_UNICODE}`],
    ['the second half', '{"l":["\\uDE00 \\ud83d\\ude00"]}', 'invalid-unicode', `/l/0 ${NOT_UNICODE}`],
    ['half of a surrogate pair in a key', '{"o":{"\\ud83d":1}}', 'invalid-unicode', `/o has a key that ${NOT_UNICODE}`],
  ])('with %s is rejected, also in JSON as text', async (_, body, code, sentence) => {
    const { call, device, store, spaceId } = await service();
    const { id } = await device();
    const asText = JSON.stringify({ device_id: id, type: 'data', body });
    for (const [path, sent, where] of [
      [`devices/${id}/downlinks`, body, 'body'],
      ['messages', asText, 'body/body'],
    ] as const) {
      const { status, json } = await call('POST', path, sent);
      expect([status, json.code, json.message]).toEqual([400, code, `${where}${sentence}`]);
    }
    expect(await store.messages(spaceId, { limit: 10 })).toEqual([]);
  });

  it('with several faults is rejected with all of them', async () => {
    const { call } = await service();
    const body =
      '{"name":"a","name":"b","x":{"y":1,"y":2,"y":3},"color":"\\ud83d","n":9007199254740993,"ok":"\\ud83d\\ude00"}';
    const { status, json } = await call('POST', 'tags', body);
    expect([status, json.message.split('; ')]).toEqual([
      400,
      [
        'body has the key "name" more than once',
        'body/x has the key "y" more than once',
        `body/color ${NOT_UNICODE}`,
        'the body: 9007199254740993 cannot be kept exactly as a number',
        'write it as a text in quotation marks',
      ],
    ]);
  });

  it('may have equal keys in different objects, whole surrogate pairs, colons in texts, and the keys prototype and constructor', async () => {
    const { call, device } = await service();
    const { id } = await device();
    const body = { a: { b: 1 }, b: { b: ': \\" {' }, 'c:d': '\u{1f600}', prototype: { constructor: 'x' } };
    const escaped = JSON.stringify(body).replace('\u{1f600}', '\\ud83d\\ude00');
    const { status, json } = await call('POST', `devices/${id}/downlinks`, escaped);
    expect([status, json.body]).toEqual([201, body]);
  });

  it('is rejected if compressed, with a message that says so', async () => {
    const { call } = await service();
    const tag = JSON.stringify({ name: 'cold', color: '#00ffaa' });
    for (const coding of ['gzip', 'br', 'GZIP, identity', 'nonsense']) {
      const { status, json, headers } = await call('POST', 'tags', tag, { 'content-encoding': coding });
      expect([status, json.code, headers['accept-encoding']]).toEqual([415, 'content-encoding', 'identity']);
      expect(json.message).toBe('the body must be sent without Content-Encoding');
    }
    expect((await call('POST', 'tags', tag, { 'content-encoding': 'Identity' })).status).toBe(201);
    expect((await call('GET', 'tags', undefined, { 'content-encoding': 'gzip' })).status).toBe(200);
  });

  it('may name its character set, and may be empty if the route expects no body', async () => {
    const { call, device } = await service();
    const body = JSON.stringify({ name: 'cold', color: '#00ffaa' });
    const type = { 'content-type': 'application/json; charset=utf-8' };
    expect((await call('POST', 'tags', body, type)).status).toBe(201);
    const others = ['UTF-8', '"utf-8"', 'UTF8; v=1'];
    for (const [n, charset] of others.entries()) {
      const tag = JSON.stringify({ name: `cold-${n}`, color: '#00ffaa' });
      expect((await call('POST', 'tags', tag, { 'content-type': `application/json;charset=${charset}` })).status).toBe(
        201,
      );
    }
    const { id } = await device();
    expect((await call('DELETE', `devices/${id}`, undefined, type)).status).toBe(204);
  });

  it('has its depth measured by brackets outside of strings', () => {
    expect(isTooDeep(nested(DEPTH_LIMIT))).toBe(false);
    expect(isTooDeep(nested(DEPTH_LIMIT + 1))).toBe(true);
    expect(isTooDeep(`[${'[],'.repeat(100)}[]]`)).toBe(false);
    expect(isTooDeep(JSON.stringify(['"'.repeat(9), '[{'.repeat(90), '\\'.repeat(9)]))).toBe(false);
    expect(isTooDeep(`["\\"",${nested(DEPTH_LIMIT)}]`)).toBe(true);
  });
});

describe('a URL', () => {
  it('may end with a slash and may contain ids in upper case', async () => {
    const { call, spaceId, device } = await service();
    const { id } = await device();
    for (const path of [
      '/v2/spaces/',
      `/v2/spaces/${spaceId.toUpperCase()}/devices/count/`,
      `devices/${id.toUpperCase()}/`,
      'devices?name=a/',
    ]) {
      expect((await call('GET', path)).status).toBe(200);
    }
    expect((await call('POST', 'tags/', { name: 'cold', color: '#00ffaa' })).status).toBe(201);
  });

  it('of a list with a slash at its end is rejected: the id after the slash is empty', async () => {
    const { call } = await service();
    for (const path of ['devices/', 'tags/', 'messages/', 'variables/?limit=1', 'keys/', 'firmware/', 'users/']) {
      const { status, json } = await call('GET', path);
      expect([path, status, json.message]).toEqual([
        path,
        404,
        expect.stringContaining('id at the end of the path is empty'),
      ]);
    }
  });

  it('that cannot be decoded is rejected with 400', async () => {
    const { call } = await service();
    const { status, json } = await call('GET', '/v2/spaces/%zz');
    expect([status, json.statusCode, json.error]).toEqual([400, 400, 'Bad Request']);
  });

  it.each(['caf%E9', '%', '%zz', 'caf%C3', '%ED%A0%80', 'a&name=%FF'])(
    'whose query is not UTF-8 is rejected: name=%s',
    async (name) => {
      const { call } = await service();
      const { status, json } = await call('GET', `devices?name=${name}`);
      expect([status, json.code]).toEqual([400, 'invalid-utf-8']);
    },
  );

  it.each([
    ['PATCH', 'devices', 'GET, HEAD, POST'],
    ['GET', '/v2/auth/login', 'POST'],
    ['POST', '/v2/documentation/json', 'GET, HEAD'],
  ])('that has other methods is answered with 405, and they are in Allow: %s %s', async (method, path, allow) => {
    const { call } = await service();
    const { status, headers, json } = await call(method, path);
    expect([status, headers.allow, json.error]).toEqual([405, allow, 'Method Not Allowed']);
    expect((await call('GET', '/v2/nowhere')).status).toBe(404);
  });

  it('with a null character is rejected with 400 and not logged as an error', async () => {
    const { app, logged } = await service();
    const { statusCode, json } = await app.inject('/v2/documentation/static/%00');
    expect([statusCode, json().error]).toEqual([400, 'Bad Request']);
    expect(logged).toEqual([]);
  });
});

describe('web pages of other origins', () => {
  it('may send preflight requests and read the answers', async () => {
    const { app, call } = await service();
    const asked = await app.inject({
      method: 'OPTIONS',
      url: '/v2/spaces',
      headers: {
        origin: 'https://example.org',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key',
      },
    });
    expect(asked.statusCode).toBe(204);
    expect(asked.headers['access-control-allow-origin']).toBe('*');
    expect(asked.headers['access-control-allow-headers']).toContain('X-API-KEY');
    expect((await app.inject({ method: 'OPTIONS', url: '/v2/spaces' })).statusCode).toBe(204);
    const answer = await call('GET', '/v2/spaces', undefined, { origin: 'https://example.org' });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const exposed = String(answer.headers['access-control-expose-headers']).toLowerCase().split(', ');
    for (const name of ['x-total', 'retry-after', 'idempotent-replayed']) expect(exposed).toContain(name);
    for (const name of ['limit', 'remaining', 'reset']) expect(exposed).toContain(`x-ratelimit-${name}`);
  });

  it('may not send requests of devices: a preflight request below /v2/device is rejected without CORS headers', async () => {
    const { app } = await service();
    const url = '/v2/device/2159017986/uplink';
    const headers = { origin: 'https://example.org', 'access-control-request-method': 'POST' };
    const asked = await app.inject({ method: 'OPTIONS', url, headers });
    expect(asked.statusCode).toBeGreaterThanOrEqual(400);
    expect(Object.keys(asked.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('get no CORS headers if CORS is switched off', async () => {
    const { call } = await service({ cors: false });
    const answer = await call('GET', '/v2/spaces', undefined, { origin: 'https://example.org' });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});
