/** The sessions of a service with one device, on a store of its own or a shared one. */
import type { DeviceSession } from '../../../src/cloud/delivery/device-session.js';
import { DeviceSessions } from '../../../src/cloud/delivery/device-sessions.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import type { News, Nodes } from '../../../src/cloud/store/nodes.js';
import type { Change } from '../../../src/cloud/store/store.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { device, downlink, furnish, insert, T0 } from '../store/rows.js';

export const ROW = device(1);

export const { serial } = ROW;

export const renamed: Change = { kind: 'device.change', id: ROW.id, change: { name: 'renamed' } };

export const deleted: Change = { kind: 'device.delete', id: ROW.id, at: T0 };

/** Sessions of a store with one device; `shared`: with other services, whose notifications `hear` delivers. */
export async function setUp({ shared = false } = {}) {
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
