/** Lists and counts of devices, with filters (cloud API, "Devices"; cloud API gaps, 3.3). */
import type { FastifyReply } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiFault } from '../http/errors.js';
import { operation, PageOf } from '../http/operation.js';
import { PageQuery, SpaceParams, Text, Uuid } from '../http/schemas.js';
import { DEVICE_SORTS, type DeviceFilter, type DeviceQuery, type ListedDevice, type Store } from '../store/store.js';
import { type Access, type Caller, mayChangeAll, visibleDevice, visibleTag } from './access.js';
import { Device, deviceViews } from './device-view.js';
import type { Family } from './family.js';
import { MOST_COUNTED, setTotal } from './totals.js';

export const FilterQuery = {
  name: Type.Optional(Text),
  serial_number: Type.Optional(Text),
  external_id: Type.Optional(Text),
  tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 100, description: 'a list of at most 100 ids of tags' })),
  tag_filter_logic: Type.Optional(Type.Enum(['any', 'all'], { default: 'any', description: '"any" or "all"' })),
};
/** Sort direction of a list. */
export const ORDER = Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc', description: '"asc" or "desc"' }));
const CountQuery = Type.Object(FilterQuery);
const ListQuery = Type.Object({
  ...PageQuery,
  ...FilterQuery,
  sort_by: Type.Optional(
    Type.Enum([...DEVICE_SORTS], { default: 'id', description: `one of ${DEVICE_SORTS.join(', ')}` }),
  ),
  order_by: ORDER,
});

export const deviceLists: Family = (routes, { store }) => {
  const collection = '/spaces/:space_id/devices';

  routes.get(
    collection,
    operation({
      tag: 'Devices',
      id: 'listDevices',
      summary: 'List devices',
      description: '`tag_ids` may be repeated, also as `tag_ids[]`.',
      params: SpaceParams,
      querystring: ListQuery,
      response: { 200: PageOf(Device) },
    }),
    async (request, reply) => {
      const { query, access } = request;
      const { limit = 100, offset: after, sort_by: sortBy = 'id', order_by: order = 'asc' } = query;
      // The answer for a cursor must not reveal to a key with tags whether a device without these tags exists.
      if (access.scope !== null && after !== undefined && sortBy !== 'id') await visibleDevice(store, request, after);
      const rows = await devicesOf(store, request, reply, filterOf(query, access), { limit, after, sortBy, order });
      return deviceViews(store, request, rows);
    },
  );

  routes.get(
    `${collection}/count`,
    operation({
      tag: 'Devices',
      id: 'countDevices',
      summary: 'Count devices',
      description: 'Counts the devices that a list with the same filters would contain.',
      params: SpaceParams,
      querystring: CountQuery,
      response: { 200: Type.Object({ count: Type.Integer({ minimum: 0 }) }, { title: 'Count' }) },
    }),
    async ({ spaceId, query, access }) => ({ count: await store.countDevices(spaceId, filterOf(query, access)) }),
  );
};

/**
 * Reads a page of devices for views, and sets the header with the number of devices. The first page counts all devices.
 * Counting reads an index entry for each device, so later pages count at most {@link MOST_COUNTED} devices.
 */
export async function devicesOf(
  store: Store,
  caller: Caller,
  reply: FastifyReply,
  filter: DeviceFilter,
  page: Pick<DeviceQuery, 'limit' | 'after' | 'sortBy' | 'order'>,
): Promise<readonly ListedDevice[]> {
  const { spaceId } = caller;
  const { limit, after } = page;
  const rows = await store.devices(spaceId, { ...filter, ...page, withTokens: !mayChangeAll(caller) });
  if (rows === 'unknown-cursor') throw new ApiFault(400, `querystring/offset "${after}" is not a device of this space`);
  if (after !== undefined) setTotal(reply, await store.countDevices(spaceId, filter, MOST_COUNTED), MOST_COUNTED);
  else reply.header('x-total', rows.length < limit ? rows.length : await store.countDevices(spaceId, filter));
  return rows;
}

export function filterOf(query: Static<typeof CountQuery>, access: Access): DeviceFilter {
  return {
    scope: access.scope ?? undefined,
    name: query.name,
    serial: query.serial_number,
    externalId: query.external_id,
    tagIds: query.tag_ids?.map((id) => visibleTag(access, id)),
    tagLogic: query.tag_filter_logic,
  };
}
