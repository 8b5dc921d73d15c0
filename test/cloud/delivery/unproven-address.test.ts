/** Messages whose sender may be an attacker with a recording (docs/SECURITY.md, "Replayed datagrams"). */
import { describe, expect, it, vi } from 'vitest';
import type { Arrival } from '../../../src/cloud/delivery/uplinks.js';
import { hours } from '../../../src/kernel/time.js';
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
  const onProof = vi.fn();
  const accept = (message: UpMessage, from?: Arrival['from'], parts = 1) =>
    cloud.core.accept(session, encodeUp(message), { from, parts, onProof });
  const now = () => Math.floor(cloud.clock.wall / 1000);
  const acceptTimed = (timestamp: number, from?: Arrival['from'], { parts = 1, sequence = 7 } = {}) => {
    const body = { message: { sequence, timestamp } };
    return cloud.core.accept(session, { kind: 'decoded-data', body }, { from, parts, onProof });
  };
  const count = async () => (await cloud.messages(device)).length;
  return { ...cloud, session, accept, acceptTimed, now, onProof, count };
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
      const { accept, count } = await connected();
      await accept(known);
      await accept(known);
      expect(await count()).toBe(2);
      expect(await accept(known, 'guest')).toBe(true);
      expect(await count()).toBe(2);
      expect(await accept(another, 'guest')).toBe(true);
      expect(await count()).toBe(3);
    },
  );
});

describe.each(['guest', 'doubted home'] as const)('the address of a %s', (from) => {
  it('is proven by data that were never received before', async () => {
    const { accept, onProof } = await connected();
    await accept(data(1), from);
    expect(onProof).toHaveBeenCalledOnce();
  });

  it('is not proven by data that were received before, however long ago', async () => {
    const { accept, clock, count, onProof } = await connected();
    await accept(data(1));
    await clock.runUntil(hours(49));
    expect(await accept(data(1), from)).toBe(true);
    expect(await count()).toBe(from === 'guest' ? 1 : 2);
    expect(onProof).not.toHaveBeenCalled();
  });

  it('is not proven by a message that anyone may have recorded', async () => {
    const { accept, onProof } = await connected();
    await accept(stats, from);
    expect(onProof).not.toHaveBeenCalled();
  });

  it('is not proven by data from before the present session, which are stored', async () => {
    const { accept, acceptTimed, now, clock, count, onProof } = await connected();
    const recorded = now();
    await clock.runUntil(hours(1));
    await accept({ kind: 'create-session', session: { serial_number: 1, fw_version: 'v1.0.0' } });
    const before = await count();
    for (const at of [recorded, recorded + 60]) expect(await acceptTimed(at, from)).toBe(true);
    expect(onProof).not.toHaveBeenCalled();
    expect(await count()).toBe(before + 2);
    await acceptTimed(now(), from);
    expect(onProof).toHaveBeenCalledOnce();
  });
});

describe('the address of a visitor', () => {
  it.each([
    { what: 'several packets of the same second', parts: 2, after: 0, proofs: 0 },
    { what: 'several packets of a later second', parts: 2, after: 1, proofs: 1 },
    { what: 'one packet of the same second', parts: 1, after: 0, proofs: 1 },
    { what: 'one packet with older data', parts: 1, after: -1, proofs: 0 },
  ])('has $proofs proofs by $what, which is stored', async ({ parts, after, proofs }) => {
    const { acceptTimed, now, count, onProof } = await connected();
    await acceptTimed(now());
    expect(await acceptTimed(now() + after, 'visitor', { parts, sequence: 8 })).toBe(true);
    expect([onProof.mock.calls.length, await count()]).toEqual([proofs, 2]);
  });

  it('is not proven by several old messages in their order, which are stored before the next one', async () => {
    const { acceptTimed, now, clock, onProof } = await connected();
    const recorded = now();
    await clock.runUntil(hours(1));
    await acceptTimed(now());
    for (let n = 0; n < 5; n++) await acceptTimed(recorded + n, 'visitor', { parts: 1 + (n % 2) });
    expect(onProof).not.toHaveBeenCalled();
  });

  it('is not proven by data from before the last contact if no data are left, however many', async () => {
    const { acceptTimed, now, clock, store, onProof } = await connected();
    const recorded = now();
    await clock.runUntil(hours(1));
    await acceptTimed(now());
    await clock.runUntil(hours(80));
    await store.prune(clock.wall - hours(1), 100);
    for (let n = 0; n < 5; n++) await acceptTimed(recorded + n, 'visitor');
    expect(onProof).not.toHaveBeenCalled();
    await acceptTimed(now(), 'visitor');
    expect(onProof).toHaveBeenCalledOnce();
  });

  it('is not proven by data that the space has; they are acknowledged and not stored again, however old they are', async () => {
    const { acceptTimed, now, clock, count, onProof } = await connected();
    const recorded = now();
    await acceptTimed(recorded);
    await clock.runUntil(hours(80));
    expect(await acceptTimed(recorded, 'visitor')).toBe(true);
    expect([onProof.mock.calls.length, await count()]).toEqual([0, 1]);
  });

  it.each([1, 2])('is proven by data without a time in %i packets: the device may have no clock', async (parts) => {
    const { accept, onProof } = await connected();
    expect(await accept(data(1), 'visitor', parts)).toBe(true);
    expect(onProof).toHaveBeenCalledOnce();
  });
});

describe.each(['guest', 'visitor'] as const)('other messages of a %s', (from) => {
  it.each<UpMessage>([stats, { kind: 'upload-shell', messageId: new Uint8Array(16), responses: [] }])(
    'are stored once, however often they are copied: $kind',
    async (message) => {
      const { accept, count, onProof } = await connected();
      for (let copy = 0; copy < 5; copy++) expect(await accept(message, from)).toBe(true);
      expect([onProof.mock.calls.length, await count()]).toEqual([0, 1]);
    },
  );
});
