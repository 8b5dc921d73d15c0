/** The queue of a session: its order, and the downlinks that are held back. */
import { describe, expect, it } from 'vitest';
import {
  type DeviceSession,
  dequeueWhile,
  dropLongContent,
  findNextDownlink,
  insertInto,
  listUnwritten,
  makeQueued,
  mergeQueue,
  type QueuedDownlink,
  type Wanted,
} from '../../../src/cloud/delivery/device-session.js';
import { WAITING_CONTENT } from '../../../src/cloud/store/store.js';
import { device, downlink } from '../store/rows.js';

function sessionOf(queue: QueuedDownlink[], given: Partial<DeviceSession> = {}): DeviceSession {
  const base = { device: device(1), token: new Uint8Array(16), inFlight: undefined, configUnchecked: false };
  return { ...base, update: undefined, queue, ...given };
}

const queued = (n: number, type = 'shell') => makeQueued(downlink(n, { type }));
const types = (session: DeviceSession) => session.queue.map(({ row }) => row.type);

describe('a queued downlink', () => {
  it.each([
    [0, false],
    [1, true],
    [5, true],
  ])('that was offered %d times before has had a contact of its device: %s', (downAttempt, contacted) => {
    const row = downlink(1, { downAttempt });
    expect(makeQueued(row)).toEqual({ row, attempt: downAttempt, contacted, confirmed: undefined });
  });

  it('keeps its body in memory unless the body is too long', () => {
    const frame = '[""]'.length;
    const short = downlink(1, { body: ['x'.repeat(WAITING_CONTENT - frame)] });
    const long = downlink(1, { body: ['x'.repeat(WAITING_CONTENT - frame + 1)] });
    expect(dropLongContent(short)).toBe(short);
    const { body: _, raw: __, ...rest } = long;
    expect(dropLongContent(long)).toEqual(rest);
  });
});

describe('the queue', () => {
  it('is in the order of creation', () => {
    const session = sessionOf([]);
    for (const n of [2, 3, 1]) insertInto(session, queued(n));
    expect(session.queue.map(({ row }) => row.id)).toEqual([1, 2, 3].map((n) => downlink(n).id));
  });

  it('does not contain a downlink while its state is written', async () => {
    const [first, second] = [queued(1), queued(2)];
    const session = sessionOf([first, second]);
    const during = await dequeueWhile(session, first, async () => session.queue);
    expect(during).toEqual([second]);
    expect(session.queue).toEqual([second]);
  });

  it('contains a downlink again, in its place, if its state cannot be written', async () => {
    const [first, second] = [queued(1), queued(2)];
    const session = sessionOf([first, second]);
    const failing = dequeueWhile(session, first, () => Promise.reject(new Error('disk full')));
    await expect(failing).rejects.toThrow('disk full');
    expect(session.queue).toEqual([first, second]);
  });

  it('contains a downlink once if it was added during a read of the store and was also read', () => {
    const [first, second] = [queued(1), queued(2)];
    const session = sessionOf([first, second]);
    mergeQueue(session, [first.row, second.row], [first]);
    expect(session.queue).toEqual([first, second]);
  });

  it('lists the downlinks whose delivery is not stored', () => {
    const [first, second] = [queued(1), { ...queued(2), confirmed: 'final-ack' as const }];
    expect(listUnwritten(sessionOf([first, second]))).toEqual([second]);
  });
});

describe('the next downlink', () => {
  const order = (session: DeviceSession, wanted: Wanted = {}): readonly (string | undefined)[] => {
    const taken: string[] = [];
    for (let next = findNextDownlink(session, wanted); next; next = findNextDownlink(session, wanted)) {
      taken.push(next.row.type);
      session.queue = session.queue.filter((other) => other !== next);
    }
    return taken;
  };

  it('is the session, then the time, data and shell, firmware, and the configuration last', () => {
    const made = ['config', 'firmware', 'shell', 'data', 'timestamp', 'session', 'shell'];
    const session = sessionOf(made.map((type, n) => queued(n, type)));
    session.device = { ...session.device, encoderHash: '0011223344556677' };
    expect(order(session)).toEqual(['session', 'timestamp', 'shell', 'data', 'shell', 'firmware', 'config']);
  });

  it('is the oldest of its rank', () => {
    const session = sessionOf([queued(1), queued(2)]);
    expect(findNextDownlink(session)).toBe(session.queue[0]);
    expect(findNextDownlink(session, { except: session.queue[0] })).toBe(session.queue[1]);
    expect(findNextDownlink(sessionOf([queued(1)]))).toBeDefined();
    const single = sessionOf([queued(1)]);
    expect(findNextDownlink(single, { except: single.queue[0] })).toBeUndefined();
  });

  it('of an unknown type has the rank of data', () => {
    const session = sessionOf([queued(1, 'firmware'), queued(2, 'other'), queued(3, 'timestamp')]);
    expect(order(session)).toEqual(['timestamp', 'other', 'firmware']);
  });

  it('is a data downlink only if the encoder of the device is known', () => {
    const session = sessionOf([queued(1, 'data')]);
    expect(findNextDownlink(session)).toBeUndefined();
    session.device = { ...session.device, encoderHash: '0011223344556677' };
    expect(findNextDownlink(session)?.row.type).toBe('data');
  });

  it('is a configuration only if no firmware update is in progress', () => {
    const session = sessionOf([queued(1, 'config'), queued(2)], { update: { silentSince: undefined } });
    expect(order(session)).toEqual(['shell']);
    expect(types(session)).toEqual(['config']);
    session.update = undefined;
    expect(order(session)).toEqual(['config']);
  });

  it('is a session or time response only, while the address of the device is not proven', () => {
    const made = ['config', 'shell', 'timestamp', 'session'];
    const session = sessionOf(made.map((type, n) => queued(n, type)));
    expect(order(session, { isProven: false })).toEqual(['session', 'timestamp']);
  });
});
