/** Lists and counts of devices, with filters (cloud C-22). */

import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { Count, Device, DeviceFilter, DeviceQuery } from '../../contract/devices.js';
import { SpaceParams } from '../../contract/values.js';
import type { Clock } from '../../kernel/clock.js';
import { operation, PageOf } from '../http/operation.js';
import { placeOf } from '../store/order.js';
import type { DeviceFilter as Filter, ListedDevice, Place, DeviceQuery as StoreQuery } from '../store/store.js';
import { type Access, type Caller, mayChangeAll, visibleTag } from './access.js';
import { DeviceCursors, NEXT_OFFSET } from './device-cursors.js';
import { deviceViews } from './device-view.js';
import type { ApiContext, Family } from './family.js';
import { type Begun, type Listing, lastOf, sendListing } from './pages.js';
import { Share } from './share.js';
import { MOST_COUNTED, setTotal } from './totals.js';

export const deviceLists: Family = (routes, context) => {
  const { store, clock } = context;
  const cursors = new DeviceCursors(store);
  const collection = '/spaces/:space_id/devices';

  routes.get(
    collection,
    operation({
      tag: 'Devices',
      id: 'listDevices',
      summary: 'List devices',
      description: '`tag_ids` may be repeated, also as `tag_ids[]`.',
      params: SpaceParams,
      querystring: DeviceQuery,
      response: { 200: PageOf(Device, NEXT_OFFSET) },
    }),
    async (request, reply) => {
      const { query, access } = request;
      const { limit = 100, offset, sort_by: sortBy = 'id', order_by: order = 'asc' } = query;
      const list = { ...filterOf(query, access, clock), sortBy, order };
      const from = offset === undefined ? undefined : await cursors.positionOf(request, list, offset);
      const share = new Share(context, request, reply);
      const page = devicePage(context, request, { ...list, ...from, limit }, deviceViews(context, request));
      return sendListing(share, reply, page.listing, async (begun) => {
        await page.count(reply, begun);
        const next = await cursors.nextOf(request, list, await lastOf(share, page.listing, begun), from);
        if (next !== undefined) reply.header('x-next-offset', next);
      });
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
      querystring: DeviceFilter,
      response: { 200: Count },
    }),
    async ({ spaceId, query, access }) => ({
      count: await store.countDevices(spaceId, filterOf(query, access, clock)),
    }),
  );
};

/** A page of devices, and their number for a header. The first page counts all, later ones up to {@link MOST_COUNTED}. */
export function devicePage(
  context: ApiContext,
  caller: Caller,
  query: StoreQuery,
  views: Listing<ListedDevice, Place>['views'],
) {
  const { store } = context;
  const { spaceId } = caller;
  const { limit, after, upTo: _, sortBy, order: __, ...filter } = query;
  const withTokens = !mayChangeAll(caller);
  const listing: Listing<ListedDevice, Place> = {
    ...{ limit, after, views },
    read: (page) => store.devices(spaceId, { ...query, ...page, withTokens }),
    placeOf: (row) => placeOf(row, sortBy),
  };
  const count = async (reply: FastifyReply, { count: known, isWhole }: Begun<Place>) => {
    if (after !== undefined) setTotal(reply, await store.countDevices(spaceId, filter, MOST_COUNTED), MOST_COUNTED);
    else reply.header('x-total', isWhole && known < limit ? known : await store.countDevices(spaceId, filter));
  };
  return { listing, count };
}

export function filterOf(query: Static<typeof DeviceFilter>, access: Access, clock: Clock): Filter {
  return {
    scope: access.scope ?? undefined,
    // Like stored names, which have no blanks at their ends.
    name: query.name?.trim() || query.name,
    serial: query.serial_number,
    externalId: query.external_id,
    tagIds: query.tag_ids?.map((id) => visibleTag(access, id)),
    tagLogic: query.tag_filter_logic,
    health: query.health && { among: query.health, at: clock.wall },
  };
}
