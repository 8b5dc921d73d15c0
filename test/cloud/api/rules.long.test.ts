/** Rules for all routes: bodies, paths and values of rarer kinds. */
import { describe, expect, it } from 'vitest';
import { KEY, service } from './service.js';

describe('errors', () => {
  it.each([
    ['GET', '/v2/devices', '/v2/spaces/{space_id}/devices'],
    ['GET', '/v2/messages?limit=3', '/v2/spaces/{space_id}/messages'],
    ['GET', '/spaces', '/v2/spaces'],
    ['GET', '/api/v2/spaces', '/v2/spaces'],
    ['POST', 'devices/0/command', '/v2/spaces/{space_id}/devices/{id}/commands'],
    ['GET', 'device/0', '/v2/spaces/{space_id}/devices/{id}'],
    ['GET', 'devices/0/messages', '/v2/spaces/{space_id}/messages'],
    ['POST', '/v2/login', '/v2/auth/login'],
  ])('name the nearest route: %s %s', async (method, path, nearest) => {
    const { call } = await service();
    const { status, json } = await call(method, path);
    expect([status, json.message]).toEqual([404, expect.stringMatching(/^Route .* not found \(did you mean /)]);
    expect(json.message).toContain(`(did you mean ${nearest}?)`);
  });
});

it.each([
  [
    'keys',
    { name: 'k', expires_at: 'soon' },
    'expires_at "soon" is not a date or time of ISO 8601 such as "2026-01-01T00:00:00.000Z"',
  ],
  [
    'keys',
    { name: 'k', expires_at: 5 },
    'expires_at 5 is not a date or time of ISO 8601 such as "2026-01-01T00:00:00.000Z"',
  ],
  ['users/invite', { email: 'a@example.com', name: 5 }, 'name 5 is not a name of 1 to 64 printable characters'],
  ['users/invite', { email: 'a@example.com', name: ' ' }, 'name " " is not a name of 1 to 64 printable characters'],
  [
    'connectors',
    { name: 'x', transformation: 'x', tags: [], direction: 'up', triggers: [], timeout: {} },
    'timeout is not a whole number of seconds, at most 60 (got an empty object)',
  ],
])('a wrong value of %s that may be null has one message: %j', async (path, body, problem) => {
  const { call } = await service();
  const { status, json } = await call('POST', path, body);
  expect([status, json.message.split('; ').filter((one: string) => /expires_at|name|timeout/.test(one))]).toEqual([
    400,
    [`body/${problem}`],
  ]);
  expect(json.message).not.toContain('JSON object');
});

describe('a body', () => {
  it.each([
    ['a byte of Latin-1', Buffer.from('{"name":"caf\xe9","color":"#00ffaa"}', 'latin1')],
    ['a cut character', Buffer.from('{"name":"caf\xc3","color":"#00ffaa"}', 'latin1')],
    ['an encoded surrogate', Buffer.from('{"name":"a\xed\xa0\x80","color":"#00ffaa"}', 'latin1')],
    ['UTF-16', Buffer.from('\ufeff{"name":"café","color":"#00ffaa"}', 'utf16le')],
  ])('is rejected if it is not valid UTF-8: %s', async (_, body) => {
    const { app, spaceId } = await service();
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const { statusCode, json } = await app.inject({
      method: 'POST',
      url: `/v2/spaces/${spaceId}/tags`,
      headers,
      payload: body,
    });
    expect([statusCode, json().code]).toEqual([400, 'invalid-utf-8']);
  });

  it.each(['iso-8859-1', 'Windows-1250', '"utf-16"', 'us-ascii'])(
    'is rejected if it names the character set %s',
    async (charset) => {
      const { call } = await service();
      const tag = JSON.stringify({ name: 'cold', color: '#00ffaa' });
      const type = { 'content-type': `application/json; Charset=${charset}` };
      const { status, json } = await call('POST', 'tags', tag, type);
      expect([status, json.code]).toEqual([415, 'charset']);
    },
  );
});
