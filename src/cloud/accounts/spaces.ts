/** Deletion of a space. Its row stays, for messages of deleted devices; keys and members go, new rows are rejected. */
import type { Change, Id } from '../store/store.js';
import { OWNERS } from '../store/tenants.js';
import { AUDIT } from './audit.js';
import { familyOf } from './member-records.js';

/** Record families that are deleted with their space. */
const FAMILIES = [
  ...[
    AUDIT,
    'codec-count',
    'connector',
    'delivery',
    'firmware',
    'firmware-content',
    'firmware-image',
    'idempotency',
    'key',
    'key-use',
  ],
  ...['member-turn', OWNERS, 'secret', 'variable'],
];

/** The change that marks a space as deleted and deletes its records. The store rejects it if the space has devices. */
export function deletionOf(spaceId: Id): Change {
  return { kind: 'space.delete', id: spaceId, families: [...FAMILIES, familyOf(spaceId)] };
}
