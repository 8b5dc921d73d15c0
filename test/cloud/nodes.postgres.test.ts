/** Two services on one database: any of them answers, a device may move between them, and nothing is delivered twice. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import {
  type Connector,
  changeConnector,
  deleteConnector,
  putConnector,
} from '../../src/cloud/connectors/connector.js';
import { Connectors } from '../../src/cloud/connectors/connectors.js';
import type { Forwarding } from '../../src/cloud/interfaces/forwarding.js';
import { type Service, startService } from '../../src/cloud/service.js';
import { createIds } from '../../src/cloud/store/ids.js';
import type { News, Nodes } from '../../src/cloud/store/nodes.js';
import type { Change, DeviceRow, MessageRow, Store } from '../../src/cloud/store/store.js';
import { StoreUnavailable } from '../../src/cloud/store/store.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { days, hours, seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { ACK, FIRST, LAST, NOTHING, type Packet, POLL, RESET } from '../../src/protocol/flap/packet.js';
import { encodeUp, parseDown } from '../../src/protocol/messages/index.js';
import { QUIET, SERIAL, type TestCloud, TOKEN, testCloud } from '../support/cloud.js';
import { ingressOf, post } from '../support/ingress.js';
import { newDatabase, openShared, query, reusedDatabase, TEST_KEY } from '../support/postgres/databases.js';
import { until } from '../support/until.js';
import { receiver } from './connectors/receiver.js';

const poll = (sequence: number): Packet => ({ flags: POLL, sequence, data: NOTHING });
const ack = (sequence: number): Packet => ({ flags: ACK, sequence, data: NOTHING });
const uplink = (n: number): Packet => ({
  flags: FIRST | LAST,
  sequence: 0,
  data: encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.of(n) }),
});
const NOTHING_WAITS: Packet = { flags: FIRST | LAST, sequence: 1, data: NOTHING };

const emptyDatabase = await reusedDatabase();

let url: string;
let a: TestCloud;
let b: TestCloud;
let device: DeviceRow;

beforeEach(async () => {
  url = await emptyDatabase();
  a = await testCloud({ store: await openShared(url), seed: 'a', expiry: days(1) });
  b = await testCloud({ store: await openShared(url), seed: 'b', expiry: days(1) });
  device = await a.addDevice();
});

afterEach(async () => {
  for (const cloud of [a, b]) {
    await cloud.core.close();
    await cloud.store.close();
  }
});

const shell = (cloud: TestCloud, command: string) => cloud.core.queue(device, { type: 'shell', commands: [command] });

/** The shell commands in the answer to a poll. */
async function offered(cloud: TestCloud): Promise<unknown> {
  const answer = await cloud.exchange(poll(0));
  if (answer === undefined || answer.data.length === 0) return answer;
  const message = parseDown(answer.data);
  return message.kind === 'download-shell' ? message.commands : message.kind;
}

const stateOf = async (row: MessageRow) => (await a.store.message(row.spaceId, row.id))?.downState;
const deliveries = () => [...a.events, ...b.events].filter((event) => event.kind === 'downlink.delivered');
/** Resolves when a notification has made the session of the device stale in this service. */
const heard = (cloud: TestCloud) => until(() => cloud.core.getFreshSession(SERIAL) === undefined);

describe('a downlink that is queued through another service', () => {
  it('is announced in the response to the next uplink', async () => {
    await b.exchange(uplink(1));
    await until(() => b.core.getFreshSession(SERIAL) !== undefined || b.exchange(uplink(2)).then(() => false));
    await shell(a, 'one');
    await heard(b);
    expect((await b.exchange(uplink(3)))?.flags).toBe(ACK | POLL);
  });

  it('is offered at the next poll, even if the notification has not arrived', async () => {
    await b.exchange(uplink(1));
    await shell(a, 'one');
    expect(await offered(b)).toEqual(['one']);
    await b.exchange(ack(2));
    expect(deliveries()).toHaveLength(1);
  });

  it('does not disturb a running transfer', async () => {
    const first = await shell(b, 'one');
    expect(await offered(b)).toEqual(['one']);
    await shell(a, 'two');
    await heard(b);
    expect(await b.exchange(ack(2))).toBeUndefined();
    expect(await stateOf(first)).toBe('sent');
    expect(await offered(b)).toEqual(['two']);
  });
});

describe('a change of connectors and tags through another service', () => {
  const tag = {
    id: '01900000-0000-7000-8000-000000000001',
    name: 'hall',
    color: '#1f77b4',
    accessType: 'write',
  } as const;
  const connector: Omit<Connector, 'spaceId'> = {
    ...{ id: '01900000-0000-7000-8000-000000000002', name: 'forward', direction: 'up', state: 'enabled' },
    ...{ triggers: ['data'], tagIds: [tag.id], transformation: 'const main = () => null', retryDelays: [], timeout: 0 },
    createdAt: 0,
  };

  it('decides about every later uplink, also before this service is notified', async () => {
    const { spaceId, store } = a;
    const opening = { store: await openShared(url), clock: new VirtualClock(), log: QUIET, random: seededRandom('c') };
    const connectors = new Connectors({
      ...opening,
      ids: createIds(opening.clock, opening.random),
      allowPrivate: true,
    });
    const forwarding: Forwarding = {
      deliveries: (row, message) => connectors.deliveries(row, message),
      reconsider: (id) => connectors.reconsider(id),
      wake: () => {},
    };
    const { id } = await a.addDevice(SERIAL + 1, '9'.repeat(32));
    // This service hears no notifications.
    const deaf = Object.assign(opening.store, {
      nodes: { ...opening.store.nodes, listen: () => {}, claim: async () => {} },
    });
    const service = await testCloud({ store: deaf, seed: 'deaf', forwarding });
    const session = await service.core.load(SERIAL + 1);
    if (!session) throw new Error('no session');
    let uplinks = 0;
    const forwarded = async () => {
      const before = (await store.dueRecords('delivery', Number.MAX_SAFE_INTEGER, 99)).length;
      await service.core.accept(session, { kind: 'decoded-data', body: { n: uplinks++ } });
      return (await store.dueRecords('delivery', Number.MAX_SAFE_INTEGER, 99)).length - before;
    };
    const made = { ...connector, spaceId };
    const tagged = (tagIds: readonly string[]): Change => ({ kind: 'device.change', id, change: { tagIds } });
    const seen: number[] = [await forwarded()];
    for (const change of [
      [{ kind: 'tag.put', row: { ...tag, spaceId, createdAt: 0 } }],
      [tagged([tag.id])],
      [putConnector(made)],
      [changeConnector(made, { ...made, triggers: ['stats'] })],
      [putConnector(made)],
      [tagged([])],
      [tagged([tag.id])],
      [deleteConnector(made.id)],
      [putConnector(made)],
      [{ kind: 'tag.delete', id: tag.id }],
    ] satisfies Change[][]) {
      await store.commit(change);
      seen.push(await forwarded());
    }
    expect(seen).toEqual([0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    await connectors.close();
    await service.core.close();
    await opening.store.close();
  });
});

describe('an acknowledgement over HTTP', () => {
  it('is accepted by a service that has not offered the downlink itself, and may be repeated at the other', async () => {
    const [one, other] = [ingressOf(a), ingressOf(b)];
    // Both services have the session of the device.
    for (const app of [one, other]) await post(app, 'poll');
    for (let n = 0; n < 4; n++) {
      const row = await shell(n % 2 === 0 ? a : b, `${n}`);
      expect((await post(one, 'poll')).json.downlink.id).toBe(row.id);
      expect(await post(other, 'ack', { id: row.id })).toMatchObject({ status: 200, json: { poll: false } });
      expect(await post(one, 'ack', { id: row.id })).toMatchObject({ status: 200, json: { poll: false } });
      expect(await stateOf(row)).toBe('sent');
    }
    expect(deliveries()).toHaveLength(4);
  });

  it('is refused by every service if no service has offered the downlink', async () => {
    for (const cloud of [a, b]) await post(ingressOf(cloud), 'poll');
    const row = await shell(a, 'one');
    for (const cloud of [a, b]) {
      expect((await post(ingressOf(cloud), 'ack', { id: row.id })).json.code).toBe('not-offered');
    }
    expect(await stateOf(row)).toBe('pending');
  });
});

describe('two services whose clocks differ by an hour', () => {
  it('store the messages of a device in the order in which they arrive', async () => {
    const clock = new VirtualClock({ start: a.clock.wall - hours(1) });
    const late = await testCloud({ store: await openShared(url), seed: 'late', clock });
    const [one, other] = [ingressOf(a), ingressOf(late)];
    for (let n = 0; n < 6; n++) {
      const app = n % 2 === 0 ? one : other;
      expect((await post(app, 'uplink', { type: 'data', body: { n } })).status).toBe(200);
      await shell(n % 2 === 0 ? a : late, `${n}`);
    }
    const stored = (await a.messages(device)).filter(({ direction }) => direction === 'up');
    expect(stored.map(({ body }) => body)).toEqual([0, 1, 2, 3, 4, 5].map((n) => ({ n })));
    const offers = [];
    for (let n = 0; n < 6; n++) {
      const app = n % 2 === 0 ? other : one;
      const { downlink } = (await post(app, 'poll')).json;
      offers.push(downlink.body[0]);
      await post(app, 'ack', { id: downlink.id });
    }
    expect(offers).toEqual(['0', '1', '2', '3', '4', '5']);
    await late.core.close();
    await late.store.close();
  });
});

describe('a request over HTTP that is repeated at another service', () => {
  it('is stored once, and its response announces the downlink that the first service has queued', async () => {
    const [one, other] = [ingressOf(a), ingressOf(b)];
    for (const app of [one, other]) await post(app, 'poll');
    const key = 'first';
    expect((await post(one, 'session', { fw_version: 'v1' }, { key })).json).toEqual({ poll: true });
    expect((await post(other, 'session', { fw_version: 'v1' }, { key })).json).toEqual({ poll: true });
    for (const app of [one, other]) await post(app, 'uplink', { type: 'data', body: { a: 1 } }, { key });
    const stored = await a.messages(device);
    expect(stored.map(({ type, direction }) => `${direction} ${type}`)).toEqual([
      'up session',
      'down session',
      'up data',
    ]);
  });
});

describe('a downlink that several services may offer or end', () => {
  it('is not offered again if another service has delivered it', async () => {
    const row = await shell(a, 'one');
    await a.exchange(uplink(1));
    expect(await offered(b)).toEqual(['one']);
    await b.exchange(ack(2));
    expect(await stateOf(row)).toBe('sent');
    expect(await a.exchange(poll(0))).toEqual(NOTHING_WAITS);
    expect(deliveries()).toHaveLength(1);
  });

  it('is counted as delivered once, although both services have received a confirmation', async () => {
    const row = await shell(a, 'one');
    expect(await offered(a)).toEqual(['one']);
    expect(await offered(b)).toEqual(['one']);
    await b.exchange(ack(2));
    // Sequence 0 after a completely sent downlink confirms it (wire W-29).
    await a.exchange(poll(0));
    expect(await stateOf(row)).toBe('sent');
    expect(deliveries()).toHaveLength(1);
    const sent = (await a.store.timeline(row.id, { limit: 100 })).filter(({ what }) => what === 'sent');
    expect(sent).toHaveLength(1);
  });

  it('counts the offers of all services', async () => {
    const row = await shell(a, 'one');
    const [one, other] = [ingressOf(a), ingressOf(b)];
    for (const app of [one, other, other, one]) expect((await post(app, 'poll')).json.downlink.id).toBe(row.id);
    const attempts = [...a.events, ...b.events].flatMap((event) =>
      event.kind === 'downlink.offered' ? [event.attempt] : [],
    );
    expect(attempts.sort()).toEqual([1, 2, 3, 4]);
    expect((await a.store.message(row.spaceId, row.id))?.downAttempt).toBe(4);
  });

  it('is not offered if the other service has cancelled it', async () => {
    const row = await shell(b, 'one');
    await b.exchange(uplink(1));
    expect(await a.core.cancel(row)).toBe('cancelled');
    expect(await b.exchange(poll(0))).toEqual(NOTHING_WAITS);
  });

  it('can be ended by only one of the services', async () => {
    const row = await shell(a, 'one');
    await b.exchange(uplink(1));
    const results = await Promise.all([a.core.cancel(row), b.core.cancel(row)]);
    expect(results.sort()).toEqual(['cancelled', 'not-pending']);
    await shell(a, 'two');
    await Promise.all([a, b].map((cloud) => cloud.clock.runUntil(days(1) + hours(2))));
    const expired = [...a.events, ...b.events].filter((event) => event.kind === 'downlink.expired');
    expect(expired).toHaveLength(1);
  });

  it('cannot be cancelled after another service has delivered it', async () => {
    const row = await shell(a, 'one');
    expect(await offered(b)).toEqual(['one']);
    await b.exchange(ack(2));
    expect(await a.core.cancel(row)).toBe('not-pending');
    expect(await stateOf(row)).toBe('sent');
  });
});

describe('a device that moves to another service', () => {
  it('gets a reset in the middle of a transfer, and loses nothing', async () => {
    const row = await shell(a, 'one');
    expect(await offered(a)).toEqual(['one']);
    expect(await b.exchange(ack(2))).toEqual(RESET);
    expect(await offered(b)).toEqual(['one']);
    await b.exchange(ack(2));
    expect(await stateOf(row)).toBe('sent');
  });

  it('gets a reset when it returns, because the state of its transfer is outdated', async () => {
    await shell(a, 'one');
    await shell(a, 'two');
    // In service a, the downlink "one" waits for an acknowledgement with sequence 2 …
    expect(await offered(a)).toEqual(['one']);
    await until(() => b.exchange(poll(0)).then(() => a.core.getFreshSession(SERIAL) === undefined));
    // … but in service b, the device may send an acknowledgement with sequence 2 for something else.
    expect(await a.exchange(ack(2))).toEqual(RESET);
    expect(deliveries()).toEqual([]);
  });

  it('sends the same message to both services, and it is stored once', async () => {
    await a.exchange(uplink(1));
    expect((await b.exchange(uplink(1)))?.flags).toBe(ACK);
    expect(await a.store.messages(device.spaceId, { limit: 9 })).toHaveLength(1);
  });
});

it('a device that was deleted through another service gets no response', async () => {
  await b.exchange(uplink(1));
  await a.store.commit([{ kind: 'device.delete', id: device.id, at: a.clock.wall }]);
  await heard(b);
  expect(await b.exchange(uplink(2))).toBeUndefined();
  expect(b.gateway.counters.unknownSerial).toBe(1);
});

it('concurrent uplinks of a device that was created again through another service are stored for the new device', async () => {
  const app = ingressOf(b);
  const send = (n: number) => post(app, 'uplink', { type: 'data', body: { n } });
  await send(0);
  await a.store.commit([{ kind: 'device.delete', id: device.id, at: a.clock.wall }]);
  const successor = await a.addDevice();
  await heard(b);
  const answers = await Promise.all([1, 2, 3].map(send));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const bodies = (await a.store.messages(device.spaceId, { deviceId: successor.id, limit: 9 })).map(({ body }) => body);
  expect(bodies).toHaveLength(3);
});

it('concurrent requests with a claim token that was replaced through another service are all rejected', async () => {
  const app = ingressOf(b);
  const requests = () => Promise.all(['poll', 'poll', 'poll'].map((kind) => post(app, kind)));
  expect((await requests()).map(({ status }) => status)).toEqual([200, 200, 200]);
  await a.store.commit([{ kind: 'device.change', id: device.id, change: { token: 'ab'.repeat(16) } }]);
  await shell(a, 'secret');
  await heard(b);
  expect((await requests()).map(({ status }) => status)).toEqual([401, 401, 401]);
});

it('changes are noticed after the connection of a service to the database was lost', async () => {
  await b.exchange(uplink(1));
  await until(async () => (await listeners()).length === 2);
  await until(() => b.exchange(uplink(2)).then(() => b.core.getFreshSession(SERIAL) !== undefined));
  await query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
  await until(async () => (await listeners()).length === 0);
  await shell(a, 'one');
  // A virtual second later, service b listens again.
  await until(() =>
    b.clock.runUntil(b.clock.now + seconds(1)).then(() => b.core.getFreshSession(SERIAL) === undefined),
  );
  expect((await b.exchange(uplink(3)))?.flags).toBe(ACK | POLL);
});

it('a connection that the database ends in the middle of a turn is an outage, not an internal error', async () => {
  const turn = a.store.nodes?.inTurn('test', () =>
    query(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'SELECT pg_advisory_xact_lock%' AND pid <> pg_backend_pid()`,
    ),
  );
  const failure = await turn?.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreUnavailable);
  expect(failure instanceof StoreUnavailable && failure.explained).toContain('cannot be reached: ');
});

describe('a device whose tags are changed through another service', () => {
  it('has its new tags in the session of the other service', async () => {
    const tag = { id: '0197a3b1-0000-7000-8000-0000000000aa', spaceId: device.spaceId, createdAt: 0 } as const;
    await a.store.commit([{ kind: 'tag.put', row: { ...tag, name: 'cold', color: '#000000', accessType: 'write' } }]);
    await b.exchange(uplink(1));
    for (const tagIds of [[tag.id], []]) {
      await a.store.commit([{ kind: 'device.change', id: device.id, change: { tagIds } }]);
      await heard(b);
      expect((await b.core.load(SERIAL))?.device.tagIds).toEqual(tagIds);
    }
  });
});

describe('a device whose claim token is replaced through another service', () => {
  it('is known by its new token only', async () => {
    await b.exchange(uplink(1));
    const token = 'ab'.repeat(16);
    await a.store.commit([{ kind: 'device.change', id: device.id, change: { token } }]);
    await heard(b);
    expect(await b.exchange(uplink(2), { token })).toMatchObject({ flags: ACK });
    expect((await b.deliver(seal(uplink(3), SERIAL, tokenBytes(TOKEN), 'base64'))).length).toBe(1);
    expect(await a.messages(device)).toHaveLength(2);
  });
});

describe('the notifications of a store', () => {
  let stores: Store[];
  const nodesOf = (store: Store): Nodes => {
    if (!store.nodes) throw new Error('a store without nodes');
    return store.nodes;
  };
  beforeEach(async () => {
    stores = [await openShared(url), await openShared(url)];
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));

  it('reach all other services in order, beginning with "missed"', async () => {
    const [mine, other] = stores as [Store, Store];
    const received: News[][] = [[], []];
    for (const [n, store] of stores.entries()) {
      nodesOf(store).listen(new VirtualClock(), (news) => received[n]?.push(news));
    }
    await until(() => received.every((news) => news.length === 1));
    await nodesOf(mine).claim(7);
    await mine.commit([{ kind: 'device.change', id: device.id, change: { lastSeen: 1 } }]);
    await mine.commit([{ kind: 'device.change', id: device.id, change: { name: 'new' } }]);
    await nodesOf(other).claim(8);
    await until(() => received[0]?.length === 2 && received[1]?.length === 3);
    expect(received).toEqual([
      [{ kind: 'missed' }, { kind: 'moved', serial: 8 }],
      [{ kind: 'missed' }, { kind: 'moved', serial: 7 }, { kind: 'changed', serial: SERIAL }],
    ]);
  });

  it('are not sent for a transaction that was rolled back', async () => {
    const [mine, other] = stores as [Store, Store];
    const received: News[] = [];
    nodesOf(other).listen(new VirtualClock(), (news) => received.push(news));
    await until(() => received.length === 1);
    const twice = [1, 2].map(() => ({ kind: 'device.insert', row: device }) as const);
    const renamed = { kind: 'device.change', id: device.id, change: { name: 'new' } } as const;
    await expect(mine.commit([renamed, ...twice])).rejects.toThrow();
    await nodesOf(mine).claim(7);
    await until(() => received.length > 1);
    expect(received.slice(1)).toEqual([{ kind: 'moved', serial: 7 }]);
  });

  it('are complemented by a lock: one service works at a time, even after one has failed', async () => {
    let working = 0;
    const work = async (fails: boolean) => {
      expect(++working).toBe(1);
      await query(url, 'SELECT pg_sleep(0.02)');
      working--;
      if (fails) throw new Error('broken');
    };
    const results = await Promise.allSettled(
      [...stores, ...stores].map((store, n) => nodesOf(store).inTurn('job', () => work(n === 1))),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });
});

it('services that start concurrently on an empty database share a space, a key, and the order of their events', async () => {
  const db = await newDatabase();
  const services = await Promise.all(['one', 'two', 'three'].map((seed) => started(db, seed)));
  expect(new Set(services.map((service) => service.spaceId)).size).toBe(1);
  const [one, two, three] = services.map(clientOf) as [DeviceCloudClient, DeviceCloudClient, DeviceCloudClient];
  const made = await one.createDevice({ name: 'shared', serial_number: String(SERIAL), token: TOKEN });
  const message = await two.sendCommands(made.id, ['info show']);
  expect((await three.messages({ device_id: made.id })).map(({ id }) => id)).toEqual([message.id]);
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const reader = two.events({ event: ['message'], onOpen: () => begin() });
  const first = reader.next();
  await begun;
  const sent = [];
  for (const client of [one, three, two, one]) sent.push((await client.sendCommands(made.id, ['info show'])).id);
  const seen = [
    (await first).value,
    (await reader.next()).value,
    (await reader.next()).value,
    (await reader.next()).value,
  ];
  expect(seen.map(({ data }) => data.id)).toEqual(sent);
  await reader.return(undefined);
  for (const client of [one, two, three]) await client.close();
  for (const service of services) await service.close();
});

it('a connector forwards every message, although the clock of the service that has made and enabled it is an hour ahead', async () => {
  const db = await newDatabase();
  const late = await started(db, 'late');
  const ahead = await started(db, 'ahead', new RealClock({ start: Date.now() + hours(1) }));
  const one = clientOf(ahead);
  const hook = await receiver();
  const tag = await one.createTag({ name: 'hall', color: '#1f77b4' });
  await one.createDevice({ name: 'shared', serial_number: String(SERIAL), token: TOKEN, tags: [{ id: tag.id }] });
  const transformation = `const main = ({ message }) => ({ url: '${hook.url}', data: message.body })`;
  const made = await one.createConnector({
    ...{ name: 'forward', direction: 'up', triggers: ['data'], tags: [{ id: tag.id }], transformation },
  });
  const uplink = (n: number) =>
    fetch(`${late.api}/v2/device/${SERIAL}/uplink`, {
      method: 'POST',
      headers: { authorization: `Claim ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'data', body: { n } }),
    });
  expect((await uplink(1)).status).toBe(200);
  await until(() => hook.received.length === 1);
  for (const state of ['disabled', 'enabled'] as const) await one.updateConnector(made.id, { state });
  expect((await uplink(2)).status).toBe(200);
  await until(() => hook.received.length === 2);
  expect(hook.received.map(({ json }) => json)).toEqual([{ n: 1 }, { n: 2 }]);
  await one.close();
  for (const service of [late, ahead]) await service.close();
  await hook.close();
});

const API_KEY = 'a-key-of-the-user';

const started = (db: string, seed: string, clock = new RealClock()) =>
  startService({
    ...{ db, secretsKey: TEST_KEY, host: '127.0.0.1', port: 0, udpPort: 0, udpRawPort: null, apiKey: API_KEY },
    ...{ clock, random: seededRandom(seed), trace: { emit: () => {} }, log: QUIET, allowPrivateTargets: true },
  });

const clientOf = ({ api, spaceId }: Service) => new DeviceCloudClient({ baseUrl: api, apiKey: API_KEY, spaceId });

const listeners = () =>
  query(url, `SELECT 1 FROM pg_stat_activity a WHERE query LIKE 'LISTEN "ghostfleet.' || current_schema() || '"'`);
