/** Requests that a device repeats because the answer was lost: their messages are stored once. */
import { expect, it } from 'vitest';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { testCloud } from '../../support/cloud.js';
import { sessionOf } from './core-fixture.js';

const stats = encodeUp({ kind: 'upload-stats', stats: { uptime: 1 } });
const time = encodeUp({ kind: 'get-timestamp' });
const data = encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.of(1) });

async function connected() {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  const session = await sessionOf(cloud);
  const count = async () => (await cloud.messages(device)).length;
  return { ...cloud, session, count };
}

it('a message without a fingerprint of its own is stored once for each request', async () => {
  const { core, session, count } = await connected();
  for (const request of ['one', 'one', 'two', 'two']) expect(await core.accept(session, stats, { request })).toBe(true);
  expect(await count()).toBe(2);
});

it('equal data of different requests are stored once for each request', async () => {
  const { core, session, count } = await connected();
  for (const request of ['one', 'two', 'one']) await core.accept(session, data, { request });
  expect(await count()).toBe(2);
});

it('the answer to a repeated request is not queued again', async () => {
  const { core, session, events } = await connected();
  for (let n = 0; n < 2; n++) await core.accept(session, time, { request: 'one' });
  expect(events.filter(({ kind }) => kind === 'downlink.queued')).toHaveLength(1);
});

it('a service delivers the answer that another service has queued for the first copy of a request', async () => {
  const store = new MemoryStore();
  Object.assign(store, { nodes: { listen: () => {}, claim: async () => {} } });
  const first = await testCloud({ store });
  const second = await testCloud({ store, clock: first.clock, seed: 'second' });
  await first.addDevice();
  const session = await sessionOf(second);
  await first.core.accept(await sessionOf(first), time, { request: 'one' });
  expect(second.core.hasWaiting(session)).toBe(false);
  await second.core.accept(session, time, { request: 'one' });
  expect(second.core.hasWaiting(session)).toBe(true);
});
