/** Registers a fleet in a store, for benchmarks: devices with consecutive serial numbers. */
import { ensureSpaceAndKey } from '../../src/cloud/accounts/bootstrap.js';
import { openStore } from '../../src/cloud/open-store.js';
import { createIds } from '../../src/cloud/store/ids.js';
import { makeNewDevice } from '../../src/cloud/store/new-device.js';
import type { NamedKey } from '../../src/cloud/store/secrets/key.js';
import type { Change, DeviceRow, Store } from '../../src/cloud/store/store.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { tokenOf } from './token.js';

export const API_KEY = 'bench-key';
export const FIRST_SERIAL = 2_159_017_985;

export interface Fleet {
  readonly store: Store;
  readonly spaceId: string;
  readonly devices: readonly DeviceRow[];
  /** Creates a UUID of the present time. */
  uuid(): string;
}

/** Creates a store with a space, its key and `count` devices. Close it before a service opens it. */
export async function registerFleet(db: string, count: number, secretsKey?: NamedKey): Promise<Fleet> {
  const store = await openStore(db, { secretsKey });
  const clock = new RealClock();
  const random = seededRandom('bench');
  const ids = createIds(clock, random);
  const { spaceId } = await ensureSpaceAndKey(store, { spaceName: 'bench', apiKey: API_KEY, ids, clock, random });
  const devices = Array.from({ length: count }, (_, index) => {
    const serial = FIRST_SERIAL + index;
    const given = { id: ids.uuid(), spaceId, serial, token: tokenOf(serial), createdAt: clock.wall };
    return makeNewDevice({ ...given, name: `bench-${serial}` });
  });
  await store.commit(devices.map((row): Change => ({ kind: 'device.insert', row })));
  return { store, spaceId, devices, uuid: () => ids.uuid() };
}
