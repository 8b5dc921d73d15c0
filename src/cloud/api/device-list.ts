/** Lists and counts of devices, with filters (device cloud API, "Devices"; cloud API gaps, 3.3). */
import Type, { type Static } from 'typebox';
import { ApiFault } from '../http/errors.js';
import { operation, PageOf } from '../http/operation.js';
import { PageQuery, SpaceParams, Text, Uuid } from '../http/schemas.js';
import { DEVICE_SORTS, type DeviceFilter } from '../store/store.js';
import { type Access, visibleDevice, visibleTag } from './access.js';
import { Device, deviceViews } from './device-view.js';
import type { Family } from './family.js';

const FilterQuery = {
  name: Type.Optional(Text),
  serial_number: Type.Optional(Text),
  external_id: Type.Optional(Text),
  tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 100, description: 'a list of at most 100 ids of tags' })),
  tag_filter_logic: Type.Optional(Type.Enum(['any', 'all'], { default: 'any', description: '"any" or "all"' })),
};
const CountQuery = Type.Object(FilterQuery);
const ListQuery = Type.Object({
  ...PageQuery,
  ...FilterQuery,
  sort_by: Type.Optional(
    Type.Enum([...DEVICE_SORTS], { default: 'id', description: `one of ${DEVICE_SORTS.join(', ')}` }),
  ),
  order_by: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc', description: '"asc" or "desc"' })),
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
      const { spaceId, query, access } = request;
      const { limit = 100, offset: after, sort_by: sortBy = 'id', order_by: order = 'asc' } = query;
      const filter = filterOf(query, access);
      // A limited key must not learn from the cursor whether a device exists.
      if (access.scope !== null && after !== undefined && sortBy !== 'id') await visibleDevice(store, request, after);
      const rows = await store.devices(spaceId, { ...filter, limit, after, sortBy, order });
      if (rows === 'unknown-cursor')
        throw new ApiFault(400, `querystring/offset "${after}" is not a device of this space`);
      const isAll = after === undefined && rows.length < limit;
      reply.header('x-total', isAll ? rows.length : await store.countDevices(spaceId, filter));
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

function filterOf(query: Static<typeof CountQuery>, access: Access): DeviceFilter {
  return {
    scope: access.scope ?? undefined,
    name: query.name,
    serial: query.serial_number,
    externalId: query.external_id,
    tagIds: query.tag_ids?.map((id) => visibleTag(access, id)),
    tagLogic: query.tag_filter_logic,
  };
}
