/** The delivery core while its store is unavailable: operations fail, and succeed when the store is available again. */
import { expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { StoreUnavailable } from '../../../src/cloud/store/store.js';
import { encodeUp, parseDown } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { checkedStore } from '../../../src/runner/targets/checked-store.js';
import { SERIAL, testCloud } from '../../support/cloud.js';

/** A device with a session; `outage` makes the store unavailable during one operation. */
async function connected() {
  let out: 'all' | 'write' | undefined;
  const store = checkedStore(await openStore('memory'), (use) => {
    if (out === 'all' || out === use) throw new StoreUnavailable(new Error('test'));
  });
  const cloud = await testCloud({ store });
  const device = await cloud.addDevice();
  const session = await cloud.core.load(SERIAL);
  if (session === undefined) throw new Error('the device is not known');
  const outage = async (of: 'all' | 'write', during: () => Promise<unknown>): Promise<void> => {
    out = of;
    await expect(during()).rejects.toThrow(StoreUnavailable);
    out = undefined;
  };
  const states = async () => (await cloud.messages(device)).map(({ downState }) => downState);
  return { ...cloud, device, session, outage, states };
}

it('a downlink whose long body cannot be read at the moment stays pending', async () => {
  const { core, device, session, outage, states } = await connected();
  const commands = Array.from({ length: 100 }, (_, n) => `echo ${'x'.repeat(40)} ${n}`);
  await core.queue(device, { type: 'shell', commands });
  await outage('all', () => core.take(session));
  expect(await states()).toEqual(['pending']);
  expect(parseDown((await core.take(session)) ?? new Uint8Array())).toMatchObject({ kind: 'download-shell', commands });
});

it('a delivery that cannot be stored at the moment is stored later, and the downlink is not offered again', async () => {
  const { core, device, session, events, outage, states } = await connected();
  await core.queue(device, { type: 'shell', commands: ['info show'] });
  await core.queue(device, { type: 'shell', commands: ['info fw'] });
  await core.take(session);
  await outage('write', () => core.confirm(session, 'final-ack'));
  await outage('write', () => core.take(session));
  expect(await states()).toEqual(['pending', 'pending']);
  expect(parseDown((await core.take(session)) ?? new Uint8Array())).toMatchObject({ commands: ['info fw'] });
  expect(await states()).toEqual(['sent', 'pending']);
  const [delivered, ...more] = events.filter(({ kind }) => kind === 'downlink.delivered');
  expect(delivered).toMatchObject({ evidence: 'final-ack' });
  expect(more).toEqual([]);
});

it('the device is asked to poll until a delivery is stored, even if nothing else is queued', async () => {
  const { core, device, session, outage } = await connected();
  await core.queue(device, { type: 'shell', commands: ['info show'] });
  await core.take(session);
  await outage('write', () => core.confirm(session, 'final-ack'));
  expect(core.hasWaiting(session)).toBe(true);
  expect(await core.take(session)).toBeUndefined();
  expect(core.hasWaiting(session)).toBe(false);
});

it('a delivery that could not be stored is stored before the response that proves it', async () => {
  const { core, device, session, events, outage } = await connected();
  const { id } = await core.queue(device, { type: 'shell', commands: ['info show'] });
  await core.take(session);
  await outage('write', () => core.confirm(session, 'final-ack'));
  await core.accept(session, encodeUp({ kind: 'upload-shell', messageId: uuidBytes(id), responses: [] }));
  const kinds = events.flatMap((event) => ('downlink' in event && event.downlink === id ? event.kind : []));
  expect(kinds.slice(-2)).toEqual(['downlink.delivered', 'downlink.answered']);
});

it('a cancellation that cannot be stored leaves the downlink pending', async () => {
  const { core, device, session, outage } = await connected();
  const row = await core.queue(device, { type: 'shell', commands: ['info show'] });
  await outage('write', () => core.cancel(row));
  expect(core.hasWaiting(session)).toBe(true);
  expect(await core.cancel(row)).toBe('cancelled');
  expect(core.hasWaiting(session)).toBe(false);
});
