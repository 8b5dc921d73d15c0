/**
 * The end of a space. Its row stays, marked, because the messages of its deleted devices refer to it; nobody gets in any
 * more, since its keys and memberships are gone, and nothing either: the store refuses it.
 */
import type { Change, Id } from '../store/store.js';
import { familyOf } from './member-records.js';

/** What is kept as records of a space, and means nothing without it. */
const FAMILIES = [
  ...['connector', 'delivery', 'firmware', 'firmware-content', 'firmware-image', 'idempotency', 'key', 'key-use'],
  ...['member-turn', 'owner', 'secret', 'variable'],
];

/** What deletes a space, with everything in it but devices: it must have none. */
export function deletionOf(spaceId: Id): Change {
  return { kind: 'space.delete', id: spaceId, families: [...FAMILIES, familyOf(spaceId)] };
}
