/** Offers of downlinks and their acknowledgements, with and without other services on the same store. */
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { ConflictError } from '../../../src/cloud/store/store.js';
import { days, hours } from '../../../src/kernel/time.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { SERIAL, testCloud } from '../../support/cloud.js';
import { sessionOf } from './core-fixture.js';

const UNKNOWN = '0197a3b1-0000-7000-8000-0000000000ff';

/** A device and two services on one store. `shared`: the store says that several services use it. */
async function setUp({ shared = false } = {}) {
  const store = new MemoryStore();
  if (shared) Object.assign(store, { nodes: { listen: () => {}, claim: async () => {} } });
  const cloud = await testCloud({ store });
  const other = await testCloud({ store, clock: cloud.clock, seed: 'other' });
  const device = await cloud.addDevice();
  const session = await sessionOf(cloud);
  const { core } = cloud;
  const queue = async () => (await core.queue(device, { type: 'shell', commands: ['x'] })).id;
  const stateOf = async (id: string) => (await store.message(cloud.spaceId, id))?.downState;
  const otherSession = () => sessionOf(other);
  return { ...cloud, core, store, device, session, queue, stateOf, other, otherSession };
}

describe('an acknowledgement', () => {
  it('of the offered downlink changes it to sent, and may be repeated', async () => {
    const { core, session, queue, stateOf, events } = await setUp();
    const id = await queue();
    await core.take(session);
    expect(await core.acknowledge(session, id)).toBe('sent');
    expect(await stateOf(id)).toBe('sent');
    expect(events.at(-1)).toMatchObject({ kind: 'downlink.delivered', downlink: id, evidence: 'final-ack' });
    expect(await core.acknowledge(session, id)).toBe('sent');
  });

  it('of a downlink that was never offered is refused', async () => {
    const { core, session, queue, stateOf } = await setUp();
    const [first, second] = [await queue(), await queue()];
    await core.take(session);
    expect(await core.acknowledge(session, second)).toBe('not-offered');
    expect([await stateOf(first), await stateOf(second)]).toEqual(['pending', 'pending']);
  });

  it('of an unknown id, of an uplink, or of a downlink of another device is refused', async () => {
    const { core, session, events, addDevice } = await setUp();
    await core.accept(session, encodeUp({ kind: 'upload-stats', stats: {} }));
    const stored = events.find((event) => event.kind === 'cloud.stored');
    const neighbour = await addDevice(SERIAL + 1, 'f'.repeat(32));
    const theirs = await core.queue(neighbour, { type: 'shell', commands: ['x'] });
    for (const id of [UNKNOWN, stored?.message ?? '', theirs.id])
      expect(await core.acknowledge(session, id)).toBe('unknown');
  });

  it('of a downlink that has ended returns the state of the downlink', async () => {
    const { core, session, queue, store, spaceId, clock } = await setUp();
    const [cancelled, expired] = [await queue(), await queue()];
    const row = await store.message(spaceId, cancelled);
    if (row) await core.cancel(row);
    await clock.runUntil(days(30) + hours(2));
    expect(await core.acknowledge(session, cancelled)).toBe('cancelled');
    expect(await core.acknowledge(session, expired)).toBe('expired');
  });

  it('of a downlink that another service has cancelled is refused', async () => {
    const { core, session, queue, store, spaceId, other, events } = await setUp();
    const id = await queue();
    await core.take(session);
    const row = await store.message(spaceId, id);
    if (row) await other.core.cancel(row);
    expect(await core.acknowledge(session, id)).toBe('cancelled');
    expect(events.map(({ kind }) => kind)).not.toContain('downlink.delivered');
  });

  it('of a downlink that another service has queued and offered changes it to sent', async () => {
    const { core, device, session, other, otherSession, stateOf } = await setUp();
    const { id } = await other.core.queue(device, { type: 'shell', commands: ['x'] });
    await other.core.take(await otherSession());
    expect(await core.acknowledge(session, id)).toBe('sent');
    expect(await stateOf(id)).toBe('sent');
  });

  it('of a downlink that another service has offered meanwhile is not refused', async () => {
    const { core, session, queue, other, otherSession } = await setUp({ shared: true });
    const id = await queue();
    await other.core.take(await otherSession());
    expect(await core.acknowledge(session, id)).toBe('sent');
  });
});

describe('a confirmation', () => {
  it('shows whether it has changed the downlink in flight to sent', async () => {
    const { core, session, queue } = await setUp();
    await queue();
    expect(await core.confirm(session, 'final-ack')).toBe(false);
    await core.take(session);
    expect(await core.confirm(session, 'final-ack')).toBe(true);
  });
});

describe('an offer', () => {
  it('has an attempt number that includes the offers of another service', async () => {
    const { core, session, queue, other, otherSession, events } = await setUp();
    await queue();
    await other.core.take(await otherSession());
    expect(await core.take(session)).toBeDefined();
    expect(events.flatMap((event) => (event.kind === 'downlink.offered' ? [event.attempt] : []))).toEqual([2]);
  });

  it('is not made if another service has cancelled the downlink', async () => {
    const { core, session, queue, store, spaceId, other } = await setUp();
    const row = await store.message(spaceId, await queue());
    if (row) await other.core.cancel(row);
    expect(await core.take(session)).toBeUndefined();
    expect(session.queue).toEqual([]);
  });

  it.each([
    ['a conflict of another kind', new ConflictError('queue')],
    ['a failure of the store', Object.assign(new Error('disk full'), { field: 'attempt' })],
  ])('fails with %s', async (_, error) => {
    const { core, session, queue, store } = await setUp();
    await queue();
    const { commit } = store;
    store.commit = () => {
      store.commit = commit;
      return Promise.reject(error);
    };
    await expect(core.take(session)).rejects.toBe(error);
  });
});

describe('a downlink that the queue of this service lacks', () => {
  it('is not added to the queue if its end cannot be stored', async () => {
    const { core, device, session, other, store, clock } = await setUp();
    const row = await other.core.queue(device, { type: 'shell', commands: ['x'] });
    const { commit } = store;
    const failing = async (work: () => Promise<unknown>) => {
      store.commit = () => Promise.reject(new Error('disk full'));
      await expect(work()).rejects.toThrow('disk full');
      store.commit = commit;
      expect(session.queue).toEqual([]);
    };
    await failing(() => core.cancel(row));
    await other.core.close();
    await core.close();
    await clock.runUntil(days(31));
    await failing(() => core.endOverdue([row]));
  });
});
