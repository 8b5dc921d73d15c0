/** Helpers that list devices by their names and messages by their bodies. */
import type { DeviceQuery, Id, MessageQuery, Place, Store } from '../../../src/cloud/store/store.js';
import { SPACE } from '../../cloud/store/rows.js';

export const byId: DeviceQuery = { limit: 100, sortBy: 'id', order: 'asc' };

export async function namesOf(store: Store, query: Partial<DeviceQuery>): Promise<string[]> {
  return (await store.devices(SPACE, { ...byId, ...query })).map((row) => row.name);
}

/** The place of a device in a list that is sorted by id. */
export function at(id: Id): Place {
  return { id, value: id };
}

export async function bodiesOf(store: Store, query: Partial<MessageQuery>, spaceId = SPACE): Promise<unknown[]> {
  return (await store.messages(spaceId, { limit: 100, ...query })).map((row) => row.body);
}
