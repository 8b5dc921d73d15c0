/**
 * The end of a space. Its row stays, marked, because the messages of its deleted devices refer to it; nobody gets in any
 * more, since its keys and memberships are gone.
 */
import { deleteKey } from '../keys.js';
import { everyRecord } from '../records.js';
import type { Change, Id, SpaceRow, Store } from '../store/store.js';
import type { Members } from './members.js';

/** What is kept as records of a space, and means nothing without it. */
const FAMILIES = ['connector', 'delivery', 'firmware', 'idempotency', 'member-turn', 'secret', 'variable'];
/** Images have their bytes under the same id: too many to be read for being deleted. */
const IMAGE_FAMILIES = ['firmware-image', 'firmware-content'];

export function isDeleted({ type }: SpaceRow): boolean {
  return type === 'deleted';
}

/** What deletes a space, with everything in it but devices: it must have none. */
export async function deletionOf(store: Store, members: Members, space: SpaceRow): Promise<readonly Change[]> {
  const changes: Change[] = [{ kind: 'space.put', row: { ...space, type: 'deleted' } }];
  for await (const { id } of everyRecord(store, 'key', space.id)) changes.push(...deleteKey(id));
  for (let after: Id | undefined; ; ) {
    const tags = await store.tags(space.id, { limit: 500, after });
    if (tags.length === 0) break;
    changes.push(...tags.map(({ id }): Change => ({ kind: 'tag.delete', id })));
    after = tags.at(-1)?.id;
  }
  for (const family of FAMILIES) {
    for await (const { id } of everyRecord(store, family, space.id))
      changes.push({ kind: 'record.delete', family, id });
  }
  for await (const { id } of everyRecord(store, 'firmware-image', space.id)) {
    changes.push(...IMAGE_FAMILIES.map((family): Change => ({ kind: 'record.delete', family, id })));
  }
  return [...changes, ...(await members.dissolving(space.id))];
}
