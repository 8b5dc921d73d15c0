/** Every GET operation of the OpenAPI document, sent by callers who may only read: no answer contains a secret. */
import { beforeAll, expect, it } from 'vitest';
import { type Cloud, type Headers, openCloud, PASSWORD } from '../../../scripts/security/authorization/cloud.js';
import { operationsOf, pathOf } from '../../../scripts/security/authorization/operations.js';
import { furnish, type Things } from '../../../scripts/security/authorization/things.js';
import type { Access } from '../../../src/cloud/api/access.js';
import { eventBytes } from '../../../src/cloud/api/event-views.js';
import type { ApiOptions } from '../../../src/cloud/api/family.js';
import { putDelivery } from '../../../src/cloud/connectors/delivery.js';
import { newMessage } from '../../../src/cloud/store/new-message.js';
import type { Document } from '../../support/openapi.js';

const SECRETS = {
  'claim token': '9f3ac4d1e07b5826aa10ffb2c36d9e45',
  passkey: '739154',
  'DTLS key': 'c0ffee00c0ffee00c0ffee00c0ffee00',
  'LoRaWAN key': '2B7E151628AED2A6ABF7158809CF4F3C',
  'secure variable': 'VARIABLE-5f1c',
  'header of a connector': 'HEADER-88aa',
} as const;

let cloud: Cloud;
let things: Things;

beforeAll(async () => {
  cloud = await openCloud();
  const { own, need } = cloud;
  things = await furnish(cloud, own);
  const space = `/v2/spaces/${own.id}`;
  const script = `function main(job) { throw new Error(job.variables.p + "${SECRETS['header of a connector']}"); }`;
  await need('PUT', `${space}/connectors/${things.connectors}`, own.key, { transformation: script });
  await need('PUT', `${space}/variables/${things.variables}`, own.key, {
    value: SECRETS['secure variable'],
    secure: true,
  });
  const { 'claim token': token, 'DTLS key': secret } = SECRETS;
  await need('PUT', `${space}/devices/${things.devices}`, own.key, { token, secret, secret_type: 'psk' });
  await plantMessages();
  await plantDelivery();
});

/** Stores messages of the device, and queues downlinks for it. */
async function plantMessages(): Promise<void> {
  const { store, ids, clock, own, need } = cloud;
  const device = await store.device(own.id, things.devices);
  if (device === undefined) throw new Error('no device');
  const { passkey, 'claim token': token, 'LoRaWAN key': key } = SECRETS;
  const command = 'info show';
  const outputs = [`claim token: ${token}`, `ble passkey: ${passkey}`];
  const bodies = {
    session: { fw_version: 'v4.0.0', ble_passkey: passkey, token },
    shell: { message_id: things.messages, responses: [{ command, result: 0, outputs }] },
    config: [`ble config passkey "${passkey}"`, `lrw config appkey ${key}`],
  };
  const session = { fw_version: 'v4.0.0', ble_passkey: passkey };
  await store.commit([{ kind: 'device.change', id: device.id, change: { session, sessionId: 1 } }]);
  for (const [type, body] of Object.entries(bodies)) {
    await store.commit([{ kind: 'message.insert', row: newMessage(ids, clock, device, 'up', type, body) }]);
  }
  const about = { device_id: device.id };
  const queue = (type: string, line: string) =>
    need('POST', `/v2/spaces/${own.id}/messages`, own.key, { ...about, type, body: [line] });
  await queue('shell', `ble config passkey ${passkey}`);
  await queue('config', `lrw config appkey ${key}`);
}

/**
 * A delivery with secrets in its log: a target repeated the request in its response, and a script failed with secrets in its
 * error.
 */
async function plantDelivery(): Promise<void> {
  const { store, clock, own } = cloud;
  const { 'secure variable': variable, 'header of a connector': header, 'claim token': token } = SECRETS;
  const entry = { attempt: 0, at: clock.wall, took: 1, status: 500, target: 'https://example.org' };
  const log = [
    { ...entry, error: 'the target answered with status 500', response: `x-token: ${header}, ${variable}, ${token}` },
    { ...entry, status: null, target: null, error: `Error: ${variable}${header} (line 1)`, response: null },
  ];
  const about = { connectorId: things.connectors, deviceId: things.devices, messageId: things.messages };
  const row = { id: things.delivery, spaceId: own.id, createdAt: clock.wall, ...about };
  await store.commit([putDelivery({ ...row, state: 'failed', attempt: 1, log, dueAt: null })]);
}

/** Names of the secrets in the answers, and how many operations answered with 200. */
async function seenBy(headers: Headers) {
  // The cast is needed because the type of fastify-swagger covers every version of OpenAPI.
  const operations = operationsOf(cloud.app.swagger() as unknown as Document).filter(({ method }) => method === 'GET');
  const seen: string[] = [];
  let answered = 0;
  for (const operation of operations) {
    const { status, text } = await cloud.ask('GET', pathOf(operation, things), headers);
    if (status === 200) answered++;
    for (const [name, secret] of Object.entries(SECRETS)) {
      if (text.toLowerCase().includes(secret.toLowerCase())) seen.push(`${operation.id}: ${name}`);
    }
  }
  return { seen, answered };
}

async function keyWith(body: object): Promise<Headers> {
  const { key = '' } = await cloud.need('POST', `/v2/spaces/${cloud.own.id}/keys`, cloud.own.key, {
    name: 'x',
    ...body,
  });
  return { 'x-api-key': key };
}

async function user(): Promise<Headers> {
  const path = `/v2/spaces/${cloud.own.id}/users/invite`;
  const email = 'reader@example.org';
  const { invite_token: token } = await cloud.need('POST', path, cloud.own.key, { email, role: 'user' });
  const { access_token } = await cloud.need('POST', '/v2/auth/accept', {}, { token, email, password: PASSWORD });
  return { authorization: `Bearer ${access_token}` };
}

it('a key that may write sees scripts and passkeys, but no claim token, DTLS key or secure variable in devices, variables and keys', async () => {
  const { seen, answered } = await seenBy(cloud.own.key);
  expect(answered).toBeGreaterThan(25);
  expect(seen).toEqual(expect.arrayContaining(['getConnector: header of a connector', 'getDevice: passkey']));
  expect(
    seen.filter((each) => /^(get|list)(Device|Devices|Variable|Variables|Keys?): (claim|DTLS|secure)/.test(each)),
  ).toEqual([]);
});

it.each([
  ['a read-only key', () => keyWith({ access_type: 'read' }), 25],
  ['a member with the role user', user, 25],
  ['a read-only key that is limited to a tag', () => keyWith({ access_type: 'read', tags: [{ id: things.tags }] }), 10],
] as const)('%s sees no secret in any answer', async (_, credential, least) => {
  const { seen, answered } = await seenBy(await credential());
  expect(seen).toEqual([]);
  expect(answered).toBeGreaterThanOrEqual(least);
});

it('an event about a delivery contains secrets for an admin, but not for a user who may only read', async () => {
  const { store, clock, own, ids } = cloud;
  const record = await store.record('delivery', own.id, things.delivery);
  const device = await store.device(own.id, things.devices);
  const row = {
    seq: 1,
    spaceId: own.id,
    deviceId: null,
    kind: 'delivery',
    ref: ids.uuid(),
    at: 1,
    detail: null,
  } as const;
  const seen = async (role: 'admin' | 'user') => {
    const caller = { spaceId: own.id, access: { role, scope: null } as Access };
    const options = { messageBody: 'json' } as ApiOptions;
    return String(await eventBytes({ row, device, message: undefined, record }, { store, clock, caller, options }));
  };
  expect(await seen('admin')).toContain(SECRETS['secure variable']);
  expect(await seen('user')).toContain('"target":"https://example.org"');
  for (const secret of Object.values(SECRETS)) expect(await seen('user')).not.toContain(secret);
});
