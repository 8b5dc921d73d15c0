/** Helpers that list devices by their names and messages by their bodies. */
import type { DeviceQuery, MessageQuery, Store } from '../../../src/cloud/store/store.js';
import { SPACE } from '../../cloud/store/rows.js';

export const byId: DeviceQuery = { limit: 100, sortBy: 'id', order: 'asc' };

export async function namesOf(store: Store, query: Partial<DeviceQuery>): Promise<string[] | 'unknown-cursor'> {
  const rows = await store.devices(SPACE, { ...byId, ...query });
  return rows === 'unknown-cursor' ? rows : rows.map((row) => row.name);
}

export async function bodiesOf(store: Store, query: Partial<MessageQuery>, spaceId = SPACE): Promise<unknown[]> {
  return (await store.messages(spaceId, { limit: 100, ...query })).map((row) => row.body);
}
