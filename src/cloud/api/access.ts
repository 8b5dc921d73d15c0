/**
 * What may a caller do? Three things narrow it: the role (`user` and read-only keys only read), the tags of a key (it sees
 * the devices that have one of them, their messages, and these tags), and those tags themselves (one with access type `read`
 * lets nothing be changed or sent). What a caller does not see is answered like what does not exist.
 */
import type { FastifyRequest } from 'fastify';
import type { Role } from '../accounts/member-records.js';
import { ApiFault, notFound } from '../http/errors.js';
import type { DeviceRow, Id, ListedMessage, Store } from '../store/store.js';

export interface Access {
  /** The account behind a login; null for a key. */
  readonly userId: Id | null;
  /** The key; null for a login. */
  readonly keyId: Id | null;
  /** The only space that can be opened; null: all of the account's. */
  readonly boundTo: Id | null;
  /** In the space that the request is about. */
  readonly role: Role;
  /** Tags that the key is limited to; null: sees the whole space. */
  readonly scope: readonly Id[] | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The space that the request is about; empty when it is about none. */
    spaceId: Id;
    access: Access;
  }
}

/** What is read of a request. */
export type Asked = Pick<FastifyRequest, 'spaceId' | 'access'>;

/** The device, when the caller sees it. @throws ApiFault 404 */
export async function visibleDevice(store: Store, { spaceId, access }: Asked, id: Id): Promise<DeviceRow> {
  const row = await store.device(spaceId, id);
  if (!row || !shares(access.scope, row.tagIds)) throw notFound('device');
  return row;
}

/** The message, when the caller sees its device. @throws ApiFault 404 */
export async function visibleMessage(store: Store, { spaceId, access }: Asked, id: Id): Promise<ListedMessage> {
  const row = await store.message(spaceId, id);
  const device = row && access.scope !== null ? await store.device(spaceId, row.deviceId) : undefined;
  if (!row || !shares(access.scope, device?.tagIds ?? [])) throw notFound('message');
  return row;
}

/**
 * Lets a limited key change a device, or send to it, only when one of the tags that they share has access type `write`.
 * @param tagIds of the device
 * @throws ApiFault 403
 */
export async function needWritableTag(store: Store, { spaceId, access }: Asked, tagIds: readonly Id[]): Promise<void> {
  if (access.scope === null) return;
  for (const id of tagIds) {
    if (access.scope.includes(id) && (await store.tag(spaceId, id))?.accessType === 'write') return;
  }
  throw new ApiFault(403, 'this key needs a tag with access type "write" in common with the device');
}

/** @throws ApiFault 403 for a key that is limited to tags */
export function needWholeSpace({ access }: Asked): void {
  if (access.scope !== null) throw new ApiFault(403, 'this key is limited to the devices of its tags');
}

/** Whole families are hidden from keys that are limited to tags. @throws ApiFault 404 */
export async function hideFromLimited({ access }: Asked): Promise<void> {
  if (access.scope !== null) throw new ApiFault(404, 'not found');
}

function shares(scope: readonly Id[] | null, tagIds: readonly Id[]): boolean {
  return scope === null || tagIds.some((id) => scope.includes(id));
}
