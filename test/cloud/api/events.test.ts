/** The stream of events, as a client follows it over real connections. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SpaceEvent } from '../../../src/client/client.js';
import { ApiError, DeviceCloudClient } from '../../../src/client/client.js';
import { positionText } from '../../../src/cloud/events/position.js';
import { startService } from '../../../src/cloud/service.js';
import { MemoryTables } from '../../../src/cloud/store/memory/tables.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { realTimers } from '../../../src/kernel/real-timers.js';
import { seconds } from '../../../src/kernel/time.js';
import { QUIET } from '../../support/cloud.js';
import { CHEAP } from '../../support/passwords.js';
import { until as holds } from '../../support/until.js';
import { device as deviceRow } from '../store/rows.js';
import { PASSWORD, person } from './people.js';
import { KEY as SERVICE_KEY, service } from './service.js';

const KEY = 'a-key-for-readers';

const cleaners: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});

async function start(memory = new MemoryTables(), port = 0) {
  const service = await startService({
    ...{ db: 'memory', embedded: { memory }, host: '127.0.0.1', port, udpPort: null, udpRawPort: null, apiKey: KEY },
    ...{ clock: new RealClock(), random: seededRandom(`events ${Math.random()}`), passwordCost: CHEAP },
    ...{ trace: { emit: () => {} }, log: QUIET },
  });
  const client = clientOf(service.api, service.spaceId);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= Promise.all([service.close(), client.close()]).then(() => {});
    return closed;
  };
  cleaners.push(close);
  const device = (n: number, tags: readonly { id: string }[] = []) =>
    client.createDevice({
      ...{ name: `freezer-${n}`, serial_number: String(2_159_017_985 + n), token: String(n).padStart(32, '0'), tags },
    });
  return { service, client, close, device };
}

function clientOf(baseUrl: string, spaceId: string, apiKey = KEY) {
  return new DeviceCloudClient({ baseUrl, spaceId, apiKey });
}

/** Collects events until the test ends. Resolves when the stream has begun. */
async function follow(client: DeviceCloudClient, query: Parameters<DeviceCloudClient['events']>[0] = {}) {
  const seen: SpaceEvent[] = [];
  const resumptions: boolean[] = [];
  const stop = new AbortController();
  let begin = () => {};
  const onOpen = (resumed: boolean) => {
    resumptions.push(resumed);
    begin();
  };
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = (async () => {
    for await (const event of client.events({ ...query, signal: stop.signal, onOpen })) seen.push(event);
  })();
  ended.catch(() => {});
  cleaners.push(async () => stop.abort());
  await begun;
  const names = () => seen.map(({ event }) => event);
  const until = async (count: number) => {
    await holds(() => seen.length >= count);
    return seen;
  };
  return { seen, names, until, ended, resumptions };
}

/** Opens the stream with `fetch`, without our client. `until` reads on until the text contains `words`. */
async function read(api: string, spaceId: string, headers: Record<string, string> = {}, query = '') {
  const stop = new AbortController();
  const answer = await fetch(`${api}/v2/spaces/${spaceId}/events${query}`, {
    headers: { 'x-api-key': KEY, ...headers },
    signal: stop.signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (words: string) => {
    while (!text.includes(words)) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      text += value;
    }
    return text;
  };
  cleaners.push(async () => stop.abort());
  return { answer, until };
}
describe('the stream of events', () => {
  it('reports changes of devices, messages and the progress of downlinks as they happen, in order', async () => {
    const { client, device } = await start();
    const { until, names, seen } = await follow(client);
    const { id } = await device(1);
    const { id: messageId } = await client.sendCommands(id, ['info show']);
    await client.cancelMessage(messageId);
    await until(4);
    await client.deleteDevice(id);
    await until(5);
    expect(names()).toEqual(['device', 'message', 'downlink', 'downlink', 'device']);
    expect(seen.at(-1)).toMatchObject({ event: 'device', data: { device_id: id, change: 'deleted', device: null } });
    expect(new Set(seen.map((event) => event.id)).size).toBe(5);
  });

  it('contains each message with the same fields as the API', async () => {
    const { client, device } = await start();
    const { id } = await device(1);
    const { until } = await follow(client);
    const message = await client.sendCommands(id, ['info show']);
    const [sent, station] = await until(2);
    expect(sent).toMatchObject({ event: 'message', data: message });
    expect(station).toMatchObject({
      event: 'downlink',
      data: { message_id: message.id, device_id: id, device_name: 'freezer-1', what: 'queued', down_state: 'pending' },
    });
  });

  it('filters by event, device, tag, type and direction', async () => {
    const { client, device } = await start();
    const tag = await client.createTag({ name: 'cold', color: '#1f77b4' });
    const [cold, warm] = [await device(1, [{ id: tag.id }]), await device(2)];
    const readers = await Promise.all([
      follow(client, { event: ['message'] }),
      follow(client, { device_id: warm.id }),
      follow(client, { tag_id: tag.id }),
      follow(client, { type: ['config'] }),
      follow(client, { direction: 'up' }),
    ]);
    await client.sendCommands(cold.id, ['info show']);
    await client.sendConfig(warm.id, ['app config mode lte']);
    for (const reader of readers.slice(0, 4)) await reader.until(2);
    const seen = readers.map((reader) => reader.names().join(' '));
    const both = 'message downlink';
    expect(seen).toEqual(['message message', both, both, both, '']);
  });

  it('rejects an unknown parameter, with the nearest known name, and an unknown value', async () => {
    const { service } = await start();
    const { answer, until } = await read(service.api, service.spaceId, {}, '?tpye=data');
    expect([answer.status, await until('}')]).toEqual([400, expect.stringContaining('did you mean')]);
    expect((await read(service.api, service.spaceId, {}, '?event=mesage')).answer.status).toBe(400);
  });

  it('begins with its position, and has headers that prevent caching and buffering', async () => {
    const { service } = await start();
    const { answer, until } = await read(service.api, service.spaceId);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect([answer.headers.get('cache-control'), answer.headers.get('x-accel-buffering')]).toEqual(['no-store', 'no']);
    expect(await until('heartbeat_seconds')).toMatch(/^retry: 1000\n\nid: [0-9a-f]{32}\nevent: hello\ndata: \{/);
  });
});

describe('a reader that resumes', () => {
  it('gets every event once, including those that it missed while the service was killed and restarted', async () => {
    const tables = new MemoryTables();
    const first = await start(tables);
    const { id } = await first.device(1);
    const reader = await follow(first.client, { event: ['message'] });
    const queue = (client: DeviceCloudClient) => client.sendCommands(id, ['info show']);
    const sent = [(await queue(first.client)).id];
    await reader.until(1);
    const port = Number(new URL(first.service.api).port);
    const { spaceId } = first.service;
    await Promise.all([first.service.hangUp(), first.service.close()]);
    const second = await start(tables, port);
    sent.push((await queue(second.client)).id);
    sent.push((await queue(clientOf(second.service.api, spaceId))).id);
    const seen = await reader.until(3);
    expect(seen.map(({ data }) => 'id' in data && data.id)).toEqual(sent);
    expect(reader.resumptions).toEqual([false, true]);
  });

  it('receives "reset" if its position has become invalid, and continues with new events', async () => {
    const { client, device } = await start();
    const { id } = await device(1);
    const readers = [
      await follow(client, { after: '5e2f0c8d1b7a4936a1d0e4c27f8b3569' }),
      await follow(client, { after: 'rubbish' }),
    ];
    for (const { until } of readers) await until(1);
    await client.sendCommands(id, ['info show']);
    for (const { until, names, resumptions } of readers) {
      await until(3);
      expect(names()).toEqual(['reset', 'message', 'downlink']);
      expect(resumptions).toEqual([false]);
    }
  });
});

describe('the rights of a reader', () => {
  it('are those of its key: only events of devices with the tags of the key, without secrets', async () => {
    const { service, client, device } = await start();
    const tag = await client.createTag({ name: 'cold', color: '#1f77b4', access_type: 'read' });
    const [cold, warm] = [await device(1, [{ id: tag.id }]), await device(2)];
    const { key } = await client.createKey({ name: 'limited', tags: [{ id: tag.id }] });
    const { until } = await follow(clientOf(service.api, service.spaceId, key), { event: ['message'] });
    await client.sendConfig(warm.id, ['app config mode lte']);
    const token = '00000000000000000000000000000001';
    await client.sendConfig(cold.id, [`app config lrw-appkey ${token}`]);
    const seen = await until(1);
    expect(seen).toMatchObject([{ data: { device_id: cold.id } }]);
    expect(JSON.stringify(seen)).not.toContain(token);
  });

  it.each([
    ['is rotated', (admin: DeviceCloudClient, id: string) => admin.rotateKey(id)],
    ['is deleted', (admin: DeviceCloudClient, id: string) => admin.deleteKey(id)],
  ])('end when its key %s, before the next event', async (_, end) => {
    const { service, client, device } = await start();
    const { id } = await device(1);
    const { id: keyId, key } = await client.createKey({ name: 'short' });
    const { ended, seen } = await follow(clientOf(service.api, service.spaceId, key));
    await end(client, keyId);
    await client.sendCommands(id, ['info show']);
    await expect(ended).rejects.toThrow(ApiError);
    expect(seen).toEqual([]);
  });

  it('do not include events of another space', async () => {
    const { service, device } = await start();
    const { spaceId, apiKey = '' } = await service.openSpace('other');
    const other = clientOf(service.api, spaceId, apiKey);
    const { until } = await follow(other);
    await device(1);
    const { id } = await other.createDevice({ name: 'other', serial_number: '2159000002', token: 'b'.repeat(32) });
    await other.close();
    expect(await until(1)).toMatchObject([{ event: 'device', data: { device_id: id } }]);
    expect((await read(service.api, spaceId)).answer.status).toBe(404);
  });

  it('allow at most 20 streams of an account, however often it has logged in', async () => {
    const made = await service();
    const eva = { email: 'eva@example.org', password: PASSWORD };
    await person(made, eva.email, 'user');
    const tokens = [];
    for (let n = 0; n < 4; n++) tokens.push((await made.call('POST', '/v2/auth/login', eva)).json.access_token);
    const open = async (token: string) =>
      made.app.inject({ url: `/v2/spaces/${made.spaceId}/events`, headers: { authorization: `Bearer ${token}` } });
    const opened = tokens.flatMap((token) => Array.from({ length: 5 }, () => open(token)));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect((await open(tokens[0])).statusCode).toBe(429);
    made.context.feed.close();
    await Promise.all(opened);
    await made.app.close();
  });

  it('allow at most 20 streams with one key', async () => {
    const { service } = await start();
    const statuses = [];
    let answer: Response | undefined;
    for (let n = 0; n < 21; n++) {
      ({ answer } = await read(service.api, service.spaceId));
      statuses.push(answer.status);
    }
    expect(answer?.headers.get('retry-after')).toBe('1');
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  });
});

describe('the streams of a service', () => {
  /** Opens streams by `inject`, 20 with each key. Returns those that are answered at once, because they are refused or ended. */
  async function flood(
    { app, call }: Pick<Awaited<ReturnType<typeof service>>, 'app' | 'call'>,
    space: string,
    count: number,
  ) {
    const ended: string[] = [];
    for (let n = 0; n < count; n += 20) {
      const { key } = (await call('POST', `/v2/spaces/${space}/keys`, { name: `key-${n}` })).json;
      const all = Array.from({ length: Math.min(20, count - n) }, () => ask(app, space, key));
      for (const each of all) each.then(({ body }) => ended.push(body));
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
    return ended;
  }
  const ask = async (app: Awaited<ReturnType<typeof service>>['app'], space: string, key: string) =>
    app.inject({ url: `/v2/spaces/${space}/events`, headers: { 'x-api-key': key } });

  it('are at most 200 in a space; the answer to a further one names this limit', async () => {
    const made = await service();
    await flood(made, made.spaceId, 200);
    const { statusCode, body } = await ask(made.app, made.spaceId, SERVICE_KEY);
    expect([statusCode, JSON.parse(body)]).toMatchObject([
      429,
      { code: 'too-many-streams', message: 'at most 200 streams of events per space; close one' },
    ]);
    await made.app.close();
  });
});

describe('a reader that resumes far behind', () => {
  it.each([
    ['reads 16 events of its space in a turn of the event loop', '', 16],
    ['reads no rows of events that it does not ask for', '?event=firmware', 0],
  ])('%s', async (_, query, expected) => {
    const { app, store, context, spaceId } = await service();
    const release = await context.feed.hold();
    const start = positionText(await context.feed.newest(), spaceId);
    const created = Array.from({ length: 200 }, (__, n) => deviceRow(n, { spaceId }));
    await store.commit(created.map((row) => ({ kind: 'device.insert', row })));
    const device = vi.spyOn(store, 'device');
    let [read, most] = [0, 0];
    const ended = app.inject({
      url: `/v2/spaces/${spaceId}/events${query}`,
      headers: { 'x-api-key': SERVICE_KEY, 'last-event-id': start },
    });
    for (let turn = 0; turn < 100; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, device.mock.calls.length - read);
      read = device.mock.calls.length;
    }
    context.feed.close();
    release();
    const { body } = await ended;
    await app.close();
    expect([most, body.match(/^event: device$/gm)?.length ?? 0]).toEqual([expected, expected === 0 ? 0 : 200]);
  });
});

describe('a reader whose filter hides all events', () => {
  /** Real time, which streams use, passes only by `vi.advanceTimersByTimeAsync`. */
  function holdTime() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    vi.spyOn(realTimers, 'setTimeout').mockImplementation((...timer) => setTimeout(...timer));
    vi.spyOn(realTimers, 'clearTimeout').mockImplementation((timer) => clearTimeout(timer));
    vi.spyOn(realTimers, 'now').mockImplementation(() => performance.now());
    cleaners.push(async () => {
      vi.restoreAllMocks();
      vi.useRealTimers();
    });
  }

  it('gets its position 15 seconds after the last thing that was sent', async () => {
    holdTime();
    const { app, store, context, spaceId } = await service();
    const url = `/v2/spaces/${spaceId}/events?device_id=${deviceRow(20).id}`;
    const ended = app.inject({ url, headers: { 'x-api-key': SERVICE_KEY } });
    const settled = async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    await settled();
    const positions = [positionText(await context.feed.newest(), spaceId)];
    for (let second = 1; second <= 65; second++) {
      await vi.advanceTimersByTimeAsync(seconds(1));
      await store.commit([{ kind: 'device.insert', row: deviceRow(second, { spaceId }) }]);
      await settled();
      positions.push(positionText(await context.feed.newest(), spaceId));
    }
    context.feed.close();
    await vi.advanceTimersByTimeAsync(seconds(1));
    const { body } = await ended;
    await app.close();
    const sent = Array.from(body.matchAll(/^id: (.*)\n(?:event: )?(.*)$/gm), ([, id = '', what]) => [
      what,
      positions.indexOf(id),
    ]);
    // What happens at the second of a heartbeat happens after it.
    const heartbeats = [14, 34, 49, 64].map((second) => [':', second]);
    expect(sent).toEqual([['hello', 0], heartbeats[0], ['device', 20], ...heartbeats.slice(1)]);
  });
});

describe('the end of the service', () => {
  it('ends each stream immediately, with an event "end"', async () => {
    const { service, close } = await start();
    const { until } = await read(service.api, service.spaceId);
    await until('hello');
    await close();
    expect(await until('event: end')).toContain('"reason":"shutdown"');
  });
});
