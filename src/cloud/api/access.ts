/**
 * Permissions of a caller. Three things limit them:
 *
 * - the role: users with the role `user`, and read-only keys, may only read;
 * - the tags of a key: a key with tags sees only the devices with one of its tags, the messages of these devices, and its own
 *   tags; it neither sees nor changes other tags of these devices;
 * - the access type of these tags: a tag with access type `read` permits neither changes nor downlinks.
 *
 * Secrets of a device in stored messages are masked for a caller who may not change the device (masking.ts).
 *
 * A request for a resource that the caller may not see gets the same answer as for a missing one: 404, or 400 if its id is in
 * the body.
 */
import type { FastifyRequest } from 'fastify';
import type { Role } from '../../contract/users.js';
import { ApiFault, notFound, unknownId } from '../http/errors.js';
import type { DeviceRow, Id, ListedMessage, Store } from '../store/store.js';

export interface Access {
  /** The account behind a login; null for a key. */
  readonly userId: Id | null;
  /** The key; null for a login. */
  readonly keyId: Id | null;
  /** The only space that the credential opens; null: all spaces of the account. */
  readonly boundTo: Id | null;
  /** Role in the space of the request. */
  readonly role: Role;
  /** Tags to which a key is limited; null: the caller sees the whole space. */
  readonly scope: readonly Id[] | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Id of the space in the path of the request; empty if the path has none. */
    spaceId: Id;
    access: Access;
  }
}

export type Caller = Pick<FastifyRequest, 'spaceId' | 'access'>;

/** Id of the account or key whose request it is. */
export function credentialOf({ userId, keyId }: Access): Id {
  return userId ?? keyId ?? '';
}

/** Returns the device if the caller may see it. @throws ApiFault 404 otherwise */
export async function visibleDevice(store: Store, { spaceId, access }: Caller, id: Id): Promise<DeviceRow> {
  const row = await store.device(spaceId, id);
  if (!row || !shares(access.scope, row.tagIds)) throw notFound('device');
  return row;
}

/** Returns the device whose id is in a body, if the caller may see it. @throws ApiFault 400 otherwise */
export async function deviceInBody(store: Store, { spaceId, access }: Caller, id: Id): Promise<DeviceRow> {
  const row = await store.device(spaceId, id.toLowerCase());
  if (!row || !shares(access.scope, row.tagIds)) throw unknownId('body/device_id', id, 'a device');
  return row;
}

/** Returns the message if the caller may see its device. @throws ApiFault 404 otherwise */
export async function visibleMessage(store: Store, { spaceId, access }: Caller, id: Id): Promise<ListedMessage> {
  const row = await store.message(spaceId, id);
  const device = row && access.scope !== null ? await store.device(spaceId, row.deviceId) : undefined;
  if (!row || !shares(access.scope, device?.tagIds ?? [])) throw notFound('message');
  return row;
}

/**
 * Checks that the caller may change a device or send to it. A key that is limited to tags must share a tag with access type
 * `write` with the device.
 * @param tagIds tags of the device
 * @throws ApiFault 403
 */
export async function needWritableTag(store: Store, caller: Caller, tagIds: readonly Id[]): Promise<void> {
  if (await mayChange(store, caller, tagIds)) return;
  throw new ApiFault(403, 'this key needs a tag with access type "write" in common with the device');
}

/** Whether the caller may change all devices of the space. */
export function mayChangeAll({ access }: Caller): boolean {
  return access.role === 'admin' && access.scope === null;
}

/** Whether the caller may change a device with these tags, and see its secrets in stored messages. */
export async function mayChange(store: Store, { spaceId, access }: Caller, tagIds: readonly Id[]): Promise<boolean> {
  if (access.role !== 'admin') return false;
  if (access.scope === null) return true;
  for (const id of tagIds) {
    if (access.scope.includes(id) && (await store.tag(spaceId, id))?.accessType === 'write') return true;
  }
  return false;
}

/** No tag has this id. */
const NO_TAG = '00000000-0000-0000-0000-000000000000';

/** The id of a tag as a filter. If the caller may not see the tag, returns an id that matches nothing. */
export function visibleTag({ scope }: Access, id: Id): Id {
  return scope === null || scope.includes(id) ? id : NO_TAG;
}

/** @throws ApiFault 403 for a key that is limited to tags */
export function needWholeSpace({ access }: Caller): void {
  if (access.scope !== null) throw new ApiFault(403, 'this key is limited to the devices of its tags');
}

/** Hides a whole route family from keys that are limited to tags. @throws ApiFault 404 for such a key */
export async function hideFromLimited({ access }: Caller): Promise<void> {
  if (access.scope !== null) throw new ApiFault(404, 'not found');
}

function shares(scope: readonly Id[] | null, tagIds: readonly Id[]): boolean {
  return scope === null || tagIds.some((id) => scope.includes(id));
}
