/** Reading of messages (cloud C-27, C-25). */

import type { Static } from 'typebox';
import { Message, MessageParams, MessageQuery, TimelineEvent } from '../../contract/messages.js';
import { isoTimeOrNull, parseTimestamp } from '../../contract/time.js';
import { PageQuery, SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import { days, type UnixMillis } from '../../kernel/time.js';
import { operation, PageOf, type Routes } from '../http/operation.js';
import { serialText } from '../store/order.js';
import type { Id, ListedMessage, MessageQuery as StoreQuery } from '../store/store.js';
import { type Access, type Caller, visibleMessage, visibleTag } from './access.js';
import type { ApiContext, ApiOptions, Family } from './family.js';
import { maskingsFor } from './masking.js';
import { type Listing, sendListing, sendPage } from './pages.js';
import { Share } from './share.js';
import { setTotal } from './totals.js';

/** How far back a list without `after` reaches. */
const WINDOW = days(1);

export const messages: Family = (routes, context, options) => {
  const { store, downlinks } = context;
  const item = '/spaces/:space_id/messages/:id';
  const shown = showerOf(context, options);
  addList(routes, context, shown);

  routes.get(
    item,
    operation({
      tag: 'Messages',
      id: 'getMessage',
      summary: 'Read a message',
      description: 'A message from a device, or a downlink with its present state.',
      params: MessageParams,
      response: { 200: Message },
    }),
    async (request, reply) => {
      const share = new Share(context, request, reply);
      // A body may have 1 MB.
      await share.turn();
      const [only] = await shown(request, [await visibleMessage(store, request, request.params.id)], share);
      return only;
    },
  );

  routes.get(
    `${item}/timeline`,
    operation({
      tag: 'Messages',
      id: 'listTimeline',
      summary: 'Read the timeline of a downlink',
      description: 'Events in order of time. Of contacts and offers, only the first and the latest are kept.',
      params: MessageParams,
      querystring: PageQuery,
      response: { 200: PageOf(TimelineEvent) },
    }),
    async (request, reply) => {
      const row = await visibleMessage(store, request, request.params.id);
      await downlinks.endOverdue([row]);
      const masking = (await maskingsFor(store, request, [row.deviceId])).get(row.deviceId);
      return sendPage(context, request, reply, {
        read: (page) => store.timeline(row.id, page),
        views: (stations): Static<typeof TimelineEvent>[] =>
          stations.map(({ id, at, what, detail }) => ({
            id,
            at: isoTime(at),
            what,
            detail: masking?.value(detail) ?? detail,
          })),
      });
    },
  );
};

function addList(routes: Routes, context: ApiContext, shown: Shown): void {
  const { store, clock } = context;
  routes.get(
    '/spaces/:space_id/messages',
    operation({
      tag: 'Messages',
      id: 'listMessages',
      summary: 'List messages, newest first',
      description:
        'Without `after`, only messages of the last 24 hours are listed. `type` may be repeated, also as `type[]`. The type ' +
        '`data` stands for data from the device: data downlinks are listed only if `direction` or no `type` is given.',
      params: SpaceParams,
      querystring: MessageQuery,
      response: { 200: PageOf(Message) },
    }),
    async (request, reply) => {
      const { spaceId, query, access } = request;
      const { limit = 20, offset: after } = query;
      const share = new Share(context, request, reply);
      const filter = filterOf(query, access, clock.wall);
      const listing: Listing<ListedMessage, Id> = {
        ...{ limit, after, first: FIRST },
        read: (page) => store.messages(spaceId, { ...filter, ...page }),
        views: (rows) => shown(request, rows, share),
        placeOf: ({ id }) => id,
      };
      // Messages are not counted, because that could read a million rows to find a few. The header has the number of messages
      // that the page proves to exist; of a large page, those of its beginning.
      return sendListing(share, reply, listing, ({ count, isWhole }) =>
        setTotal(reply, count, isWhole && after === undefined ? limit : 0),
      );
    },
  );
}

/** The views of messages in their present state, with masked secrets. */
type Shown = (caller: Caller, rows: readonly ListedMessage[], share: Share) => Promise<Static<typeof Message>[]>;

function showerOf(context: ApiContext, options: ApiOptions): Shown {
  const { store, downlinks } = context;
  return shown;

  async function shown(caller: Caller, rows: readonly ListedMessage[], share: Share) {
    const maskings = await maskingsFor(
      store,
      caller,
      rows.map((row) => row.deviceId),
    );
    const views: Static<typeof Message>[] = [];
    for (const row of await upToDate(rows)) {
      const masking = maskings.get(row.deviceId);
      if (masking && rows.length > 1) await share.turn();
      views.push(messageView(masking?.message(row) ?? row, options));
    }
    return views;
  }

  /** The rows in their present state: reading a pending downlink that is overdue expires it. */
  async function upToDate(rows: readonly ListedMessage[]): Promise<readonly ListedMessage[]> {
    if (!(await downlinks.endOverdue(rows))) return rows;
    return Promise.all(
      rows.map(async (row) => (row.downState === 'pending' ? await store.message(row.spaceId, row.id) : row) ?? row),
    );
  }
}

/** Number of messages that are read first: a body may have 1 MB. */
const FIRST = 4;

function filterOf(query: Static<typeof MessageQuery>, access: Access, now: UnixMillis) {
  return {
    ...kindsOf(query),
    scope: access.scope ?? undefined,
    deviceId: query.device_id,
    tagId: query.tag_id && visibleTag(access, query.tag_id),
    createdAfter: query.after === undefined ? now - WINDOW : parseTimestamp(query.after),
    createdBefore: query.before === undefined ? undefined : parseTimestamp(query.before),
  };
}

type Kinds = Pick<Static<typeof MessageQuery>, 'type' | 'direction'>;

/** The types and directions that a query asks for. The type `codec` stands for `encoder` and `decoder`. */
export function kindsOf(query: Kinds): Pick<StoreQuery, 'types' | 'direction' | 'onlyUp'> {
  const types = query.type?.flatMap((type) => (type === 'codec' ? ['encoder', 'decoder'] : [type]));
  return { types, ...directionOf(query) };
}

/**
 * Clients read the latest value of a device with the type `data` and no direction (cloud C-27). A data downlink is not such a
 * value, so without a direction, `data` means uplinks only.
 */
function directionOf({ direction, type }: Kinds): Pick<StoreQuery, 'direction' | 'onlyUp'> {
  if (direction !== undefined || !type?.includes('data')) return { direction };
  // With `data` alone, the filter is by direction, for which there is an index.
  return type.every((each) => each === 'data') ? { direction: 'up' } : { onlyUp: ['data'] };
}

/** The API's view of a message. `down_attempt` is 0 for uplinks, because a real client cannot parse null there. */
export function messageView(row: ListedMessage, { messageBody }: ApiOptions): Static<typeof Message> {
  return {
    id: row.id,
    created_at: isoTime(row.createdAt),
    type: row.type,
    direction: row.direction,
    body: messageBody === 'string' && row.body !== null ? JSON.stringify(row.body) : row.body,
    device_id: row.deviceId,
    device_name: row.deviceName,
    device_serial_number: serialText(row.deviceSerial),
    codec_hash: row.codecHash,
    raw: row.raw,
    down_state: row.downState,
    down_state_at: isoTimeOrNull(row.downStateAt),
    down_scheduled_at: isoTimeOrNull(row.downScheduledAt),
    down_attempt: row.downAttempt,
  };
}
