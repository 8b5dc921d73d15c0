/**
 * Who takes turns and has limits for what costs time or memory: the owner of a space, because an account may have many spaces; a
 * space without an owner itself.
 */
import type { Id, Store } from './store.js';

/** Record family of the owners of spaces: `{userId}`, with the id of the space. */
export const OWNERS = 'owner';

type Records = Pick<Store, 'record'>;

/** The account that owns a space; null if none does. */
export async function ownerOf(store: Records, spaceId: Id): Promise<Id | null> {
  const row = await store.record(OWNERS, spaceId, spaceId);
  return row === undefined ? null : (row.body as { readonly userId: Id }).userId;
}

export async function tenantOf(store: Records, spaceId: Id): Promise<Id> {
  return (await ownerOf(store, spaceId)) ?? spaceId;
}
