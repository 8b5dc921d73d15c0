/**
 * Who may do what, on every route of the document: a key that only reads, a key of another space, a key that is limited to
 * tags, and no credential. New routes are covered automatically; the test fails if it has no body for one.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureSpaceAndKey } from '../../../src/cloud/accounts/bootstrap.js';
import { putDelivery } from '../../../src/cloud/connectors/delivery.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { writeImage } from '../../../src/protocol/firmware-image.js';
import type { Document } from '../../support/openapi.js';
import { withKey } from './people.js';
import { type Answer, type Call, service } from './service.js';

const FOREIGN_KEY = 'the-key-of-another-space';
const SCRIPT = 'function main(job) { return null; }';

/** Things of a space, by the path that they are found under. */
type Things = Readonly<Record<string, string>>;

async function furnish(call: Call, made: Awaited<ReturnType<typeof service>>, spaceId: string, n: number) {
  const create = async (path: string, body: unknown) =>
    (await call('POST', `/v2/spaces/${spaceId}/${path}`, body)).json.id;
  const serial = String(2159017985 + n);
  const devices = await create('devices', { name: 'unit', serial_number: serial, token: String(n).repeat(32) });
  const data = Buffer.from(writeImage({ bundle: 'b', name: 'n', version: 'v1' }, 500)).toString('base64');
  const images = await create('firmware/images', { data });
  const connectors = await create('connectors', { name: 'hook', transformation: SCRIPT });
  const messages = await create(`devices/${devices}/commands`, ['info show']);
  const delivery = made.ids.uuid();
  await made.store.commit([
    putDelivery({
      id: delivery,
      spaceId,
      connectorId: connectors,
      deviceId: devices,
      messageId: messages,
      createdAt: made.clock.wall,
      dueAt: null,
      state: 'delivered',
      attempt: 0,
      log: [],
    }),
  ]);
  return {
    devices,
    messages,
    connectors,
    delivery,
    'firmware/images': images,
    firmware: await create('firmware', { device_id: devices, firmware_id: images }),
    tags: await create('tags', { name: 'cold', color: '#00ffaa' }),
    variables: await create('variables', { name: 'a', value: '1' }),
    users: await create('users/invite', { email: `eva${n}@example.org` }),
    keys: await create('keys', { name: 'script' }),
  };
}

/** Valid bodies, so that only the caller's permissions decide. */
function bodies(things: Things): Readonly<Record<string, unknown>> {
  const space = '/v2/spaces/{space_id}';
  return {
    'POST /v2/spaces': { name: 'new' },
    'POST /v2/auth/password': { password: 'a-password', new_password: 'another-password' },
    'POST /v2/auth/space': { space_id: things.space },
    [`PUT ${space}`]: { name: 'new' },
    [`POST ${space}/devices`]: { name: 'new', serial_number: '2159099999', token: 'f'.repeat(32) },
    [`PUT ${space}/devices/{id}`]: { name: 'new' },
    [`POST ${space}/devices/{id}/configs`]: ['app config interval-report 60'],
    [`POST ${space}/devices/{id}/commands`]: ['info show'],
    [`POST ${space}/devices/{id}/downlinks`]: { a: 1 },
    [`POST ${space}/devices/{id}/firmware`]: { firmware_id: things['firmware/images'] },
    [`POST ${space}/messages`]: { device_id: things.devices, type: 'data', body: {} },
    [`POST ${space}/tags`]: { name: 'new', color: '#000000' },
    [`PUT ${space}/tags/{id}`]: { name: 'new' },
    [`POST ${space}/firmware/images`]: { data: 'AAAA', version: 'v1' },
    [`POST ${space}/firmware`]: { device_id: things.devices, firmware_id: things['firmware/images'] },
    [`POST ${space}/connectors`]: { name: 'new', transformation: SCRIPT },
    [`PUT ${space}/connectors`]: { name: 'hook' },
    [`PUT ${space}/connectors/{id}`]: { name: 'new' },
    [`POST ${space}/connectors/{id}/preview`]: { message_id: things.messages },
    [`POST ${space}/variables`]: { name: 'new', value: '1' },
    [`PUT ${space}/variables/{id}`]: { value: '2' },
    [`POST ${space}/users/invite`]: { email: 'new@example.org' },
    [`PUT ${space}/users/{id}`]: { name: 'new' },
    [`POST ${space}/keys`]: { name: 'new' },
    [`PUT ${space}/keys/{id}`]: { name: 'new' },
  };
}

interface Route {
  readonly method: string;
  readonly template: string;
  readonly name: string;
  readonly hasBody: boolean;
}

/** The path with ids in it. */
function pathOf({ template }: Route, things: Things): string {
  const family = /\{space_id\}\/(firmware\/images|\w+)/.exec(template)?.[1] ?? 'users';
  return template
    .replace('{space_id}', things.space ?? '')
    .replace('{id}', things[family] ?? '')
    .replace('{delivery_id}', things.delivery ?? '');
}

async function lab() {
  const made = await service({ legacyPaths: true });
  const { call, store, clock, ids, spaceId } = made;
  const foreign = ids.uuid();
  await store.commit([{ kind: 'space.put', row: { id: foreign, name: 'other', type: 'team', createdAt: 0 } }]);
  const options = { spaceName: 'other', apiKey: FOREIGN_KEY, ids, clock, random: seededRandom('other') };
  await ensureSpaceAndKey(store, options);
  const stranger = withKey(call, FOREIGN_KEY);
  const own = { space: spaceId, ...(await furnish(call, made, spaceId, 1)) };
  const theirs = { space: foreign, ...(await furnish(stranger, made, foreign, 2)) };
  const random = Object.fromEntries(Object.keys(own).map((name) => [name, ids.uuid()]));
  const key = async (body: object) => (await call('POST', 'keys', body)).json.key;
  const reader = withKey(call, await key({ name: 'reader', access_type: 'read' }));
  const { id } = (await call('POST', 'tags', { name: 'mine', color: '#00ffaa' })).json;
  const limited = withKey(call, await key({ name: 'limited', tags: [{ id }] }));
  const document: Document = (await call('GET', '/v2/documentation/json')).json;
  const routes = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([verb, { security = [], requestBody }]): readonly Route[] => {
      const method = verb.toUpperCase();
      const isOpen = security.every((scheme) => !('apiKey' in scheme));
      return isOpen ? [] : [{ method, template, name: `${method} ${template}`, hasBody: requestBody !== undefined }];
    }),
  );
  return { ...made, own, theirs, random, reader, stranger, limited, routes };
}

/** The response without the ids that were sent: two responses must not differ in anything else. */
function visiblePart({ status, text }: Answer, things: Things): string {
  return Object.values(things).reduce((kept, id) => kept.replaceAll(id, 'ID'), `${status} ${text}`);
}

describe('on every route,', () => {
  let made: Awaited<ReturnType<typeof lab>>;
  const ask = (call: Call, route: Route, things: Things) =>
    call(route.method, pathOf(route, things), bodies(things)[route.name]);
  const withIds = () => made.routes.filter(({ template }) => /\{space_id\}.*\{/.test(template));

  beforeAll(async () => {
    made = await lab();
  });

  it('this test has a body for each', () => {
    const needed = made.routes.filter(({ hasBody }) => hasBody).map(({ name }) => name);
    expect(Object.keys(bodies({})).sort()).toEqual(needed.sort());
    expect(made.routes.length).toBeGreaterThan(60);
  });

  it('a request without a credential is rejected', async () => {
    for (const route of made.routes) {
      const answer = await made.call(route.method, pathOf(route, made.own), bodies(made.own)[route.name], {
        'x-api-key': '',
      });
      expect([route.name, answer.status]).toEqual([route.name, 401]);
    }
  });

  it('a read-only key is rejected for every change, and for nothing else', async () => {
    for (const route of made.routes) {
      const { status } = await ask(made.reader, route, made.own);
      // An account belongs to a login, and the audit log to admins.
      const mayRead = !/^\/v2\/auth\/|\/audit$/.test(route.template);
      expect([route.name, status]).toEqual([route.name, route.method === 'GET' && mayRead ? 200 : 403]);
    }
  });

  it('a foreign space is answered like one that does not exist', async () => {
    for (const route of made.routes.filter(({ template }) => template.includes('{space_id}'))) {
      const [foreign, random] = [await ask(made.call, route, made.theirs), await ask(made.call, route, made.random)];
      expect([route.name, foreign.status]).toEqual([route.name, 404]);
      expect([route.name, visiblePart(foreign, made.theirs)]).toEqual([route.name, visiblePart(random, made.random)]);
    }
  });

  it('a foreign resource is answered like one that does not exist, also under the own space', async () => {
    for (const route of withIds()) {
      const { space } = made.own;
      const foreign = await ask(made.call, route, { ...made.theirs, space });
      const random = await ask(made.call, route, { ...made.random, space });
      expect([route.name, foreign.status]).toEqual([route.name, 404]);
      expect([route.name, visiblePart(foreign, made.theirs)]).toEqual([route.name, visiblePart(random, made.random)]);
    }
  });

  it('a key limited to tags gets the same answer for hidden and for missing resources', async () => {
    const whole = ['firmware/images/{id}'];
    for (const route of withIds().filter(({ template }) => !whole.some((end) => template.endsWith(end)))) {
      const unseen = await ask(made.limited, route, made.own);
      const random = await ask(made.limited, route, { ...made.random, space: made.own.space });
      expect([route.name, unseen.status]).toEqual([route.name, 404]);
      expect([route.name, visiblePart(unseen, made.own)]).toEqual([route.name, visiblePart(random, made.random)]);
    }
  });

  it('the resources of others are unchanged', async () => {
    for (const route of withIds().filter(({ method }) => method === 'GET')) {
      expect([route.name, (await ask(made.stranger, route, made.theirs)).status]).toEqual([route.name, 200]);
    }
  });

  it('ids in bodies and queries do not reveal foreign resources', async () => {
    const { space } = made.own;
    const references = (things: Things): readonly (readonly [string, string, unknown?])[] => [
      ['POST', 'messages', { device_id: things.devices, type: 'data', body: {} }],
      ['POST', 'firmware', { device_id: things.devices, firmware_id: made.own['firmware/images'] }],
      ['POST', 'firmware', { device_id: made.own.devices, firmware_id: things['firmware/images'] }],
      ['POST', `devices/${made.own.devices}/firmware`, { firmware_id: things['firmware/images'] }],
      ['POST', 'variables', { name: 'x', value: '1', device_id: things.devices }],
      ['PUT', `devices/${made.own.devices}`, { tags: [{ id: things.tags }] }],
      ['POST', 'connectors', { name: 'x', transformation: SCRIPT, tags: [{ id: things.tags }] }],
      ['POST', 'keys', { name: 'x', tags: [{ id: things.tags }] }],
      ['POST', `connectors/${made.own.connectors}/preview`, { message_id: things.messages }],
      ['PUT', '', { owner_id: things.users }],
      ['GET', `messages?device_id=${things.devices}`],
      ['GET', `messages?tag_id=${things.tags}`],
      ['GET', `devices?tag_ids=${things.tags}`],
      ['GET', `devices?sort_by=name&offset=${things.devices}`],
      ['GET', `variables?device_id=${things.devices}`],
      ['GET', `firmware?device_id=${things.devices}`],
    ];
    for (const [n, [method, path, body]] of references(made.theirs).entries()) {
      const foreign = await made.call(method, `/v2/spaces/${space}/${path}`, body);
      const [, otherPath = '', otherBody] = references(made.random)[n] ?? [];
      const random = await made.call(method, `/v2/spaces/${space}/${otherPath}`, otherBody);
      expect([method, path, visiblePart(foreign, made.theirs)]).toEqual([
        method,
        path,
        visiblePart(random, made.random),
      ]);
      if (method !== 'GET') expect([method, path, [400, 404].includes(foreign.status)]).toEqual([method, path, true]);
    }
  });
});
