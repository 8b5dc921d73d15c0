/** The client against the real API on a loopback port, and against servers that misbehave. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, DeviceCloudClient } from '../../src/client/client.js';
import type { ApiOptions } from '../../src/cloud/api/index.js';
import { UsageError } from '../../src/kernel/errors.js';
import { KEY, service } from '../cloud/api/service.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A client of the real API. */
async function connected(options: Partial<ApiOptions> = {}) {
  const made = await service(options);
  const baseUrl = await made.app.listen({ port: 0, host: '127.0.0.1' });
  closing.push(() => made.app.close());
  const client = new DeviceCloudClient({ baseUrl, apiKey: KEY, spaceId: made.spaceId });
  closing.push(() => client.close());
  return { ...made, baseUrl, client };
}

/** A client of a server that answers whatever `listener` says. */
async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function against(listener: RequestListener, timeout?: number) {
  const baseUrl = await listening(listener);
  const client = new DeviceCloudClient({ baseUrl, apiKey: KEY, spaceId: 's', ...(timeout ? { timeout } : {}) });
  closing.push(() => client.close().catch(() => undefined));
  return client;
}

const device = (n: number) => ({
  name: `unit-${n}`,
  serial_number: String(2159017985 + n),
  token: n.toString(16).padStart(32, '0'),
});

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

const failure = async (work: Promise<unknown>): Promise<Error> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('a failure was expected');
  return error;
};

describe('the client', () => {
  it('finds the space of its key', async () => {
    const { baseUrl, spaceId } = await connected();
    const client = await DeviceCloudClient.connect({ baseUrl, apiKey: KEY });
    closing.push(() => client.close());
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
    expect(await client.countDevices()).toBe(2);
    expect(await client.countDevices({ tag_ids: [tag.id] })).toBe(1);
    expect(await client.deleteDevice(made.id)).toBeUndefined();
    expect(await client.countDevices()).toBe(1);
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
    const { access_token: apiKey } = await DeviceCloudClient.accept(baseUrl, { token: invited.invite_token, password });
    const eva = new DeviceCloudClient({ baseUrl, apiKey, spaceId: client.spaceId });
    closing.push(() => eva.close());
    expect(await DeviceCloudClient.login(baseUrl, { email: 'eva@example.org', password })).toMatchObject({
      token_type: 'Bearer',
    });
    const wrong = await failure(DeviceCloudClient.login(baseUrl, { email: 'eva@example.org', password: 'not-it' }));
    expect((wrong as ApiError).status).toBe(401);
    const made = await eva.createSpace({ name: 'second' });
    expect(await eva.spaces({ limit: 1, offset: client.spaceId })).toEqual([made]);
    const second = new DeviceCloudClient({ baseUrl, apiKey, spaceId: made.id });
    closing.push(() => second.close());
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
    const image = await client.createFirmwareImage({ data: Buffer.from('image').toString('base64'), version: 'v2' });
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

  it('creates and deletes resources that have no method', async () => {
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
    closing.push(() => reader.close());
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

  it('queues downlinks of every kind, follows them and cancels them', async () => {
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

  it('reads all pages', async () => {
    const { client, app, store, spaceId, ids } = await connected();
    const made = await client.createDevice(device(1));
    for (let n = 0; n < 230; n++) await client.sendData(made.id, { n });
    const row = await store.deviceBySerial(2159017986);
    if (!row) throw new Error('the device is stored');
    await store.commit(
      Array.from({ length: 1000 }, (_, n) => ({
        kind: 'device.insert',
        row: { ...row, spaceId, id: ids.uuid(), serial: 1_000_000_000 + n, token: `f${n}`.padStart(32, '0') },
      })),
    );
    const messages = await collect(client.allMessages({ device_id: made.id }));
    expect(messages.map((message) => message.body)).toEqual(Array.from({ length: 230 }, (_, n) => ({ n: 229 - n })));
    expect(new Set((await collect(client.allDevices())).map((item) => item.id)).size).toBe(1001);
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

  it('writes queries as in the contract', async () => {
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

describe('an ApiError', () => {
  it('has the status, the body and the message of the service', async () => {
    const { client, spaceId } = await connected();
    await client.createDevice(device(1));
    const error = (await failure(client.createDevice(device(1)))) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    expect([error.status, error.method, error.path]).toEqual([409, 'POST', `/v2/spaces/${spaceId}/devices`]);
    expect(error.body).toMatchObject({ statusCode: 409 });
    expect(error.message).toBe(
      `POST /v2/spaces/${spaceId}/devices was answered with 409: another device has this serial number or this claim token`,
    );
  });

  it('never contains the key, even if the service repeats it', async () => {
    const client = await against((request, response) => {
      response.statusCode = 401;
      response.end(JSON.stringify({ message: `what is ${request.headers['x-api-key']}?` }));
    });
    const error = (await failure(client.space())) as ApiError;
    expect(error.message).toContain('what is ***?');
    expect(JSON.stringify(error.body)).not.toContain(KEY);
  });

  it('may be plain text', async () => {
    const client = await against((_, response) => {
      response.statusCode = 404;
      response.end('not found');
    });
    expect((await failure(client.device('x'))).message).toBe(
      'GET /v2/spaces/s/devices/x was answered with 404: not found',
    );
  });

  it('is thrown for JSON that is not a valid answer', async () => {
    const baseUrl = await listening((_, response) => response.end('{"a":1}'));
    const connecting = DeviceCloudClient.connect({ baseUrl, apiKey: KEY });
    await expect(connecting).rejects.toThrow(
      'GET /v2/spaces was answered with 200: the answer is not a list of spaces',
    );
  });

  it('is thrown for an answer that is not JSON', async () => {
    const client = await against((_, response) => response.end('<html>'));
    const error = (await failure(client.space())) as ApiError;
    expect([error.status, error.body]).toEqual([200, 'the answer is not JSON']);
  });

  it.each(['', 'null', '{}'])('is thrown for the answer %j to a downlink', async (answer) => {
    const client = await against((_, response) => response.end(answer));
    const error = (await failure(client.sendCommands('d', ['info show']))) as ApiError;
    expect(error.message).toMatch(/^POST \S+\/commands was answered with 200: the answer is not a message$/);
  });
});

describe('a ConnectionError', () => {
  it('is thrown if the connection is refused', async () => {
    const client = new DeviceCloudClient({ baseUrl: 'http://127.0.0.1:1', apiKey: KEY, spaceId: 's' });
    closing.push(() => client.close());
    const error = (await failure(client.space())) as ConnectionError;
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.code).toBe('ECONNREFUSED');
    expect(error.message).toContain('GET /v2/spaces/s got no answer from http://127.0.0.1:1: ');
    expect(error.message).not.toContain(KEY);
  });

  it('is thrown if the connection breaks or the request times out', async () => {
    const broken = await against((request) => request.socket.destroy());
    expect(await failure(broken.space())).toBeInstanceOf(ConnectionError);
    const silent = await against(() => {}, 100);
    expect(((await failure(silent.space())) as ConnectionError).code).toBe('UND_ERR_HEADERS_TIMEOUT');
  });

  it('has a message of one line in plain words', async () => {
    const reason = async (baseUrl: string) => {
      const client = new DeviceCloudClient({ baseUrl, apiKey: KEY, spaceId: 's', timeout: 500 });
      closing.push(() => client.close().catch(() => undefined));
      return (await failure(client.space())).message.split(`got no answer from ${baseUrl}: `)[1];
    };
    const silent = await listening(() => {});
    expect(await reason(silent)).toBe('connected, but no response in time');
    const plain = await listening((_, response) => response.end('{}'));
    expect(await reason(plain.replace('http:', 'https:'))).toBe('the server does not support HTTPS');
    const other = await listening((request) => request.socket.end('220 mail\r\n'));
    expect(await reason(other)).toBe('the response is not HTTP');
  });

  it('is thrown if the answer does not end', async () => {
    const client = await against((_, response) => {
      const part = Buffer.alloc(1_048_576, ' ');
      const more = () => {
        while (response.write(part));
      };
      response.on('drain', more);
      more();
    });
    expect(((await failure(client.space())) as ConnectionError).code).toBe('UND_ERR_RES_EXCEEDED_MAX_SIZE');
  });
});

describe('an invalid address or key', () => {
  it('is rejected immediately, and the key is not repeated', () => {
    const make = (baseUrl: string, apiKey: string) => () => new DeviceCloudClient({ baseUrl, apiKey, spaceId: 's' });
    expect(make('localhost', KEY)).toThrow(UsageError);
    expect(make('ftp://x', KEY)).toThrow('"ftp://x" is not an address');
    expect(make('http://x', 'a secret')).toThrow('the API key contains spaces or characters other than visible ASCII');
  });
});

describe('a service on a socket', () => {
  it('accepts raw brackets in the URL', async () => {
    const { baseUrl, spaceId, client } = await connected();
    const { id } = await client.createDevice(device(1));
    await client.sendData(id, {});
    const { request } = await import('node:http');
    const text = await new Promise<string>((resolve, reject) => {
      const path = `/v2/spaces/${spaceId}/messages?type[]=data&limit=1`;
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

it('a client may use another gate over the same connections', async () => {
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
