/** Rows for tests: every field has a plain default, so that a test gives only the fields that matter to it. */
import { makeNewDevice } from '../../../src/cloud/store/new-device.js';
import { firstIdAt } from '../../../src/cloud/store/order.js';
import type {
  Change,
  DeviceRow,
  Id,
  KeyRow,
  MessageRow,
  RecordRow,
  SpaceRow,
  Store,
  TagRow,
} from '../../../src/cloud/store/store.js';
import type { UnixMillis } from '../../../src/kernel/time.js';

export const T0: UnixMillis = 1_767_225_600_000;

/** The `n`-th id of a millisecond. */
export function idAt(at: UnixMillis, n: number): Id {
  return firstIdAt(at).slice(0, 24) + n.toString(16).padStart(12, '0');
}

export const SPACE = idAt(T0, 1);
export const OTHER_SPACE = idAt(T0, 2);

export function space(given: Partial<SpaceRow> = {}): SpaceRow {
  return { id: SPACE, name: 'lab', type: 'team', createdAt: T0, ...given };
}

export function key(n: number, given: Partial<KeyRow> = {}): KeyRow {
  return { id: idAt(T0, 16 + n), spaceId: SPACE, name: `key ${n}`, hash: `hash-${n}`, createdAt: T0, ...given };
}

export function tag(n: number, given: Partial<TagRow> = {}): TagRow {
  const id = idAt(T0, 256 + n);
  return { id, spaceId: SPACE, name: `tag-${n}`, color: '#1f77b4', accessType: 'write', createdAt: T0, ...given };
}

export function device(n: number, given: Partial<DeviceRow> = {}): DeviceRow {
  return makeNewDevice({
    id: idAt(T0, 4096 + n),
    spaceId: SPACE,
    name: `device-${n}`,
    serial: 2_159_017_984 + n,
    token: n.toString(16).padStart(32, '0'),
    createdAt: T0,
    ...given,
  });
}

/** The `n`-th message: a data uplink of device 1, `n` seconds after {@link T0}. */
export function message(n: number, given: Partial<MessageRow> = {}): MessageRow {
  const createdAt = given.createdAt ?? T0 + n * 1000;
  return {
    id: idAt(createdAt, n),
    spaceId: SPACE,
    deviceId: device(1).id,
    createdAt,
    type: 'data',
    direction: 'up',
    body: { n },
    codecHash: null,
    raw: null,
    fingerprint: null,
    downState: null,
    downStateAt: null,
    downScheduledAt: null,
    downAttempt: 0,
    downAnsweredAt: null,
    ...given,
  };
}

/** The `n`-th message as a pending shell downlink. */
export function downlink(n: number, given: Partial<MessageRow> = {}): MessageRow {
  const at = given.createdAt ?? T0 + n * 1000;
  return message(n, {
    type: 'shell',
    direction: 'down',
    body: ['info show'],
    downState: 'pending',
    downStateAt: at,
    downScheduledAt: at,
    ...given,
  });
}

/** The `n`-th record: of family `variable`, in the first space. */
export function record(n: number, given: Partial<RecordRow> = {}): RecordRow {
  const id = idAt(T0, 65_536 + n);
  const row = { family: 'variable', id, spaceId: SPACE, key: `key-${n}`, createdAt: T0, dueAt: null, body: { n } };
  return { ...row, ...given };
}

export const insert = {
  space: (row: SpaceRow): Change => ({ kind: 'space.put', row }),
  key: (row: KeyRow): Change => ({ kind: 'key.put', row }),
  tag: (row: TagRow): Change => ({ kind: 'tag.put', row }),
  device: (row: DeviceRow): Change => ({ kind: 'device.insert', row }),
  message: (row: MessageRow): Change => ({ kind: 'message.insert', row }),
  record: (row: RecordRow): Change => ({ kind: 'record.put', row }),
};

/** Creates two spaces, and the given devices; default: device 1, in the first space. */
export async function furnish(store: Store, devices: readonly DeviceRow[] = [device(1)]): Promise<void> {
  await store.commit([insert.space(space()), insert.space(space({ id: OTHER_SPACE, name: 'other' }))]);
  await store.commit(devices.map(insert.device));
}
