/** The client against the real API on a loopback port. */
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiError, type ClientOptions, DeviceCloudClient } from '../../src/client/client.js';
import { KEY } from '../cloud/api/service.js';
import { against, closeAll, closeLater, connected, device, failure, MESSAGE } from './services.js';

afterEach(closeAll);

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

describe('the client', () => {
  it('finds the space of its key', async () => {
    const { baseUrl, spaceId } = await connected();
    const client = await DeviceCloudClient.connect({ baseUrl, apiKey: KEY });
    closeLater(() => client.close());
    expect(client.spaceId).toBe(spaceId);
    expect(await client.space()).toMatchObject({ id: spaceId, name: 'lab' });
    expect(await client.spaces()).toHaveLength(1);
  });

  it('creates, reads, changes, lists, counts and deletes devices', async () => {
    const { client } = await connected();
    const tag = await client.createTag({ name: 'cold', color: '#00ffaa' });
    const made = await client.createDevice({ ...device(1), tags: [{ id: tag.id }], label: { a: 'b' } });
    await client.createDevice(device(2));
    expect(await client.device(made.id)).toEqual(made);
    expect((await client.updateDevice(made.id, { name: 'renamed & co' })).name).toBe('renamed & co');
    expect(await client.devices({ name: '& CO', tag_ids: [tag.id], tag_filter_logic: 'all' })).toHaveLength(1);
    expect((await client.devices({ sort_by: 'name', order_by: 'desc', limit: 1 }))[0]?.name).toBe('unit-2');
    const [short] = await client.deviceSummaries({ order_by: 'desc', limit: 1 });
    expect(short).toMatchObject({ name: 'unit-2', tag_names: [], fw_version: null });
    expect(await client.countDevices()).toBe(2);
    expect(await client.countDevices({ tag_ids: [tag.id] })).toBe(1);
    expect(await client.deleteDevice(made.id)).toBeUndefined();
    expect(await client.countDevices()).toBe(1);
  });

  it.each([
    [{}, { code: 'bad-url', message: expect.stringContaining('"baseUrl"') }],
    [{ baseUrl: 'http://127.0.0.1:1' }, { code: 'empty-id', message: expect.stringContaining('"spaceId"') }],
  ])('names the option that a program in JavaScript left out of %j', (options, problem) => {
    // The cast is safe because this is what JavaScript may pass.
    expect(() => new DeviceCloudClient(options as ClientOptions)).toThrow(expect.objectContaining(problem));
  });

  it('rejects an empty id before the request', async () => {
    const { client } = await connected();
    await client.createDevice(device(1));
    const calls = [
      ...[client.device(''), client.tag(''), client.message(''), client.variable(''), client.deleteDevice('')],
      ...[client.device('.'), client.deleteTag('..'), client.sendCommands('', ['info show']), client.timeline('')],
      ...[client.delivery('x', ''), client.deleteFirmwareImage(''), client.endLogin(''), client.remove('')],
      ...[client.remove('/keys/'), client.changeTags('', { add: ['x'] })],
      ...[client.remove('/tags/%2e%2e'), client.remove('/keys/%2E%2e%2f..'), client.remove('/tags/x%5c..')],
      ...[client.deleteTag('../..'), client.deleteDevice('x/./y')],
    ];
    for (const call of calls) expect(await failure(call)).toMatchObject({ code: 'empty-id' });
    expect(await client.countDevices()).toBe(1);
  });

  it('rejects an empty filter before the request, so that it does not select everything', async () => {
    const { client } = await connected();
    await client.createDevice(device(1));
    const calls = [
      ...[client.devices({ tag_ids: [] }), client.countDevices({ tag_ids: [] }), client.devices({ name: '' })],
      ...[client.messages({ type: [] }), client.messages({ device_id: '' }), client.variables({ name: '' })],
      ...[client.devices({ tag_ids: [''] }), client.firmwareUpdates({ device_id: '' })],
      ...[collect(client.allDevices({ tag_ids: [] })), collect(client.events({ device_id: '' }))],
    ];
    for (const call of calls) expect(await failure(call)).toMatchObject({ code: 'empty-parameter' });
    expect(await client.devices({ name: undefined as never })).toHaveLength(1);
  });

  it('rejects what is neither a text nor a number in an address before the request', async () => {
    const { client } = await connected();
    expect(() => client.device(undefined as never)).toThrow('undefined is not the id of a resource');
    for (const after of [new Date(0), null, {}]) {
      expect(await failure(client.messages({ after } as never))).toMatchObject({
        code: 'bad-parameter',
        message: '"after" of the query is not a text, a number, or a list of texts',
      });
    }
  });

  it('rejects a body that JSON cannot hold, instead of changing it or blaming the service', async () => {
    const { client } = await connected();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const bodies = [{ limit: Number.NaN }, { a: [1, Number.POSITIVE_INFINITY] }, { count: 10n }, circle];
    const messages: unknown[] = [];
    for (const body of bodies) {
      const refusal = await failure(client.sendData('x', body));
      expect(refusal).toMatchObject({ code: 'bad-body' });
      messages.push((refusal as Error).message);
    }
    expect(messages).toEqual([
      '"limit" of the body is NaN, which JSON cannot hold',
      '"1" of the body is Infinity, which JSON cannot hold',
      'the body cannot be JSON: Do not know how to serialize a BigInt',
      'the body cannot be JSON: Converting circular structure to JSON',
    ]);
  });

  it('may be closed again, and then says that it is closed', async () => {
    const { client } = await connected();
    await client.close();
    await client.through((request) => request()).close();
    expect(await failure(client.devices())).toMatchObject({
      message: expect.stringContaining('ghostfleet has closed the connection'),
    });
  });

  it('rejects a text in an address that is not valid Unicode, and shows why the service rejects one in a body', async () => {
    const { client } = await connected();
    const half = 'cut \ud83d';
    for (const call of [client.devices({ name: half }), client.messages({ type: ['data', half] })]) {
      expect(await failure(call)).toMatchObject({ code: 'invalid-unicode' });
    }
    expect(() => client.device(half)).toThrow('the id is not valid Unicode: it contains half of a surrogate pair');
    const refusal = await failure(client.createTag({ name: half, color: '#00ffaa' }));
    expect(refusal).toMatchObject({ status: 400, body: { code: 'invalid-unicode' } });
  });

  it('keeps every one of several edits of the tags of a device at the same time', async () => {
    const { client } = await connected();
    const names = ['base', 'one', 'two', 'three', 'four'];
    const ids: string[] = [];
    for (const name of names) ids.push((await client.createTag({ name, color: '#00ffaa' })).id);
    const [base = '', ...others] = ids;
    const { id } = await client.createDevice({ ...device(1), tags: [{ id: base }] });
    const edits = others.map((tagId) => client.changeTags(id, { add: [tagId] }));
    await Promise.all([...edits, client.changeTags(id, { remove: [base] }), client.updateDevice(id, { comment: 'x' })]);
    const { tags, comment } = await client.device(id);
    expect(tags.map(({ name }) => name).sort()).toEqual(['four', 'one', 'three', 'two']);
    expect(comment).toBe('x');
  });

  it('does not change a device that others have changed since the given version', async () => {
    const { client } = await connected();
    const { id, version } = await client.createDevice(device(1));
    await client.updateDevice(id, { label: { theirs: '1' } }, version);
    const refused = (await failure(client.updateDevice(id, { label: { mine: '2' } }, version))) as ApiError;
    expect(refused.status).toBe(412);
    expect((await client.device(id)).label).toEqual({ theirs: '1' });
  });

  it('edits the tags of a cloud that has no versions', async () => {
    let tags = [{ id: 'a' }];
    const client = await against((request, answer) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        if (body !== '') tags = JSON.parse(body).tags;
        answer.end(JSON.stringify({ id: 'd', name: 'n', tags, conditions: request.headers['if-match'] }));
      });
    });
    const changed = await client.changeTags('d', { add: ['b', 'c'], remove: ['a'] });
    expect(changed).toEqual({ id: 'd', name: 'n', tags: [{ id: 'b' }, { id: 'c' }] });
  });

  it('creates, reads, changes and deletes tags', async () => {
    const { client } = await connected();
    const tag = await client.createTag({ name: 'cold', color: '#00ffaa' });
    expect(await client.updateTag(tag.id, { color: '#000000' })).toEqual({ ...tag, color: '#000000' });
    expect(await client.tag(tag.id)).toMatchObject({ color: '#000000' });
    expect(await client.tags({ limit: 1 })).toHaveLength(1);
    await client.deleteTag(tag.id);
    expect(await client.tags()).toEqual([]);
  });

  it('invites, logs in, and works with users and spaces', async () => {
    const { client, baseUrl } = await connected();
    const invited = await client.inviteUser({ email: 'eva@example.org', role: 'admin' });
    const password = 'correct horse battery staple';
    const acceptance = { token: invited.invite_token, email: invited.email, password };
    const { access_token: apiKey } = await DeviceCloudClient.accept(baseUrl, acceptance);
    const eva = new DeviceCloudClient({ baseUrl, apiKey, spaceId: client.spaceId });
    closeLater(() => eva.close());
    expect(await DeviceCloudClient.login(baseUrl, { email: 'eva@example.org', password })).toMatchObject({
      token_type: 'Bearer',
    });
    const wrong = await failure(DeviceCloudClient.login(baseUrl, { email: 'eva@example.org', password: 'not-it' }));
    expect((wrong as ApiError).status).toBe(401);
    const made = await eva.createSpace({ name: 'second' });
    expect(await eva.spaces({ limit: 1, offset: client.spaceId })).toEqual([made]);
    const second = new DeviceCloudClient({ baseUrl, apiKey, spaceId: made.id });
    closeLater(() => second.close());
    expect((await second.updateSpace({ name: 'renamed' })).name).toBe('renamed');
    await second.deleteSpace();
    expect(await eva.updateUser(invited.id, { name: 'Eva' })).toEqual(await client.user(invited.id));
    expect(await client.users()).toHaveLength(1);
    expect((await failure(client.deleteUser(invited.id))).message).toContain('the last admin');
  });

  it('works with connectors', async () => {
    const { client } = await connected();
    const { id: deviceId } = await client.createDevice(device(1));
    const message = await client.createMessage({ device_id: deviceId, type: 'config', body: ['app config a 1'] });
    const transformation = 'function main(job) { return { url: "http://x/", data: job.message.type } }';
    const made = await client.createConnector({ name: 'forward', transformation, direction: 'down' });
    expect(await client.connectors()).toEqual([made]);
    expect((await client.updateConnector(made.id, { triggers: ['config'] })).triggers).toEqual(['config']);
    expect(await client.connector(made.id)).toMatchObject({ direction: 'down', triggers: ['config'] });
    expect(await client.previewConnector(made.id, message.id)).toMatchObject({ request: { body: 'config' } });
    const other = 'function main() { return null }';
    expect((await client.previewConnector(made.id, message.id, other)).outcome).toBe('cancelled');
    expect(await client.deliveries(made.id, { state: 'failed' })).toEqual([]);
    expect(await collect(client.allDeliveries(made.id))).toEqual([]);
    expect((await failure(client.delivery(made.id, message.id))).message).toContain('delivery not found');
    await client.deleteConnector(made.id);
    expect(await client.connectors()).toEqual([]);
  });

  it('works with firmware', async () => {
    const { client } = await connected();
    const { id: deviceId } = await client.createDevice(device(1));
    const image = await client.createFirmwareImage({
      data: Buffer.of(1, 2, 3, 4, 5).toString('base64'),
      version: 'v2',
    });
    expect(image).toMatchObject({ version: 'v2', size: 5 });
    const update = await client.updateFirmware(deviceId, image.id);
    expect(await client.firmwareUpdate(update.id)).toMatchObject({
      device_id: deviceId,
      state: 'scheduled',
      offset: 0,
    });
    expect(((await failure(client.updateFirmware(deviceId, image.id))) as ApiError).status).toBe(409);
    await client.deleteFirmwareImage(image.id);
    expect(((await failure(client.deleteFirmwareImage(image.id))) as ApiError).status).toBe(404);
  });

  it('creates and deletes a resource by its path, with `post` and `remove`', async () => {
    const { client } = await connected();
    const { id } = await client.post('/tags', { name: 'cold', color: '#112233' });
    expect((await client.tag(id)).name).toBe('cold');
    await client.remove(`/tags/${id}`);
    expect(await client.tags()).toEqual([]);
  });

  it('works with keys and variables', async () => {
    const { client, baseUrl } = await connected();
    const { key: apiKey, ...key } = await client.createKey({ name: 'script', access_type: 'read' });
    expect(await client.key(key.id)).toEqual(key);
    expect((await client.updateKey(key.id, { name: 'other', tags: [] })).name).toBe('other');
    const reader = await DeviceCloudClient.connect({ baseUrl, apiKey });
    closeLater(() => reader.close());
    const variable = await client.createVariable({ name: 'a', value: '1' });
    expect(await reader.variables({ name: 'a', secure: 'false' })).toEqual([variable]);
    expect(((await failure(reader.lockVariable(variable.id))) as ApiError).status).toBe(403);
    expect((await client.lockVariable(variable.id)).locked).toBe(true);
    expect(((await failure(client.updateVariable(variable.id, { value: '2' }))) as ApiError).status).toBe(423);
    expect((await client.unlockVariable(variable.id)).locked).toBe(false);
    expect((await client.updateVariable(variable.id, { value: '2' })).value).toBe('2');
    await client.deleteVariable(variable.id);
    expect((await failure(client.variable(variable.id))).message).toContain('variable not found');
    expect((await client.rotateKey(key.id)).key).not.toBe(apiKey);
    expect(((await failure(reader.space())) as ApiError).status).toBe(401);
    await client.deleteKey(key.id);
    expect(await client.keys()).toHaveLength(1);
  });

  it('queues configurations, commands and data, reads the timeline of a downlink, and cancels it', async () => {
    const { client } = await connected();
    const { id } = await client.createDevice(device(1));
    const queued = [
      await client.sendConfig(id, ['app config interval-report 900']),
      await client.sendCommands(id, ['info show']),
      await client.sendData(id, { output_1_state: 1 }),
      await client.createMessage({ device_id: id, type: 'shell', body: ['app config'] }),
    ];
    expect(queued.map((message) => [message.type, message.down_state])).toEqual([
      ['config', 'pending'],
      ['shell', 'pending'],
      ['data', 'pending'],
      ['shell', 'pending'],
    ]);
    const first = queued[0]?.id ?? '';
    expect((await client.cancelMessage(first)).down_state).toBe('cancelled');
    expect((await client.message(first)).down_state).toBe('cancelled');
    expect(await client.timeline(first)).toMatchObject([{ what: 'queued' }]);
    const listed = await client.messages({ device_id: id, type: ['shell', 'data'], direction: 'down' });
    expect(listed.map((message) => message.id)).toEqual([queued[3]?.id, queued[2]?.id, queued[1]?.id]);
  });

  it('reads all pages of messages, devices and tags', async () => {
    const { client, app, store, spaceId, ids } = await connected();
    const made = await client.createDevice(device(1));
    for (let n = 0; n < 230; n++) await client.sendData(made.id, { n });
    const row = await store.deviceBySerial(2159017986);
    if (!row) throw new Error('the device is not stored');
    await store.commit(
      Array.from({ length: 1000 }, (_, n) => ({
        kind: 'device.insert',
        row: { ...row, spaceId, id: ids.uuid(), serial: 1_000_000_000 + n, token: `f${n}`.padStart(32, '0') },
      })),
    );
    const messages = await collect(client.allMessages({ device_id: made.id }));
    expect(messages.map((message) => message.body)).toEqual(Array.from({ length: 230 }, (_, n) => ({ n: 229 - n })));
    expect(new Set((await collect(client.allDevices())).map((item) => item.id)).size).toBe(1001);
    const sorted: string[] = [];
    for await (const { id } of client.allDevices({ sort_by: 'name' })) {
      // The last device of the first page moves to the end.
      if (sorted.push(id) === 500) await client.updateDevice(id, { name: 'zz' });
    }
    expect([sorted.length, new Set(sorted).size]).toEqual([1002, 1001]);
    expect(await collect(client.allTags())).toEqual([]);
    expect(app.server.listening).toBe(true);
  });

  it('reads all messages by default, not only those of the last 24 hours', async () => {
    const paths: (string | undefined)[] = [];
    const client = await against((request, response) => {
      paths.push(request.url);
      response.end('[]');
    });
    await collect(client.allMessages());
    await collect(client.allMessages({ after: '2026-01-01T00:00:00Z' }));
    expect(paths).toEqual([
      '/v2/spaces/s/messages?after=1970-01-01T00%3A00%3A00.000Z&limit=100',
      '/v2/spaces/s/messages?after=2026-01-01T00%3A00%3A00Z&limit=100',
    ]);
  });

  it('returns bodies as values, also if the service sends them as text', async () => {
    const { client } = await connected({ messageBody: 'string' });
    const { id } = await client.createDevice(device(1));
    expect((await client.sendData(id, { a: [1] })).body).toEqual({ a: [1] });
    expect((await client.messages())[0]?.body).toEqual({ a: [1] });
  });

  it('returns a body that is sent as text as the text if it is nested too deep to be a body', async () => {
    const deep = '['.repeat(65) + ']'.repeat(65);
    const client = await against((_, response) => response.end(JSON.stringify([{ ...MESSAGE, body: deep }])));
    expect((await client.messages())[0]?.body).toBe(deep);
  });

  it('writes lists and times in queries as the API expects them', async () => {
    const paths: (string | undefined)[] = [];
    const client = await against((request, response) => {
      paths.push(request.url);
      response.end('[]');
    });
    await client.messages({ type: ['data', 'a&b'], after: '2026-01-01T00:00:00+01:00' });
    expect(paths).toEqual([
      '/v2/spaces/s/messages?type%5B%5D=data&type%5B%5D=a%26b&after=2026-01-01T00%3A00%3A00%2B01%3A00',
    ]);
  });
});

describe('a service on a socket', () => {
  it('accepts raw brackets in the URL', async () => {
    const { baseUrl, spaceId, client } = await connected();
    const { id } = await client.createDevice(device(1));
    await client.sendCommands(id, ['info show']);
    const { request } = await import('node:http');
    const text = await new Promise<string>((resolve, reject) => {
      const path = `/v2/spaces/${spaceId}/messages?type[]=data&type[]=shell&limit=1`;
      const sent = request(baseUrl + path, { path, headers: { 'X-Api-Key': KEY } }, async (answer) => {
        let body = '';
        for await (const part of answer) body += part;
        resolve(body);
      });
      sent.on('error', reject).end();
    });
    expect(JSON.parse(text)).toHaveLength(1);
  });
});

it('a client made by `through` sends its requests through a gate; the original client does not', async () => {
  const { client } = await connected();
  const passed: string[] = [];
  const gated = client.through((request) => {
    passed.push('one');
    return request();
  });
  await gated.createDevice(device(1));
  expect(await client.countDevices()).toBe(1);
  expect(passed).toEqual(['one']);
});
