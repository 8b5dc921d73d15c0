/** The device sessions of a service that shares its store with others. */
import { describe, expect, it } from 'vitest';
import { device, insert } from '../store/rows.js';
import { deleted, renamed, serial, setUp } from './sessions-fixture.js';

describe('device sessions and other services:', () => {
  it('a session is stale after a change, and fresh after it was read again', async () => {
    const { store, sessions, load, hear, read } = await setUp({ shared: true });
    const session = await load();
    expect(sessions.shared).toBe(true);
    session.update = { silentSince: 5 };
    hear({ kind: 'changed', serial });
    expect([sessions.getFresh(serial), sessions.get(serial)]).toEqual([undefined, session]);
    await store.commit([renamed]);
    await sessions.refresh(session);
    expect(sessions.getFresh(serial)).toBe(session);
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
    expect(sessions.getFresh(serial)).toBe(session);
    // The device with this serial number does not exist.
    expect(await sessions.load(serial + 1)).toBeUndefined();
  });

  it('every session is stale if notifications may have been lost', async () => {
    const { sessions, load, hear, whileReading, read } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'missed' });
    expect(sessions.getFresh(serial)).toBeUndefined();
    await load();
    expect(sessions.getFresh(serial)).toBe(session);
    hear({ kind: 'moved', serial });
    // A session that is being read becomes stale as well.
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
    expect(sessions.getFresh(serial)).toBeDefined();
  });

  it('a stale session is read once, and stays stale, if a notification arrives during each read', async () => {
    const { store, load, hear, sessions } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'changed', serial });
    const { pendingDownlinks } = store;
    let reads = 0;
    store.pendingDownlinks = async (id) => {
      reads++;
      // Another service queues downlinks one after another.
      hear({ kind: 'changed', serial });
      return pendingDownlinks.call(store, id);
    };
    await load();
    expect(reads).toBe(1);
    expect([sessions.getFresh(serial), sessions.get(serial)]).toEqual([undefined, session]);
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
    expect(sessions.getFresh(serial)).toBeUndefined();
  });

  it('a stale session stays stale until it has been read again', async () => {
    const { load, hear, sessions, whileReading } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'changed', serial });
    const seen: unknown[] = [];
    whileReading(async () => {
      seen.push(sessions.getFresh(serial));
    });
    const loading = load();
    seen.push(sessions.getFresh(serial));
    expect(await loading).toBe(session);
    expect(seen).toEqual([undefined, undefined]);
    expect(sessions.getFresh(serial)).toBe(session);
  });

  it('a stale session has the new claim token after its read, even if its device sends a message meanwhile', async () => {
    const { store, load, hear, sessions } = await setUp({ shared: true });
    const session = await load();
    await store.commit([{ kind: 'device.change', id: session.device.id, change: { token: 'ab'.repeat(16) } }]);
    hear({ kind: 'changed', serial });
    const { pendingDownlinks } = store;
    store.pendingDownlinks = async (id) => {
      session.device = { ...session.device, lastSeen: 1 };
      return pendingDownlinks.call(store, id);
    };
    expect([...(await load()).token]).toEqual(new Array(16).fill(0xab));
    expect(sessions.getFresh(serial)).toBeUndefined();
  });

  it.each(['deleted', 'replaced'])(
    'a device that is %s while it is read for the first time has no session',
    async (how) => {
      const { store, load, hear, whileReading, sessions, read } = await setUp({ shared: true });
      const successor = device(2, { serial });
      whileReading(async () => {
        if (read.length > 1) return;
        await store.commit(how === 'deleted' ? [deleted] : [deleted, insert.device(successor)]);
        hear({ kind: 'changed', serial });
      });
      if (how === 'deleted') expect(await sessions.load(serial)).toBeUndefined();
      else expect((await load()).device.id).toBe(successor.id);
    },
  );

  it('a change that is followed by a move during the first read is not forgotten', async () => {
    const { store, load, hear, whileReading, read } = await setUp({ shared: true });
    whileReading(async () => {
      if (read.length > 1) return;
      await store.commit([renamed]);
      hear({ kind: 'changed', serial });
      hear({ kind: 'moved', serial });
    });
    expect((await load()).device.name).toBe('renamed');
  });

  it('a session stays stale if it cannot be read', async () => {
    const { store, load, hear, sessions } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'changed', serial });
    const { deviceBySerial } = store;
    store.deviceBySerial = () => Promise.reject(new Error('database gone'));
    await expect(sessions.refresh(session)).rejects.toThrow('database gone');
    expect(sessions.getFresh(serial)).toBeUndefined();
    store.deviceBySerial = deviceBySerial;
    await sessions.refresh(session);
    expect(sessions.getFresh(serial)).toBe(session);
  });

  it('a fresh session does not become stale if it cannot be read', async () => {
    const { store, load, sessions } = await setUp({ shared: true });
    const session = await load();
    store.deviceBySerial = () => Promise.reject(new Error('database gone'));
    await expect(sessions.refresh(session)).rejects.toThrow('database gone');
    expect(sessions.getFresh(serial)).toBe(session);
  });

  it('a session is dropped when its device moves to another service', async () => {
    const { load, hear, sessions } = await setUp({ shared: true });
    const session = await load();
    hear({ kind: 'changed', serial });
    hear({ kind: 'moved', serial });
    expect(sessions.get(serial)).toBeUndefined();
    expect(await load()).not.toBe(session);
    expect(sessions.getFresh(serial)).toBeDefined();
  });

  it('a notification about a device that does not exist is forgotten', async () => {
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
