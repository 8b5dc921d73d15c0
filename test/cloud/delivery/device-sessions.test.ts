/** The cached sessions, alone and beside other services on the same store. */
import { describe, expect, it } from 'vitest';
import { asQueued, type DeviceSession, insertInto } from '../../../src/cloud/delivery/device-session.js';
import { DeviceSessions } from '../../../src/cloud/delivery/device-sessions.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import type { News, Nodes } from '../../../src/cloud/store/nodes.js';
import type { Change } from '../../../src/cloud/store/store.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { device, downlink, furnish, insert, T0 } from '../store/rows.js';

const ROW = device(1);
const { serial } = ROW;
const renamed: Change = { kind: 'device.change', id: ROW.id, change: { name: 'renamed' } };
const deleted: Change = { kind: 'device.delete', id: ROW.id, at: T0 };

/** Sessions of a store with one device; `shared`: with other services, whose notifications `hear` delivers. */
async function setUp({ shared = false } = {}) {
  const store = new MemoryStore();
  await furnish(store, [ROW]);
  const claims: number[] = [];
  let hear: (news: News) => void = () => {};
  let claim = async (): Promise<void> => {};
  const nodes: Pick<Nodes, 'listen' | 'claim'> = {
    listen: (_, listener) => {
      hear = listener;
    },
    claim: (claimed) => {
      claims.push(claimed);
      return claim();
    },
  };
  if (shared) Object.assign(store, { nodes });
  const read: DeviceSession[] = [];
  let reading = async (): Promise<void> => {};
  const sessions = new DeviceSessions({
    store,
    clock: new VirtualClock(),
    onRead: async (session) => {
      read.push(session);
      await reading();
    },
  });
  const load = async (): Promise<DeviceSession> => {
    const session = await sessions.load(serial);
    if (session === undefined) throw new Error('no session');
    return session;
  };
  return {
    ...{ store, sessions, read, claims, load },
    hear: (news: News) => hear(news),
    whileReading: (during: () => Promise<void>) => {
      reading = during;
    },
    whileClaiming: (during: () => Promise<void>) => {
      claim = during;
    },
    queue: (n: number, attempt = 0) => store.commit([insert.message(downlink(n, { downAttempt: attempt }))]),
  };
}

const ids = (session: DeviceSession | undefined) => session?.queue.map(({ row }) => row.id);

describe('a session', () => {
  it('is read with the token and the pending downlinks of its device', async () => {
    const { queue, load, read, sessions } = await setUp();
    await queue(1);
    await queue(2, 3);
    const session = await load();
    expect(session).toMatchObject({ device: ROW, inFlight: undefined, configUnchecked: false, update: undefined });
    expect([...session.token]).toEqual([...new Array(15).fill(0), 1]);
    expect(session.queue).toMatchObject([
      { attempt: 0, contacted: false, confirmed: undefined },
      { attempt: 3, contacted: true, confirmed: undefined },
    ]);
    expect(ids(session)).toEqual([downlink(1).id, downlink(2).id]);
    expect(read).toEqual([session]);
    expect([sessions.known(serial), sessions.get(serial), sessions.shared]).toEqual([session, session, false]);
  });

  it.each([{ shared: false }, { shared: true }])('has the new claim token of its device (%o)', async ({ shared }) => {
    const { store, load, sessions, hear } = await setUp({ shared });
    const session = await load();
    await store.commit([{ kind: 'device.change', id: ROW.id, change: { token: 'ab'.repeat(16) } }]);
    if (shared) hear({ kind: 'changed', serial });
    await (shared ? sessions.load(serial) : sessions.forget(serial));
    expect(sessions.known(serial)).toBe(session);
    expect([...session.token]).toEqual(new Array(16).fill(0xab));
  });

  it('does not exist for an unknown serial number', async () => {
    const { sessions, read } = await setUp();
    expect(await sessions.load(serial + 1)).toBeUndefined();
    expect([sessions.known(serial), sessions.get(serial), read]).toEqual([undefined, undefined, []]);
  });

  it('is read once for two requests at the same time', async () => {
    const { sessions, read } = await setUp();
    const [one, other] = await Promise.all([sessions.load(serial), sessions.load(serial)]);
    expect(one).toBe(other);
    expect(read).toHaveLength(1);
  });

  it('that is being read is changed when it has been read, a cached one at once; none is read on demand', async () => {
    const { store, sessions, load, read } = await setUp();
    const changed: DeviceSession[] = [];
    const change = () => sessions.whenRead(serial, (session) => changed.push(session));
    change();
    const loading = sessions.load(serial);
    change();
    expect([sessions.get(serial), changed]).toEqual([undefined, []]);
    const session = await loading;
    await load();
    expect(changed).toEqual([session]);
    change();
    expect([changed, read]).toEqual([[session, session], [session]]);
    // Of a device that does not exist, or that cannot be read, there is nothing to change.
    store.deviceBySerial = () => Promise.reject(new Error('database gone'));
    const failing = sessions.load(serial + 1);
    sessions.whenRead(serial + 1, (other) => changed.push(other));
    await expect(failing).rejects.toThrow('database gone');
    expect(changed).toHaveLength(2);
  });

  it('keeps its object and the downlink in flight when it is read again', async () => {
    const { store, queue, load } = await setUp();
    await queue(1);
    const session = await load();
    const [first] = session.queue;
    session.inFlight = first;
    await queue(2);
    // Another service has offered the first one.
    await store.commit([renamed, { kind: 'message.offer', id: downlink(1).id, attempt: 1 }]);
    expect(await load()).toBe(session);
    expect(session.device.name).toBe('renamed');
    expect(ids(session)).toEqual([downlink(1).id, downlink(2).id]);
    expect(session.queue[0]).toBe(first);
    expect(first?.attempt).toBe(1);
    expect(session.inFlight).toBe(first);
  });

  it('is dropped when it is read again after its device was deleted', async () => {
    const { store, load, sessions } = await setUp();
    const session = await load();
    await store.commit([deleted]);
    expect(await sessions.load(serial)).toBeUndefined();
    expect(sessions.get(serial)).toBeUndefined();
    expect(session.device).toEqual(ROW);
  });

  it('is replaced when another device has its serial number', async () => {
    const { store, load } = await setUp();
    const session = await load();
    const successor = device(2, { serial });
    await store.commit([deleted, insert.device(successor)]);
    const next = await load();
    expect(next).not.toBe(session);
    expect([session.device.id, next.device.id]).toEqual([ROW.id, successor.id]);
  });

  it('that is refreshed although it is cached no longer does not drop its successor', async () => {
    const { store, load, sessions } = await setUp();
    const old = await load();
    await store.commit([deleted, insert.device(device(2, { serial }))]);
    await sessions.forget(serial);
    const next = await load();
    await sessions.refresh(old);
    expect(sessions.get(serial)).toBe(next);
    expect(old.device.id).toBe(ROW.id);
  });

  it('that is refreshed although it is cached no longer leaves its successor stale', async () => {
    const { store, load, sessions, hear } = await setUp({ shared: true });
    const old = await load();
    await store.commit([deleted, insert.device(device(2, { serial }))]);
    await sessions.forget(serial);
    await load();
    hear({ kind: 'changed', serial });
    await sessions.refresh(old);
    expect(sessions.known(serial)).toBeUndefined();
    await load();
  });

  it.each([false, true])('keeps what this service changes during the read; shared: %s', async (shared) => {
    const { store, queue, load, sessions } = await setUp({ shared });
    for (const n of [1, 2, 3]) await queue(n);
    const session = await load();
    const { deviceBySerial } = store;
    store.deviceBySerial = async (wanted) => {
      const row = await deviceBySerial.call(store, wanted);
      session.device = { ...session.device, name: 'changed meanwhile' };
      session.queue = session.queue.filter((queued) => queued.row.id !== downlink(2).id);
      insertInto(session, asQueued(downlink(4)));
      return row;
    };
    await store.commit([{ kind: 'message.state', id: downlink(3).id, state: 'cancelled', at: T0 }]);
    await sessions.refresh(session);
    expect(ids(session)).toEqual([downlink(1).id, downlink(4).id]);
    expect(session.device.name).toBe('changed meanwhile');
    // The read may have been too early: another service's change of the device is read the next time.
    expect(sessions.known(serial)).toBe(shared ? undefined : session);
  });

  it('waits for the commits in progress before it is read again', async () => {
    const { store, load, sessions } = await setUp();
    const session = await load();
    const { commit } = store;
    const committed: (readonly Change[])[] = [];
    store.commit = async (changes) => {
      committed.push(changes);
      await commit.call(store, [...changes, renamed]);
    };
    await sessions.refresh(session);
    expect(committed).toEqual([[]]);
    expect(session.device.name).toBe('renamed');
  });
});

describe('a change by the API', () => {
  it('replaces the row of the device in its session', async () => {
    const { store, load, sessions } = await setUp();
    const session = await load();
    await store.commit([renamed]);
    await sessions.forget(serial);
    expect(sessions.get(serial)).toBe(session);
    expect(session.device.name).toBe('renamed');
  });

  it('drops the session of a deleted device', async () => {
    const { store, load, sessions } = await setUp();
    await load();
    await store.commit([deleted]);
    await sessions.forget(serial);
    expect(sessions.get(serial)).toBeUndefined();
  });

  it('drops the session if another device has the serial number', async () => {
    const { store, load, sessions } = await setUp();
    await load();
    await store.commit([deleted, insert.device(device(2, { serial }))]);
    await sessions.forget(serial);
    expect(sessions.get(serial)).toBeUndefined();
  });

  it('of a device without a session reads nothing', async () => {
    const { store, sessions } = await setUp();
    store.deviceBySerial = () => Promise.reject(new Error('read'));
    await expect(sessions.forget(serial)).resolves.toBeUndefined();
  });
});

describe('beside other services', () => {
  it('a session is stale after a change, and fresh after it was read again', async () => {
    const { store, sessions, load, hear, read } = await setUp({ shared: true });
    const session = await load();
    expect(sessions.shared).toBe(true);
    session.update = { silentSince: 5 };
    hear({ kind: 'changed', serial });
    expect([sessions.known(serial), sessions.get(serial)]).toEqual([undefined, session]);
    await store.commit([renamed]);
    await sessions.refresh(session);
    expect(sessions.known(serial)).toBe(session);
    expect(session).toMatchObject({ device: { name: 'renamed' }, update: undefined });
    expect(read).toEqual([session, session]);
  });

  it('a session that is not stale keeps its update when it is read again', async () => {
    const { sessions, load, read } = await setUp({ shared: true });
    const session = await load();
    session.update = { silentSince: 5 };
    await sessions.refresh(session);
    expect(session.update).toEqual({ silentSince: 5 });
    expect(read).toEqual([session]);
  });

  it('a change of another device leaves a session as it is', async () => {
    const { sessions, load, hear } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'changed', serial: serial + 1 });
    expect(sessions.known(serial)).toBe(session);
    // A device without a session is not remembered either.
    expect(await sessions.load(serial + 1)).toBeUndefined();
  });

  it('every session is stale after notifications may have been lost', async () => {
    const { sessions, load, hear, whileReading, read } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'missed' });
    expect(sessions.known(serial)).toBeUndefined();
    await load();
    expect(sessions.known(serial)).toBe(session);
    hear({ kind: 'moved', serial });
    // Also a session that is being read.
    whileReading(async () => {
      if (read.length === 3) hear({ kind: 'missed' });
    });
    await load();
    expect(read).toHaveLength(4);
  });

  it('a session is read again if its device changes while it is read', async () => {
    const { store, load, hear, whileReading, read, sessions } = await setUp({ shared: true });
    whileReading(async () => {
      if (read.length > 1) return;
      await store.commit([renamed]);
      hear({ kind: 'changed', serial });
    });
    expect((await load()).device.name).toBe('renamed');
    expect(read).toHaveLength(2);
    expect(sessions.known(serial)).toBeDefined();
  });

  it('a session is read once, and stays stale, if a notification arrives during the second read', async () => {
    const { store, load, hear, sessions } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'changed', serial });
    const { pendingDownlinks } = store;
    let reads = 0;
    store.pendingDownlinks = async (id) => {
      reads++;
      // A service that queues downlinks one after another.
      hear({ kind: 'changed', serial });
      return pendingDownlinks.call(store, id);
    };
    await load();
    expect(reads).toBe(1);
    expect([sessions.known(serial), sessions.get(serial)]).toEqual([undefined, session]);
  });

  it('a device that moves away and changes while its session is read does not keep the reader waiting', async () => {
    const { store, load, hear, sessions } = await setUp({ shared: true });
    await load();
    hear({ kind: 'changed', serial });
    const { pendingDownlinks } = store;
    store.pendingDownlinks = async (id) => {
      hear({ kind: 'moved', serial });
      hear({ kind: 'changed', serial });
      return pendingDownlinks.call(store, id);
    };
    const loading = load();
    await new Promise((done) => setTimeout(done));
    store.pendingDownlinks = pendingDownlinks;
    expect(await loading).toBeDefined();
    expect(sessions.known(serial)).toBeUndefined();
  });

  it('a session stays stale if it cannot be read', async () => {
    const { store, load, hear, sessions } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'changed', serial });
    const { deviceBySerial } = store;
    store.deviceBySerial = () => Promise.reject(new Error('database gone'));
    await expect(sessions.refresh(session)).rejects.toThrow('database gone');
    expect(sessions.known(serial)).toBeUndefined();
    store.deviceBySerial = deviceBySerial;
    await sessions.refresh(session);
    expect(sessions.known(serial)).toBe(session);
  });

  it('a fresh session does not become stale if it cannot be read', async () => {
    const { store, load, sessions } = await setUp({ shared: true });
    const session = await load();
    store.deviceBySerial = () => Promise.reject(new Error('database gone'));
    await expect(sessions.refresh(session)).rejects.toThrow('database gone');
    expect(sessions.known(serial)).toBe(session);
  });

  it('a session is dropped when its device moves to another service', async () => {
    const { load, hear, sessions } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'changed', serial });
    hear({ kind: 'moved', serial });
    expect(sessions.get(serial)).toBeUndefined();
    expect(await load()).not.toBe(session);
    expect(sessions.known(serial)).toBeDefined();
  });

  it('a notification about an unknown device is forgotten', async () => {
    const { store, hear, sessions, read } = await setUp({ shared: true });
    await store.commit([deleted]);
    const loading = sessions.load(serial);
    hear({ kind: 'changed', serial });
    expect(await loading).toBeUndefined();
    await store.commit([insert.device(device(2, { serial }))]);
    expect((await sessions.load(serial))?.device.id).toBe(device(2).id);
    expect(read).toHaveLength(1);
  });

  it('a device is claimed once, and again after it has moved', async () => {
    const { load, hear, sessions, claims } = await setUp({ shared: true });
    sessions.claim(await load());
    sessions.claim(await load());
    expect(claims).toEqual([serial]);
    hear({ kind: 'moved', serial });
    sessions.claim(await load());
    expect(claims).toEqual([serial, serial]);
  });

  it('a claim that fails is repeated with the next packet', async () => {
    const { load, sessions, claims, whileClaiming } = await setUp({ shared: true });
    const session = await load();
    whileClaiming(() => Promise.reject(new Error('database gone')));
    sessions.claim(session);
    await new Promise((done) => setImmediate(done));
    sessions.claim(session);
    expect(claims).toEqual([serial, serial]);
  });

  it('a device is not claimed if the store is not shared', async () => {
    const { load, sessions, claims } = await setUp();
    sessions.claim(await load());
    expect(claims).toEqual([]);
  });
});
