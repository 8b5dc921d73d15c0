/**
 * A sample of the authorization matrix, one in eight of its combinations, and foreign ids in bodies and queries. The matrix
 * has the answer of every operation to every kind of credential. `npm run security -- matrix` checks the whole matrix.
 */
import { expect, it } from 'vitest';
import { openCloud, PASSWORD } from '../../../scripts/security/authorization/cloud.js';
import { authorizationMatrix, visiblePart } from '../../../scripts/security/authorization/matrix.js';
import { furnish, randomThings, type Things } from '../../../scripts/security/authorization/things.js';

it('every operation answers every kind of credential as the contract requires, for own, foreign and missing resources', async () => {
  const { operations, credentials, requests, failures } = await authorizationMatrix('sample');
  expect(failures).toEqual([]);
  expect(operations).toBeGreaterThanOrEqual(80);
  expect(credentials).toBeGreaterThanOrEqual(35);
  expect(requests).toBeGreaterThan((operations * credentials) / 8);
});

it('ids in bodies and queries do not reveal foreign resources', async () => {
  const cloud = await openCloud();
  const own = await furnish(cloud, cloud.own);
  const theirs = await furnish(cloud, cloud.foreign);
  const random = randomThings(cloud, theirs);
  const login = { email: cloud.own.owner, password: PASSWORD };
  const { access_token: token } = await cloud.need('POST', '/v2/auth/login', {}, login);
  const owner = { authorization: `Bearer ${token}` };
  const base = `/v2/spaces/${own.space}`;
  const references = (things: Things): readonly (readonly [string, string, unknown?])[] => [
    ['POST', 'messages', { device_id: things.devices, type: 'data', body: {} }],
    ['POST', 'firmware', { device_id: things.devices, firmware_id: own.images }],
    ['POST', 'firmware', { device_id: own.devices, firmware_id: things.images }],
    ['POST', `devices/${own.devices}/firmware`, { firmware_id: things.images }],
    ['POST', 'variables', { name: 'x', value: '1', device_id: things.devices }],
    ['PUT', `devices/${own.devices}`, { tags: [{ id: things.tags }] }],
    ['POST', 'connectors', { name: 'x', transformation: 'main', tags: [{ id: things.tags }] }],
    ['POST', 'keys', { name: 'x', tags: [{ id: things.tags }] }],
    ['POST', `connectors/${own.connectors}/preview`, { message_id: things.messages }],
    ['PUT', '', { owner_id: things.users }],
    ['GET', `messages?device_id=${things.devices}`],
    ['GET', `messages?tag_id=${things.tags}`],
    ['GET', `devices?tag_ids=${things.tags}`],
    ['GET', `devices?sort_by=name&offset=${things.devices}`],
    ['GET', `variables?device_id=${things.devices}`],
    ['GET', `firmware?device_id=${things.devices}`],
  ];
  for (const [n, [method, path, body]] of references(theirs).entries()) {
    const foreign = await cloud.ask(method, `${base}/${path}`, owner, body);
    const [, otherPath = '', otherBody] = references(random)[n] ?? [];
    const like = await cloud.ask(method, `${base}/${otherPath}`, owner, otherBody);
    expect([method, path, visiblePart(foreign, theirs)]).toEqual([method, path, visiblePart(like, random)]);
    if (method !== 'GET') expect([method, path, [400, 404].includes(foreign.status)]).toEqual([method, path, true]);
  }
});
