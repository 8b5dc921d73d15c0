/** The device list for tables of whole fleets: a third of the bytes, so 100,000 devices take seconds. */

import type { Static } from 'typebox';
import { DeviceSummary, DeviceSummaryQuery } from '../../contract/devices.js';
import { isoTimeOrNull } from '../../contract/time.js';
import { SpaceParams } from '../../contract/values.js';
import type { UnixMillis } from '../../kernel/time.js';
import { operation, PageOf } from '../http/operation.js';
import { serialText } from '../store/order.js';
import type { Id, ListedDevice } from '../store/store.js';
import { devicePage, filterOf } from './device-list.js';
import { healthView, visibleTags } from './device-view.js';
import type { Family } from './family.js';
import { maskedViews } from './masking.js';
import { sendListing } from './pages.js';
import { Share } from './share.js';

export const deviceSummaries: Family = (routes, context) => {
  const { store, clock } = context;
  routes.get(
    '/spaces/:space_id/devices/summaries',
    operation({
      tag: 'Devices',
      id: 'listDeviceSummaries',
      summary: 'List summaries of devices',
      description: 'For tables of whole fleets: a few fields of each device, in order of id.',
      params: SpaceParams,
      querystring: DeviceSummaryQuery,
      response: { 200: PageOf(DeviceSummary) },
    }),
    async (request, reply) => {
      const { limit = 100, offset, order_by: order = 'asc', ...filter } = request.query;
      const query = {
        ...filterOf(filter, request.access, clock),
        limit,
        sortBy: 'id' as const,
        order,
        after: offset === undefined ? undefined : { id: offset, value: offset },
      };
      const tagsOf = visibleTags(store, request);
      const { listing, count } = devicePage(context, request, query, async (some) => {
        const tags = await tagsOf(some);
        return maskedViews(store, request, some, (row) => summaryOf(row, tags, clock.wall));
      });
      return sendListing(new Share(context, request, reply), reply, listing, (begun) => count(reply, begun));
    },
  );
};

function summaryOf(
  row: ListedDevice,
  tags: ReadonlyMap<Id, { readonly name: string }>,
  now: UnixMillis,
): Static<typeof DeviceSummary> {
  return {
    id: row.id,
    name: row.name,
    serial_number: serialText(row.serial),
    label: row.label,
    tag_names: namesIn(row.tagIds, tags),
    last_seen: isoTimeOrNull(row.lastSeen),
    session_id: row.sessionId,
    ...healthView(row, now),
    fw_bundle: factOf(row, 'fw_bundle'),
    fw_name: factOf(row, 'fw_name') ?? factOf(row, 'product_name'),
    fw_version: factOf(row, 'fw_version'),
  };
}

/** A loop, because `flatMap` takes a tenth of the time of the whole summary. */
function namesIn(ids: readonly Id[], tags: ReadonlyMap<Id, { readonly name: string }>): string[] {
  const names: string[] = [];
  for (const id of ids) {
    const tag = tags.get(id);
    if (tag) names.push(tag.name);
  }
  return names;
}

function factOf({ session }: ListedDevice, name: string): string | null {
  const fact = session?.[name];
  return fact === undefined ? null : String(fact);
}
