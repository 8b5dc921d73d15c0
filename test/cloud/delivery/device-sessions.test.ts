/** The device sessions of one service: when they are read, and how changes by the API reach them. */
import { describe, expect, it } from 'vitest';
import { type DeviceSession, insertInto, makeQueued } from '../../../src/cloud/delivery/device-session.js';
import type { Change } from '../../../src/cloud/store/store.js';
import { device, downlink, insert, T0 } from '../store/rows.js';
import { deleted, ROW, renamed, serial, setUp } from './sessions-fixture.js';

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
    expect([sessions.getFresh(serial), sessions.get(serial), sessions.shared]).toEqual([session, session, false]);
  });

  it.each([{ shared: false }, { shared: true }])('has the new claim token of its device (%o)', async ({ shared }) => {
    const { store, load, sessions, hear } = await setUp({ shared });
    const session = await load();
    await store.commit([{ kind: 'device.change', id: ROW.id, change: { token: 'ab'.repeat(16) } }]);
    if (shared) hear({ kind: 'changed', serial });
    await (shared ? sessions.load(serial) : sessions.forget(serial));
    expect(sessions.getFresh(serial)).toBe(session);
    expect([...session.token]).toEqual(new Array(16).fill(0xab));
  });

  it('does not exist for an unknown serial number', async () => {
    const { sessions, read } = await setUp();
    expect(await sessions.load(serial + 1)).toBeUndefined();
    expect([sessions.getFresh(serial), sessions.get(serial), read]).toEqual([undefined, undefined, []]);
  });

  it('is read once for two requests at the same time', async () => {
    const { sessions, read } = await setUp();
    const [one, other] = await Promise.all([sessions.load(serial), sessions.load(serial)]);
    expect(one).toBe(other);
    expect(read).toHaveLength(1);
  });

  it('is changed at once if it is cached, or after its read if it is being read; no session is read for a change', async () => {
    const { store, sessions, load, read } = await setUp();
    const changed: DeviceSession[] = [];
    const change = () => sessions.changeWhenRead(serial, (session) => changed.push(session));
    change();
    const loading = sessions.load(serial);
    change();
    expect([sessions.get(serial), changed]).toEqual([undefined, []]);
    const session = await loading;
    await load();
    expect(changed).toEqual([session]);
    change();
    expect([changed, read]).toEqual([[session, session], [session]]);
    // The change is dropped if the device does not exist or cannot be read.
    store.deviceBySerial = () => Promise.reject(new Error('database gone'));
    const failing = sessions.load(serial + 1);
    sessions.changeWhenRead(serial + 1, (other) => changed.push(other));
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
    // Another service has offered the first downlink.
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

  it('that is refreshed after it left the cache does not drop its successor', async () => {
    const { store, load, sessions } = await setUp();
    const old = await load();
    await store.commit([deleted, insert.device(device(2, { serial }))]);
    await sessions.forget(serial);
    const next = await load();
    await sessions.refresh(old);
    expect(sessions.get(serial)).toBe(next);
    expect(old.device.id).toBe(ROW.id);
  });

  it('that is refreshed after it left the cache does not make its stale successor valid', async () => {
    const { store, load, sessions, hear } = await setUp({ shared: true });
    const old = await load();
    await store.commit([deleted, insert.device(device(2, { serial }))]);
    await sessions.forget(serial);
    await load();
    hear({ kind: 'changed', serial });
    await sessions.refresh(old);
    expect(sessions.getFresh(serial)).toBeUndefined();
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
      insertInto(session, makeQueued(downlink(4)));
      return row;
    };
    await store.commit([{ kind: 'message.state', id: downlink(3).id, state: 'cancelled', at: T0 }]);
    await sessions.refresh(session);
    expect(ids(session)).toEqual([downlink(1).id, downlink(4).id]);
    expect(session.device.name).toBe('changed meanwhile');
    // The read may have missed a change by another service. So a shared session is read again the next time.
    expect(sessions.getFresh(serial)).toBe(shared ? undefined : session);
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

  it('reaches a session that is being read', async () => {
    const { store, load, sessions, whileReading, read } = await setUp();
    whileReading(async () => {
      if (read.length > 1) return;
      await store.commit([renamed]);
      await sessions.forget(serial);
    });
    expect((await load()).device.name).toBe('renamed');
    expect(sessions.getFresh(serial)).toBeDefined();
  });

  it('makes the session stale if the device cannot be read', async () => {
    const { store, load, sessions } = await setUp();
    await load();
    const { deviceBySerial } = store;
    store.deviceBySerial = () => Promise.reject(new Error('database gone'));
    await store.commit([renamed]);
    await expect(sessions.forget(serial)).rejects.toThrow('database gone');
    expect(sessions.getFresh(serial)).toBeUndefined();
    store.deviceBySerial = deviceBySerial;
    expect((await load()).device.name).toBe('renamed');
  });

  it('stays in the session if a read from before it ends later', async () => {
    const { store, load, sessions } = await setUp();
    const session = await load();
    await store.commit([{ kind: 'device.change', id: ROW.id, change: { token: 'ab'.repeat(16) } }]);
    const earlier = await store.deviceBySerial(serial);
    const { deviceBySerial } = store;
    let answer = (_: typeof earlier) => {};
    store.deviceBySerial = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const first = sessions.forget(serial);
    store.deviceBySerial = deviceBySerial;
    await store.commit([{ kind: 'device.change', id: ROW.id, change: { token: 'cd'.repeat(16) } }]);
    await sessions.forget(serial);
    answer(earlier);
    await first;
    expect([...session.token]).toEqual(new Array(16).fill(0xcd));
  });

  it('of a device without a session reads nothing', async () => {
    const { store, sessions } = await setUp();
    store.deviceBySerial = () => Promise.reject(new Error('read'));
    await expect(sessions.forget(serial)).resolves.toBeUndefined();
  });
});
