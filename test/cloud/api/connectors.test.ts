import { describe, expect, it } from 'vitest';
import { atMostEach } from '../../../src/cloud/api/at-most.js';
import { RETRY_DELAYS } from '../../../src/cloud/connectors/connector.js';
import { type Delivery, putDelivery } from '../../../src/cloud/connectors/delivery.js';
import { withKey } from './people.js';
import { service } from './service.js';

const FORWARD =
  'function main(job) { return { url: "https://example.com/" + job.device.name, data: job.message.body } }';

async function tagged() {
  const made = await service();
  const tag = (await made.call('POST', 'tags', { name: 'cold', color: '#00ffaa' })).json;
  const create = (given: object = {}) =>
    made.call('POST', 'connectors', { name: 'forward', transformation: FORWARD, tags: [tag], ...given });
  return { ...made, tag, create };
}

describe('connectors', () => {
  it('are created with defaults, read, listed, changed and deleted', async () => {
    const { call, create, tag, spaceId } = await tagged();
    const created = await create();
    expect([created.status, created.json]).toEqual([
      201,
      {
        id: expect.any(String),
        space_id: spaceId,
        name: 'forward',
        type: 'webhook',
        direction: 'up',
        state: 'enabled',
        triggers: ['data'],
        tags: [tag],
        transformation: FORWARD,
        retry_delays: RETRY_DELAYS,
        timeout: 0,
        created_at: '2026-01-01T00:00:00.000Z',
        version: 0,
      },
    ]);
    const path = `connectors/${created.json.id}`;
    expect((await call('GET', path)).json).toEqual(created.json);
    const list = await call('GET', 'connectors?limit=100');
    expect([list.json, list.headers['x-total']]).toEqual([[created.json], '1']);
    const change = { state: 'disabled', triggers: ['stats', 'codec', 'stats'], tags: [], retry_delays: [], timeout: 5 };
    const changed = await call('PUT', path, { ...change, name: 'renamed' });
    expect(changed.json).toEqual({
      ...{ ...created.json, ...change, name: 'renamed', triggers: ['stats', 'codec'], version: 1 },
    });
    expect((await call('PUT', path, {})).json).toEqual({ ...changed.json, version: 2 });
    expect((await call('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await call(method, path, method === 'PUT' ? {} : undefined)).json.message).toBe('connector not found');
    }
    expect((await call('GET', 'connectors')).json).toEqual([]);
  });

  it('reject a change with 412 if they no longer have the version of If-Match', async () => {
    const { call, create } = await tagged();
    const { id } = (await create()).json;
    const put = (version: string, timeout: number) =>
      call('PUT', `connectors/${id}`, { timeout }, { 'if-match': version });
    const answers = await Promise.all([put('"0"', 5), put('"0"', 6)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const late = await put('"0"', 7);
    expect([late.status, late.json.code]).toEqual([412, 'changed-meanwhile']);
    expect((await put('1', 7)).status).toBe(400);
    expect((await put('"1"', 8)).json).toMatchObject({ timeout: 8, version: 2 });
  });

  it('are limited to 100 in a space, even if they are created at the same time', async () => {
    const { create, call } = await tagged();
    const answers = await Promise.all(Array.from({ length: 103 }, (_, n) => create({ name: `forward-${n}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(100).fill(201), 409, 409, 409]);
    expect((await create({ name: 'another' })).json).toMatchObject({ statusCode: 409, code: 'quota' });
    const [first] = (await call('GET', 'connectors?limit=1')).json;
    await call('DELETE', `connectors/${first.id}`);
    expect((await create({ name: 'another' })).status).toBe(201);
  });

  it('accept the requests of the client library hio-dotnet: its PUT has no id in the path, but a name in its body', async () => {
    const { call, tag } = await tagged();
    const whole = {
      direction: 'up',
      name: 'Test Connector',
      retry_delays: [10, 30, 60, 600, 1800, 3600, 10800, 21600, 43200],
      state: 'enabled',
      tags: [tag],
      transformation: 'function main(job) { return { "method": "POST" } }',
      triggers: ['data'],
      type: 'webhook',
      SpaceId: 'stray',
    };
    const created = await call('POST', 'connectors', whole);
    expect(created.status).toBe(201);
    const changed = await call('PUT', 'connectors', { ...whole, triggers: ['data', 'session'] });
    expect([changed.status, changed.json]).toEqual([
      200,
      { ...created.json, version: 1, triggers: ['data', 'session'] },
    ]);
    const other = await call('PUT', 'connectors', { ...whole, name: 'Another' });
    expect([other.status, other.json.message]).toEqual([404, 'connector not found']);
    expect((await call('PUT', 'connectors', { state: 'disabled' })).status).toBe(400);
  });

  it('have unique names, and support the Idempotency-Key', async () => {
    const { call, create } = await tagged();
    await create({ name: 'taken' });
    const { id } = (await create({ name: 'other' })).json;
    expect((await create({ name: ' taken ' })).status).toBe(409);
    expect((await call('PUT', `connectors/${id}`, { name: 'taken' })).json.message) //
      .toBe('a connector "taken" already exists');
    const body = { name: 'once', transformation: FORWARD };
    const [first, again] = [1, 2].map(() => call('POST', 'connectors', body, { 'idempotency-key': 'k' }));
    expect((await again)?.json).toEqual((await first)?.json);
  });

  it.each([
    [{ direction: 'sideways' }, 'body/direction "sideways" is not "up" or "down"'],
    [{ state: 'paused' }, 'body/state "paused" is not "enabled" or "disabled"'],
    [{ type: 'mqtt' }, 'body/type "mqtt" is not "webhook"'],
    [{ triggers: ['shell'] }, 'body/triggers/0 "shell" is not one of data, session, config, stats, codec'],
    [{ retry_delays: [-1] }, 'body/retry_delays/0 -1 is not a whole number of seconds, at most a week'],
    [{ retry_delays: Array(51).fill(1) }, 'body/retry_delays is not a list of at most 50 numbers of seconds'],
    [{ timeout: 61 }, 'body/timeout 61 is not a whole number of seconds, at most 60'],
    [{ transformation: 'x'.repeat(65_537) }, 'is not a script of at most 65536 characters'],
    [{ transformation: 'a\0b' }, 'characters, without the character U+0000'],
    [{ tags: [{ id: '00000000-0000-7000-8000-000000000000' }] }, 'is not a tag of this space'],
  ])('reject %j', async (given, message) => {
    const { create } = await tagged();
    const { status, json } = await create(given);
    expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('are saved only with a script that can be compiled', async () => {
    const { call } = await service();
    const broken = 'function main() { broken';
    const created = await call('POST', 'connectors', { name: 'a-name', transformation: broken });
    expect([created.status, created.json.code, created.json.message]).toEqual([
      400,
      'script-error',
      'body/transformation is not a valid script: SyntaxError (line 1, column 5)',
    ]);
    const { id } = (await call('POST', 'connectors', { name: 'a-name', transformation: FORWARD })).json;
    for (const path of [`connectors/${id}`, 'connectors']) {
      const { status, json } = await call('PUT', path, { name: 'a-name', state: 'disabled', transformation: broken });
      expect([status, json.code]).toEqual([400, 'script-error']);
    }
    expect((await call('GET', `connectors/${id}`)).json).toMatchObject({ state: 'enabled', transformation: FORWARD });
    expect((await call('PUT', 'connectors', { name: 'no-such', transformation: broken })).status).toBe(404);
  });

  it('show their scripts, which may contain credentials, only to callers who may change them', async () => {
    const { call } = await service();
    const { id } = (await call('POST', 'connectors', { name: 'hook', transformation: FORWARD })).json;
    const { key } = (await call('POST', 'keys', { name: 'reader', access_type: 'read' })).json;
    const reader = withKey(call, key);
    const seen = [(await reader('GET', `connectors/${id}`)).json, (await reader('GET', 'connectors')).json[0]];
    expect(seen.map(({ transformation }) => transformation)).toEqual(['********', '********']);
    expect((await call('GET', `connectors/${id}`)).json.transformation).toBe(FORWARD);
  });

  it('lose a tag when it is deleted', async () => {
    const { call, create, tag } = await tagged();
    const { id } = (await create()).json;
    await call('DELETE', `tags/${tag.id}`);
    expect((await call('GET', `connectors/${id}`)).json.tags).toEqual([]);
  });
});

describe('a preview', () => {
  async function withMessage() {
    const made = await tagged();
    const { id } = await made.device();
    const message = (await made.call('POST', `devices/${id}/downlinks`, { a: 1 })).json;
    const connector = (await made.create()).json;
    const preview = (transformation?: string, messageId = message.id) =>
      made.call('POST', `connectors/${connector.id}/preview`, {
        message_id: messageId,
        ...(transformation && { transformation }),
      });
    return { ...made, preview };
  }

  it('shows the request, regardless of tags and type', async () => {
    const { preview } = await withMessage();
    const { status, json } = await preview();
    expect([status, json]).toEqual([
      200,
      {
        outcome: 'request',
        request: {
          method: 'POST',
          url: 'https://example.com/freezer-1',
          header: { 'user-agent': 'ghostfleet', 'content-type': 'application/json' },
          body: '{"a":1}',
        },
        error: null,
      },
    ]);
  });

  it('fails if the target is not permitted', async () => {
    const { preview } = await withMessage();
    const { json } = await preview('function main() { return { url: "http://192.168.1.5/in" } }');
    expect(json).toEqual({ outcome: 'failed', request: null, error: expect.stringContaining('--allow-private') });
  });

  it('runs a script that is not saved, and reports its error', async () => {
    const { preview } = await withMessage();
    expect((await preview('function main() { return null }')).json).toEqual({
      outcome: 'cancelled',
      request: null,
      error: null,
    });
    expect((await preview('function main() {}')).json.outcome).toBe('cancelled');
    const failed = await preview('function main() { return nothing }');
    expect(failed.json).toMatchObject({
      outcome: 'failed',
      request: null,
      error: expect.stringMatching(/^ReferenceError/),
    });
    expect((await preview('function main() { return { url: "x" } }')).json.error).toBe(
      'url is not an http or https address',
    );
  });

  it('is rejected with 503 while eight others of its space are running', async () => {
    const { preview } = await withMessage();
    const answers = await Promise.all(Array.from({ length: 10 }, () => preview('function main() { return null }')));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(8).fill(200), 503, 503]);
    expect((await preview()).status).toBe(200);
  });

  it('of one space does not count towards the limit of another space', async () => {
    const busy = atMostEach(1, 'too many');
    let free = () => {};
    const first = busy('one', () => new Promise<void>((resolve) => (free = resolve)));
    await expect(busy('one', async () => 1)).rejects.toMatchObject({ statusCode: 503 });
    expect(await busy('two', async () => 2)).toBe(2);
    free();
    await first;
    expect(await busy('one', async () => 3)).toBe(3);
  });

  it('requires a message of the space', async () => {
    const { preview, call } = await withMessage();
    const unknown = '00000000-0000-7000-8000-000000000000';
    expect((await preview(undefined, unknown)).json.message).toBe(
      `body/message_id "${unknown}" is not a message of this space`,
    );
    expect((await call('POST', `connectors/${unknown}/preview`, { message_id: unknown })).status).toBe(404);
  });
});

describe('deliveries', () => {
  async function withDeliveries() {
    const made = await tagged();
    const connector = (await made.create()).json;
    const other = (await made.create({ name: 'other' })).json;
    const { ids, clock, spaceId, store } = made;
    const log = {
      attempt: 0,
      at: clock.wall,
      took: 12,
      status: 500,
      target: 'https://x',
      error: 'no',
      response: 'sorry',
    };
    const delivery = (given: Partial<Delivery>): Delivery => ({
      id: ids.uuid(),
      spaceId,
      connectorId: connector.id,
      deviceId: ids.uuid(),
      messageId: ids.uuid(),
      enabling: 0,
      createdAt: clock.wall,
      dueAt: null,
      state: 'delivered',
      attempt: 0,
      log: [],
      ...given,
    });
    const rows = [
      delivery({}),
      delivery({ state: 'pending', dueAt: clock.wall + 10_000, attempt: 1, log: [log] }),
      delivery({ connectorId: other.id }),
      delivery({ state: 'failed' }),
    ];
    await store.commit(rows.map(putDelivery));
    const path = `connectors/${connector.id}/deliveries`;
    const idsOf = async (query: string) =>
      (await made.call('GET', `${path}?${query}`)).json.map(({ id }: { id: string }) =>
        rows.findIndex((row) => row.id === id),
      );
    return { ...made, connector, other, rows, path, idsOf };
  }

  it('of a connector are listed newest first, in pages, with filters for state, device and message', async () => {
    const { idsOf, rows } = await withDeliveries();
    expect(await idsOf('')).toEqual([3, 1, 0]);
    expect(await idsOf('limit=2')).toEqual([3, 1]);
    expect(await idsOf(`limit=2&offset=${rows[1]?.id}`)).toEqual([0]);
    expect(await idsOf(`offset=${rows[0]?.id}`)).toEqual([]);
    expect(await idsOf('state=pending')).toEqual([1]);
    expect(await idsOf(`message_id=${rows[0]?.messageId}`)).toEqual([0]);
    expect(await idsOf(`device_id=${rows[0]?.deviceId}`)).toEqual([0]);
    expect(await idsOf(`device_id=${rows[0]?.messageId}`)).toEqual([]);
  });

  it('list their attempts', async () => {
    const { call, path, rows, connector, other } = await withDeliveries();
    const [, row] = rows;
    expect((await call('GET', `${path}/${row?.id}`)).json).toEqual({
      id: row?.id,
      connector_id: connector.id,
      device_id: row?.deviceId,
      message_id: row?.messageId,
      state: 'pending',
      attempts: 1,
      next_attempt_at: '2026-01-01T00:00:10.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      log: [
        {
          attempt: 0,
          at: '2026-01-01T00:00:00.000Z',
          took: 12,
          target: 'https://x',
          status: 500,
          error: 'no',
          response: 'sorry',
        },
      ],
    });
    expect((await call('GET', `connectors/${other.id}/deliveries/${row?.id}`)).json.message).toBe('delivery not found');
  });

  it('that are pending are shown as cancelled as soon as their connector is disabled', async () => {
    const { call, path, rows, connector } = await withDeliveries();
    const of = async () => (await call('GET', `${path}/${rows[1]?.id}`)).json;
    await call('PUT', `connectors/${connector.id}`, { state: 'disabled' });
    expect(await of()).toMatchObject({ state: 'cancelled', next_attempt_at: null });
    await call('PUT', `connectors/${connector.id}`, { state: 'enabled' });
    expect(await of()).toMatchObject({ state: 'cancelled', next_attempt_at: null });
    await call('PUT', `connectors/${connector.id}`, { name: 'renamed', state: 'enabled' });
    expect(await of()).toMatchObject({ state: 'cancelled', next_attempt_at: null });
  });
});
