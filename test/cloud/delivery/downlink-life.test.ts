/** The life of a downlink: its states, its timeline, its end, and the messages that count as an answer. */
import { describe, expect, it } from 'vitest';
import { CloudCore } from '../../../src/cloud/delivery/core.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { days, hours, minutes } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { QUIET, testCloud } from '../../support/cloud.js';
import { createSession, drain, sessionOf } from './core-fixture.js';

const configUpload = (lines: readonly string[]) => encodeUp({ kind: 'upload-config', hash: '0011223344556677', lines });

describe('the life of a downlink', () => {
  it('is recorded in its timeline: queued, contact, each offer, sent, answered', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['info show'] });
    const session = await sessionOf(cloud);
    cloud.core.noteContact(session);
    await cloud.core.take(session);
    await cloud.core.take(session);
    await cloud.core.confirm(session, 'next-packet');
    const responses = [{ command: 'info show', result: 0, lines: ['fine'] }];
    await cloud.core.accept(session, encodeUp({ kind: 'upload-shell', messageId: uuidBytes(row.id), responses }));
    expect((await cloud.store.timeline(row.id, { limit: 100 })).map(({ what, detail }) => [what, detail])).toEqual([
      ['queued', null],
      ['contact', null],
      ['offered', 'attempt 1'],
      ['offered', 'attempt 2'],
      ['sent', 'next-packet'],
      ['answered', expect.any(String)],
    ]);
  });

  it('is recorded with only the first and the latest of many offers', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    const session = await sessionOf(cloud);
    cloud.core.noteContact(session);
    for (let attempt = 1; attempt <= 30; attempt++) {
      await cloud.clock.runUntil(hours(attempt));
      await cloud.core.take(session);
    }
    const timeline = await cloud.store.timeline(row.id, { limit: 100 });
    expect(timeline.map(({ at, what, detail }) => [at, what, detail])).toEqual(
      [
        [0, 'queued', null],
        [0, 'contact', null],
        [hours(1), 'offered', 'attempt 1'],
        [hours(30), 'offered', 'attempt 30'],
      ].map(([at, ...rest]) => [row.createdAt + Number(at), ...rest]),
    );
    expect(await cloud.store.message(cloud.spaceId, row.id)).toMatchObject({ downAttempt: 30 });
  });

  it('does not depend on a body in memory: a long body is read before it is sent', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const long = Array.from({ length: 60 }, (_, n) => `echo ${'x'.repeat(240)} ${n}`);
    const before = await sessionOf(cloud);
    await cloud.core.queue(device, { type: 'shell', commands: long });
    await cloud.core.queue(device, { type: 'shell', commands: ['short'] });
    expect(before.queue.map(({ row }) => 'body' in row)).toEqual([false, true]);
    const restarted = await testCloud({ store: cloud.store, clock: cloud.clock, seed: 'again' });
    const session = await sessionOf(restarted);
    expect(session.queue.map(({ row }) => 'body' in row)).toEqual([false, true]);
    expect(await drain(restarted, session)).toMatchObject([{ commands: long }, { commands: ['short'] }]);
  });

  it('includes the number of offers', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    const session = await sessionOf(cloud);
    await cloud.core.take(session);
    await cloud.core.take(session);
    expect(await cloud.store.message(cloud.spaceId, row.id)).toMatchObject({ downState: 'pending', downAttempt: 2 });
  });

  it('ends as expired in time, even if a thousand downlinks expire together', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await Promise.all(
      Array.from({ length: 1000 }, () => cloud.core.queue(device, { type: 'shell', commands: ['info show'] })),
    );
    await cloud.clock.runUntil(days(30) + hours(1) + minutes(1));
    expect(cloud.events.filter(({ kind }) => kind === 'downlink.expired')).toHaveLength(1000);
    expect(await cloud.store.pendingDownlinks(device.id)).toEqual([]);
  });

  it('ends as expired after 30 days without further offers', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    const session = await sessionOf(cloud);
    await cloud.clock.runUntil(days(30) - hours(1));
    expect(cloud.core.hasWaiting(session)).toBe(true);
    await cloud.clock.runUntil(days(30) + hours(2));
    expect(cloud.core.hasWaiting(session)).toBe(false);
    expect(await cloud.store.message(cloud.spaceId, row.id)).toMatchObject({ downState: 'expired' });
  });

  it('ends as expired earlier if the operator sets a shorter time', async () => {
    const store = new MemoryStore();
    const clock = new VirtualClock();
    const core = new CloudCore({
      store,
      clock,
      ids: createIds(clock, seededRandom('expiry')),
      trace: { emit: () => {} },
      log: QUIET,
      expiry: days(7),
    });
    const cloud = await testCloud({ store, clock });
    const device = await cloud.addDevice();
    const { id } = await core.queue(device, { type: 'shell', commands: ['x'] });
    await clock.runUntil(days(7) - hours(1));
    expect(await store.message(cloud.spaceId, id)).toMatchObject({ downState: 'pending' });
    await clock.runUntil(days(7) + hours(2));
    expect(await store.message(cloud.spaceId, id)).toMatchObject({ downState: 'expired' });
    await core.close();
  });

  it('ends as cancelled if a user cancels the downlink; a second cancellation is rejected', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    expect(await cloud.core.cancel(row)).toBe('cancelled');
    const [cancelled] = await cloud.messages(device);
    expect(cancelled?.downState).toBe('cancelled');
    expect(cancelled && (await cloud.core.cancel(cancelled))).toBe('not-pending');
    expect(cloud.core.hasWaiting(await sessionOf(cloud))).toBe(false);
  });

  it('ends at the time of the cancellation', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const row = await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    await cloud.clock.runUntil(hours(1));
    await cloud.core.cancel(row);
    expect(await cloud.store.message(cloud.spaceId, row.id)).toMatchObject({ downStateAt: cloud.clock.wall });
  });

  it('continues after a restart of the service', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.core.queue(device, { type: 'shell', commands: ['x'] });
    const restarted = await testCloud({ store: cloud.store });
    expect(restarted.core.hasWaiting(await sessionOf(restarted))).toBe(true);
  });
});

describe('evidence that a config downlink was carried out', () => {
  it('is a reported configuration with its lines, in any notation of the values', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.queue(device, { type: 'config', lines: ['app config mode lte', 'app config limit 25'] });
    await drain(cloud, session);
    await cloud.core.accept(session, configUpload(['app config mode "lte"', 'app config limit 25.00']));
    expect(cloud.events.filter((event) => event.kind === 'downlink.answered')).toHaveLength(1);
  });

  it('is not a reported configuration with another value', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.queue(device, { type: 'config', lines: ['app config interval-report 5'] });
    await drain(cloud, session);
    await cloud.core.accept(session, configUpload(['app config interval-report 1800']));
    expect(cloud.events.filter((event) => event.kind === 'downlink.answered')).toEqual([]);
  });

  it('is a data message after a new session, without an upload of the configuration, if the device had reported the lines before', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    await cloud.core.accept(session, configUpload(['app config interval-report 900']));
    await cloud.core.queue(device, { type: 'config', lines: ['app config interval-report 900'] });
    await drain(cloud, session);
    await cloud.core.accept(session, createSession);
    await cloud.core.accept(
      session,
      encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.of(1) }),
    );
    expect(cloud.events.filter((event) => event.kind === 'downlink.answered')).toHaveLength(1);
  });

  it('is not lost if storing the data message fails: the repeated message is evidence, too', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const session = await sessionOf(cloud);
    const data = (...bytes: readonly number[]) =>
      encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.from(bytes) });
    await cloud.core.accept(session, data(1));
    await cloud.core.accept(session, configUpload(['app config interval-report 900']));
    await cloud.core.queue(device, { type: 'config', lines: ['app config interval-report 900'] });
    await drain(cloud, session);
    await cloud.core.accept(session, createSession);
    const answered = () => cloud.events.filter((event) => event.kind === 'downlink.answered').length;

    const { commit } = cloud.store;
    cloud.store.commit = () => Promise.reject(new Error('disk full'));
    await expect(cloud.core.accept(session, data(2))).rejects.toThrow('disk full');
    cloud.store.commit = commit;
    expect(await cloud.core.accept(session, data(1))).toBe(true);
    expect(answered()).toBe(0);
    await cloud.core.accept(session, data(2));
    expect(answered()).toBe(1);
  });
});
