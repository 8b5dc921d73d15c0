/** What a device may send and get while its address is unproven or doubted (docs/SECURITY.md, "Replayed datagrams"). */
import { describe, expect, it } from 'vitest';
import type { Arrival } from '../../../src/cloud/delivery/uplinks.js';
import { hours } from '../../../src/kernel/time.js';
import type { JsonObject } from '../../../src/protocol/decode.js';
import { codecHash } from '../../../src/protocol/hashes.js';
import { encodeUp, type UpMessage } from '../../../src/protocol/messages/index.js';
import { testCloud } from '../../support/cloud.js';
import { sessionOf } from './core-fixture.js';

const HASH = '0011223344556677';
const OTHER = '7766554433221100';
const data = (byte: number): UpMessage => ({
  ...{ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.of(byte) },
});
const stats: UpMessage = { kind: 'upload-stats', stats: {} };

async function connected() {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  const session = await sessionOf(cloud);
  const accept = (message: UpMessage) => cloud.core.accept(session, encodeUp(message));
  const count = async () => (await cloud.messages(device)).length;
  return { ...cloud, session, accept, count };
}

describe('what a device uploads again from an unproven address', () => {
  const config = (hash: string): UpMessage => ({ kind: 'upload-config', hash, lines: ['app config a 1'] });
  const codec = (kind: 'upload-decoder' | 'upload-encoder', n: number): UpMessage => {
    const document = Uint8Array.of(n);
    return { kind, hash: codecHash(document), document };
  };

  it.each<[string, UpMessage, UpMessage]>([
    ['its configuration', config(HASH), config(OTHER)],
    ['its decoder', codec('upload-decoder', 0), codec('upload-decoder', 1)],
    ['its encoder', codec('upload-encoder', 0), codec('upload-encoder', 1)],
  ])(
    'is acknowledged and not stored if it is %s without a change, but stored if it has changed',
    async (_, known, another) => {
      const { session, accept, count } = await connected();
      await accept(known);
      await accept(known);
      expect(await count()).toBe(2);
      session.unproven = true;
      expect(await accept(known)).toBe(true);
      expect(await count()).toBe(2);
      expect(await accept(another)).toBe(true);
      expect(await count()).toBe(3);
    },
  );

  it('is stored if it is a message with statistics', async () => {
    const { session, accept, count } = await connected();
    session.unproven = true;
    await accept(stats);
    await accept(stats);
    expect(await count()).toBe(2);
  });
});

describe.each(['unproven', 'doubted'] as const)('an address that is %s', (state) => {
  it('is proven by data that were never received before', async () => {
    const { session, accept } = await connected();
    session[state] = true;
    await accept(data(1));
    expect(session[state]).toBeUndefined();
  });

  it('is not proven by data that were received before, however long ago', async () => {
    const { session, accept, clock, count } = await connected();
    await accept(data(1));
    await clock.runUntil(hours(49));
    session[state] = true;
    await accept(data(1));
    expect(await count()).toBe(2);
    expect(session[state]).toBe(true);
  });

  it.each([
    { what: 'several packets, as old as the latest data', parts: 2, timestamp: 1000, proves: false },
    { what: 'several packets with newer data', parts: 2, timestamp: 1001, proves: true },
    { what: 'several packets without a time', parts: 2, timestamp: 0, proves: false },
    { what: 'one packet of the same second', parts: 1, timestamp: 1000, proves: true },
    {
      what: 'one packet with older data, whose fingerprint may have been deleted',
      parts: 1,
      timestamp: 999,
      proves: false,
    },
    { what: 'one packet without a time', parts: 1, timestamp: 0, proves: true },
  ])('by $what: proven is $proves', async ({ parts, timestamp, proves }) => {
    const { session, core } = await connected();
    const send = (message: JsonObject, more?: Arrival) =>
      core.accept(session, { kind: 'decoded-data', body: { message } }, more);
    await send({ sequence: 1, timestamp: 1000 });
    session[state] = true;
    await send({ sequence: 2, timestamp }, { parts });
    expect(session[state]).toBe(proves ? undefined : true);
  });

  it('is not proven by data from before the last contact, if no data are left', async () => {
    const { session, core, clock, store } = await connected();
    const seconds = () => Math.floor(clock.wall / 1000);
    const send = (timestamp: number) =>
      core.accept(session, { kind: 'decoded-data', body: { message: { sequence: timestamp, timestamp } } });
    const recorded = seconds();
    await clock.runUntil(hours(1));
    await send(seconds());
    await clock.runUntil(hours(80));
    await store.prune(clock.wall - hours(1), 100);
    session[state] = true;
    await send(recorded);
    expect(session[state]).toBe(true);
    await send(seconds());
    expect(session[state]).toBeUndefined();
  });

  it('is not proven by a message that anyone may have recorded', async () => {
    const { session, accept } = await connected();
    session[state] = true;
    await accept(stats);
    expect(session[state]).toBe(true);
  });
});
