/** The API's view of a device. It contains neither the claim token nor the secret. */

import type { Static } from 'typebox';
import type { Device } from '../../contract/devices.js';
import { findHealth } from '../../contract/health.js';
import type { Tag } from '../../contract/tags.js';
import { isoTimeOrNull } from '../../contract/time.js';
import { isoTime } from '../../kernel/calendar.js';
import type { Clock } from '../../kernel/clock.js';
import type { UnixMillis } from '../../kernel/time.js';
import { serialText } from '../store/order.js';
import type { Id, ListedDevice, Store } from '../store/store.js';
import type { Caller } from './access.js';
import { maskedViews } from './masking.js';
import { type TagViews, tagViews } from './tags.js';

/**
 * Returns a function that makes the views of devices of one space. Each contains only the tags that the caller sees. The devices
 * must have their claim tokens if the caller may not change all devices.
 */
export function deviceViews({ store, clock }: { readonly store: Store; readonly clock: Clock }, caller: Caller) {
  const tagsOf = visibleTags(store, caller);
  return async (rows: readonly ListedDevice[]): Promise<Static<typeof Device>[]> => {
    const tags = await tagsOf(rows);
    return maskedViews(store, caller, rows, (row) => viewOf(row, tags, clock.wall));
  };
}

/** Returns a function that reads the tags of devices that the caller sees, by id; each tag once for all of its calls. */
export function visibleTags(store: Store, { spaceId, access }: Caller) {
  const { scope } = access;
  const known: TagViews = new Map();
  return (rows: readonly ListedDevice[]): Promise<Readonly<TagViews>> => {
    const ids = new Set<Id>();
    for (const { tagIds } of rows) for (const id of tagIds) if (scope === null || scope.includes(id)) ids.add(id);
    return tagViews(store, spaceId, ids, known);
  };
}

/** The fields that show whether a device keeps its rhythm. */
export function healthView(row: ListedDevice, now: UnixMillis) {
  return {
    last_contact: isoTimeOrNull(row.lastContact),
    contact_every: row.contactEvery === null ? null : row.contactEvery / 1000,
    health: findHealth(row, now),
  };
}

function viewOf(row: ListedDevice, tags: ReadonlyMap<Id, Static<typeof Tag>>, now: UnixMillis): Static<typeof Device> {
  return {
    id: row.id,
    space_id: row.spaceId,
    name: row.name,
    comment: row.comment,
    serial_number: serialText(row.serial),
    external_id: row.externalId,
    label: row.label,
    tags: row.tagIds.flatMap((id) => tags.get(id) ?? []),
    version: row.version,
    created_at: isoTime(row.createdAt),
    last_seen: isoTimeOrNull(row.lastSeen),
    session_id: row.sessionId,
    ...healthView(row, now),
    config_hash: row.configHash,
    decoder_hash: row.decoderHash,
    encoder_hash: row.encoderHash,
    session: row.session,
    dashboard_type: null,
  };
}
