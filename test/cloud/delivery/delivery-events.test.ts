/** What the delivery core reports to the trace, the timelines and the log. */
import { describe, expect, it } from 'vitest';
import { type Change, StoreUnavailable } from '../../../src/cloud/store/store.js';
import { days, hours, seconds } from '../../../src/kernel/time.js';
import { writeImage } from '../../../src/protocol/firmware-image.js';
import { contentFingerprint } from '../../../src/protocol/hashes.js';
import { encodeUp, parseDown } from '../../../src/protocol/messages/index.js';
import { SERIAL, testCloud } from '../../support/cloud.js';

const createSession = encodeUp({ kind: 'create-session', session: {} });
const shell = (...commands: readonly string[]) => ({ type: 'shell', commands }) as const;

async function connected(options: Parameters<typeof testCloud>[0] = {}) {
  const cloud = await testCloud(options);
  const device = await cloud.addDevice();
  const session = await cloud.core.load(SERIAL);
  if (session === undefined) throw new Error('no session');
  const since = (kind: string) => cloud.events.filter((event) => event.kind === kind);
  const timeline = async (id: string) =>
    (await cloud.store.timeline(id, { limit: 100 })).map(({ what, detail }) => [what, detail]);
  const settled = () => new Promise((done) => setImmediate(done));
  return { ...cloud, device, session, since, timeline, settled };
}

describe('a downlink', () => {
  it('is reported when it is queued, when its device makes contact, and when it is offered and delivered', async () => {
    const { core, device, session, events, clock } = await connected();
    const { id } = await core.queue(device, shell('info show'));
    await clock.runUntil(seconds(1));
    core.noteContact(session);
    core.noteContact(session);
    await clock.runUntil(seconds(2));
    await core.take(session);
    const message = await core.take(session);
    await clock.runUntil(seconds(3));
    await core.confirm(session, 'next-packet');
    const about = { serial: SERIAL, downlink: id };
    const print = contentFingerprint(message ?? new Uint8Array());
    expect(events).toEqual([
      { kind: 'downlink.queued', at: 0, ...about, type: 'shell' },
      { kind: 'downlink.contact', at: seconds(1), ...about },
      { kind: 'downlink.offered', at: seconds(2), ...about, print, attempt: 1 },
      { kind: 'downlink.offered', at: seconds(2), ...about, print, attempt: 2 },
      { kind: 'downlink.delivered', at: seconds(3), ...about, evidence: 'next-packet' },
    ]);
  });

  it('that was queued after a contact gets its contact event at the next contact', async () => {
    const { core, device, session, since, timeline, settled } = await connected();
    const one = await core.queue(device, shell('one'));
    core.noteContact(session);
    const other = await core.queue(device, shell('two'));
    core.noteContact(session);
    await settled();
    expect(since('downlink.contact')).toMatchObject([{ downlink: one.id }, { downlink: other.id }]);
    expect(await timeline(one.id)).toEqual([
      ['queued', null],
      ['contact', null],
    ]);
  });

  it('is reported as delivered once, and only after the device has taken it', async () => {
    const { core, device, session, since } = await connected();
    await core.queue(device, shell('one'));
    await core.queue(device, shell('two'));
    await core.confirm(session, 'final-ack');
    expect(since('downlink.delivered')).toEqual([]);
    await core.take(session);
    await core.confirm(session, 'final-ack');
    await core.confirm(session, 'final-ack');
    expect(since('downlink.delivered')).toHaveLength(1);
    expect(session.queue).toHaveLength(1);
  });

  it('that is cancelled in flight is not reported as delivered', async () => {
    const { core, device, session, since } = await connected();
    const row = await core.queue(device, shell('one'));
    await core.take(session);
    expect(await core.cancel(row)).toBe('cancelled');
    await core.confirm(session, 'final-ack');
    expect(since('downlink.delivered')).toEqual([]);
    expect(since('downlink.cancelled')).toEqual([
      { kind: 'downlink.cancelled', at: 0, serial: SERIAL, downlink: row.id },
    ]);
  });

  it('is committed together with further changes of the caller, which come first', async () => {
    const { core, device, store } = await connected();
    const { commit } = store;
    const commits: (readonly Change[])[] = [];
    store.commit = (changes) => {
      commits.push(changes);
      return commit.call(store, changes);
    };
    const along: Change = { kind: 'device.change', id: device.id, change: { comment: 'changed' } };
    const row = await core.queue(device, shell('one'), ({ type }) => (type === 'shell' ? [along] : []));
    expect(commits).toMatchObject([[along, { kind: 'message.insert', row }, { kind: 'timeline.add' }]]);
  });

  it('that is committed while its session is being read is in the queue once', async () => {
    const { device, store } = await connected();
    const again = await testCloud({ store, seed: 'again' });
    const { commit, pendingDownlinks } = store;
    let committed = () => {};
    const queued = new Promise<void>((done) => {
      committed = done;
    });
    store.commit = async (changes) => {
      await commit.call(store, changes);
      committed();
    };
    store.pendingDownlinks = async (id) => {
      await queued;
      return pendingDownlinks.call(store, id);
    };
    const loading = again.core.load(SERIAL);
    expect(again.core.getFreshSession(SERIAL)).toBeUndefined();
    await again.core.queue(device, shell('one'));
    expect((await loading)?.queue).toHaveLength(1);
    expect(again.core.getFreshSession(SERIAL)).toBe(await loading);
  });

  it('is cancelled alone, if there are others in the queue', async () => {
    const { core, device, session } = await connected();
    const one = await core.queue(device, shell('one'));
    const other = await core.queue(device, shell('two'));
    expect(await core.cancel(other)).toBe('cancelled');
    expect(session.queue.map(({ row }) => row.id)).toEqual([one.id]);
  });

  it('expires alone, if there are others in the queue', async () => {
    const { core, device, session, clock, since } = await connected();
    const one = await core.queue(device, shell('one'));
    await clock.runUntil(days(1));
    const other = await core.queue(device, shell('two'));
    session.queue.reverse();
    await clock.runUntil(days(30) + hours(2));
    expect(since('downlink.expired')).toMatchObject([{ downlink: one.id }]);
    expect(session.queue.map(({ row }) => row.id)).toEqual([other.id]);
  });

  it('causes one commit at each step: its new state, if any, and an entry of its timeline', async () => {
    const { core, device, session, store } = await connected();
    const { commit } = store;
    const commits: (readonly Change[])[] = [];
    store.commit = (changes) => {
      commits.push(changes);
      return commit.call(store, changes);
    };
    const { id } = await core.queue(device, shell('one'));
    core.noteContact(session);
    core.noteContact(session);
    await core.take(session);
    await core.confirm(session, 'final-ack');
    expect(commits.map((changes) => changes.map(({ kind }) => kind))).toEqual([
      ['message.insert', 'timeline.add'],
      ['timeline.add'],
      ['message.offer', 'timeline.add'],
      ['message.state', 'timeline.add'],
    ]);
    expect(commits.at(-1)).toMatchObject([{ id, state: 'sent' }, { row: { what: 'sent', detail: 'final-ack' } }]);
  });

  it('that another service has cancelled meanwhile is not reported as delivered', async () => {
    const { core, device, session, store, since } = await connected();
    const row = await core.queue(device, shell('one'));
    await core.take(session);
    const other = await testCloud({ store, seed: 'other' });
    await other.core.cancel(row);
    await core.confirm(session, 'final-ack');
    expect(since('downlink.delivered')).toEqual([]);
    expect(session.queue).toEqual([]);
  });

  it('can be queued and cancelled without a session of its device', async () => {
    const { store, device } = await connected();
    const other = await testCloud({ store, seed: 'other' });
    const row = await other.core.queue(device, shell('one'));
    expect(other.core.getFreshSession(SERIAL)).toBeUndefined();
    expect(other.events).toMatchObject([{ kind: 'downlink.queued', serial: SERIAL, downlink: row.id }]);
    expect(await other.core.cancel(row)).toBe('cancelled');
    expect(other.events.at(-1)).toMatchObject({ kind: 'downlink.cancelled', serial: SERIAL });
  });

  it('of a deleted device is not pending', async () => {
    const { core, device, store, clock, since } = await connected();
    const row = await core.queue(device, shell('one'));
    await store.commit([{ kind: 'device.delete', id: device.id, at: clock.wall }]);
    expect(await core.cancel(row)).toBe('not-pending');
    expect(since('downlink.cancelled')).toEqual([]);
  });

  it('that was cancelled elsewhere meanwhile is not pending', async () => {
    const { core, device, store, since } = await connected();
    const row = await core.queue(device, shell('one'));
    const other = await testCloud({ store, seed: 'other' });
    await other.core.cancel(row);
    expect(await core.cancel(row)).toBe('not-pending');
    expect(since('downlink.cancelled')).toEqual([]);
  });

  it('that has expired is reported with its device', async () => {
    const { core, device, session, clock, since, timeline } = await connected();
    const { id } = await core.queue(device, shell('one'));
    await clock.runUntil(days(30) + hours(2));
    const at = days(30) + hours(1);
    expect(since('downlink.expired')).toEqual([{ kind: 'downlink.expired', at, serial: SERIAL, downlink: id }]);
    expect(session.queue).toEqual([]);
    expect(await timeline(id)).toEqual([
      ['queued', null],
      ['expired', null],
    ]);
  });

  it('expires even without a session of its device', async () => {
    const { store, device } = await connected();
    const other = await testCloud({ store, seed: 'other' });
    const { id } = await other.core.queue(device, shell('one'));
    await other.clock.runUntil(days(30) + hours(2));
    expect(other.events.at(-1)).toMatchObject({ kind: 'downlink.expired', serial: SERIAL, downlink: id });
  });

  it('does not expire after the core was closed', async () => {
    const { core, device, clock, since } = await connected();
    await core.queue(device, shell('one'));
    await core.close();
    expect(clock.waiting).toBe(0);
    await clock.runUntil(days(40));
    expect(since('downlink.expired')).toEqual([]);
  });
});

describe('a downlink that cannot be encoded', () => {
  it('is cancelled with the reason, logged, and the next one is taken', async () => {
    const warnings: unknown[][] = [];
    const log = { info: () => {}, error: () => {}, warn: (...entry: unknown[]) => warnings.push(entry) };
    const { core, device, session, store, since, timeline } = await connected({ log });
    const { id } = await core.queue(device, shell('one'));
    await core.queue(device, shell('two'));
    const { row } = session.queue[0] ?? {};
    Object.assign(row ?? {}, { type: 'smoke' });
    expect(parseDown((await core.take(session)) ?? new Uint8Array())).toMatchObject({ commands: ['two'] });
    const why = 'unknown downlink type "smoke"';
    expect(warnings).toEqual([[{ message: id, why }, 'downlink cannot be encoded']]);
    expect(since('downlink.cancelled')).toMatchObject([{ downlink: id, serial: SERIAL }]);
    expect((await timeline(id)).at(-1)).toEqual(['cancelled', why]);
    expect(await store.message(device.spaceId, id)).toMatchObject({ downState: 'cancelled' });
  });

  it('makes its firmware update fail', async () => {
    const { core, device, session, store, spaceId, since } = await connected();
    const content = writeImage({ bundle: 'a', name: 'b', version: 'v2' }, 1000);
    const about = { id: '0197a3b1-0000-7000-8000-000000000001', bundle: 'a', name: 'b', version: 'v2' };
    const image = core.firmware.images.describe(content, { ...about, spaceId, createdAt: 0 });
    await store.commit(core.firmware.images.put(image, content));
    const { id } = await core.firmware.schedule(device, image);
    core.firmware.images.content = async () => undefined;
    expect(await core.take(session)).toBeUndefined();
    expect(since('update.moved').at(-1)).toEqual({
      ...{ kind: 'update.moved', at: 0, serial: SERIAL, update: id, state: 'failed', offset: 0 },
      why: 'the image has been deleted',
    });
    expect(session).toMatchObject({ queue: [], update: undefined });
  });
});

describe('the body of a downlink', () => {
  const long = Array.from({ length: 60 }, (_, n) => `echo ${'x'.repeat(40)} ${n}`);

  it('is in the row in memory, or is read from the store if it is long', async () => {
    const { core, device, session } = await connected();
    await core.queue(device, shell('one'));
    await core.queue(device, shell(...long));
    const bodies = await Promise.all(session.queue.map(({ row }) => core.readBody(row)));
    expect(bodies).toEqual([['one'], long]);
  });

  it('is not read if it is short, and no codec is read for commands', async () => {
    const { core, device, session, store } = await connected();
    session.device = { ...session.device, encoderHash: '0011223344556677' };
    store.message = () => Promise.reject(new Error('read a message'));
    store.codec = () => Promise.reject(new Error('read a codec'));
    store.device = () => Promise.reject(new Error('read a device'));
    await core.queue(device, shell('one'));
    const [queued] = session.queue;
    expect(queued && (await core.readBody(queued.row))).toEqual(['one']);
    expect(await core.take(session)).toBeDefined();
  });

  it('leaves its downlink pending if it cannot be read at the moment', async () => {
    const { core, device, session, store, since } = await connected();
    await core.queue(device, shell(...long));
    const { message } = store;
    store.message = () => Promise.reject(new StoreUnavailable(new Error('test')));
    await expect(core.take(session)).rejects.toThrow(StoreUnavailable);
    store.message = message;
    expect(since('downlink.cancelled')).toEqual([]);
    expect(await core.take(session)).toBeDefined();
  });

  it('is undefined after the device was deleted, and the downlink leaves the queue', async () => {
    const reasons: unknown[] = [];
    const log = { info: () => {}, error: () => {}, warn: (entry: object) => reasons.push(entry) };
    const { core, device, session, store, clock } = await connected({ log });
    await core.queue(device, shell(...long));
    const [queued] = session.queue;
    if (queued === undefined) throw new Error('nothing queued');
    await store.commit([{ kind: 'device.delete', id: device.id, at: clock.wall }]);
    expect(await core.readBody(queued.row)).toBeUndefined();
    expect(await core.take(session)).toBeUndefined();
    expect(session.queue).toEqual([]);
    expect(reasons).toMatchObject([{ why: 'the device has been deleted' }]);
  });
});

describe('a device', () => {
  it('has nothing to fetch without a downlink and without an update', async () => {
    const { core, device, session, store } = await connected();
    expect(core.hasNothing(session)).toBe(true);
    session.update = { silentSince: undefined };
    expect(core.hasNothing(session)).toBe(false);
    session.update = undefined;
    const row = await core.queue(device, shell('one'));
    expect(core.hasNothing(session)).toBe(false);
    await core.cancel(row);
    expect(core.hasNothing(session)).toBe(true);
    // If other services use the store, one of them may have queued a downlink.
    Object.assign(store, { nodes: { claim: async () => {} } });
    expect(core.hasNothing(session)).toBe(false);
  });

  it('has another waiting downlink besides the one in flight only if a second one is queued', async () => {
    const { core, device, session } = await connected();
    await core.queue(device, shell('one'));
    await core.take(session);
    expect([core.hasWaiting(session), core.hasWaiting(session, { except: session.inFlight })]).toEqual([true, false]);
    await core.queue(device, shell('two'));
    expect(core.hasWaiting(session, { except: session.inFlight })).toBe(true);
  });

  it('gets a downlink that another service has queued', async () => {
    const { core, device, session, store } = await connected();
    const other = await testCloud({ store, seed: 'other' });
    await other.core.queue(device, shell('one'));
    expect(await core.take(session)).toBeUndefined();
    Object.assign(store, { nodes: { claim: async () => {} } });
    expect(parseDown((await core.take(session)) ?? new Uint8Array())).toMatchObject({ commands: ['one'] });
  });

  it('is claimed for this service by its first packet, if other services share the store', async () => {
    const { core, session, store } = await connected();
    const claims: number[] = [];
    Object.assign(store, { nodes: { claim: async (serial: number) => claims.push(serial) } });
    core.noteContact(session);
    core.noteContact(session);
    expect(claims).toEqual([SERIAL]);
  });
});

describe('a response that the cloud queues by itself', () => {
  it('is reported, and cancels an older one of the same type', async () => {
    const { core, device, session, since, messages, settled } = await connected();
    const { id } = await core.queue(device, shell('one'));
    await core.accept(session, createSession);
    await core.accept(session, encodeUp({ kind: 'get-timestamp' }));
    await core.accept(session, createSession);
    await settled();
    const down = (await messages(device)).filter(({ direction }) => direction === 'down');
    expect(down.map(({ type, downState }) => [type, downState])).toEqual([
      ['shell', 'pending'],
      ['session', 'cancelled'],
      ['timestamp', 'pending'],
      ['session', 'pending'],
    ]);
    expect(since('downlink.queued').map((event) => 'type' in event && event.type)).toEqual([
      ...['shell', 'session', 'timestamp', 'session'],
    ]);
    expect(session.queue.map(({ row }) => row.type)).toEqual(['shell', 'timestamp', 'session']);
    expect(session.queue[0]?.row.id).toBe(id);
    expect(since('downlink.cancelled')).toEqual([]);
  });
});
