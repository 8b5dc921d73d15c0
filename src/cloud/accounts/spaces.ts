/**
 * Deletion of a space. Its row stays, for messages of deleted devices, with type `deleted`: no credential then opens the space,
 * and it rejects new rows. The rows that it has left may be many. They are deleted in pieces, so that no other write waits long.
 */
import type { UnixMillis } from '../../kernel/time.js';
import { type Change, type Id, isDeleted, type RecordRow, type Store } from '../store/store.js';
import { OWNERS } from '../store/tenants.js';
import { AUDIT } from './audit.js';
import { deletion, endMembership, familyOf, toMember } from './member-records.js';

/** Record families that are deleted at once: connectors, which would still send deliveries, and the owner. */
const FAMILIES_AT_ONCE = ['connector', OWNERS];

/** Record families that are deleted in pieces. */
const FAMILIES = [
  ...[AUDIT, 'codec-count', 'delivery', 'firmware', 'firmware-content', 'firmware-image', 'idempotency', 'key'],
  ...['key-use', 'member-turn', 'secret', 'variable'],
];

/** Record family of deleted spaces that still have rows: no space, and the id of the deleted one. */
const REMAINS = 'deleted-space';

/** The changes that delete a space and note its remains. The store rejects them if the space has devices. */
export function deletionOf(spaceId: Id, now: UnixMillis): readonly Change[] {
  const remains = { family: REMAINS, id: spaceId, spaceId: null, key: null, createdAt: now, dueAt: now, body: null };
  return [
    { kind: 'space.delete', id: spaceId, families: FAMILIES_AT_ONCE },
    { kind: 'record.put', row: remains },
  ];
}

/** Deletes up to about `limit` rows of a deleted space. False if no deleted space has rows. */
export async function deleteRemains(store: Store, now: UnixMillis, limit: number): Promise<boolean> {
  const [remains] = await store.dueRecords(REMAINS, now, 1);
  if (remains === undefined) return false;
  if ((await deletePiece(store, remains, limit)) === 0) await store.commit([deletion(remains)]);
  return true;
}

async function deletePiece(store: Store, { id }: RecordRow, limit: number): Promise<number> {
  const members = (await store.records(familyOf(id), id, { limit })).map(toMember);
  if (members.length === 0) return store.clearSpace(id, FAMILIES, limit);
  await store.commit(members.flatMap(endMembership));
  return members.length;
}

/** Whether the space exists and is not deleted. */
export async function isOpen(store: Store, id: Id): Promise<boolean> {
  const space = await store.space(id);
  return space !== undefined && !isDeleted(space);
}
