/** Messages, as they are read (device cloud API, "Messages"; cloud API gaps, 3.5). */
import Type from 'typebox';
import { days } from '../../kernel/time.js';
import { serialText } from '../store/order.js';
import type { ListedMessage } from '../store/store.js';
import { notFound } from './errors.js';
import type { ApiOptions, Family } from './family.js';
import { ItemParams, Limit, SpaceParams, Timestamp, Uuid } from './schemas.js';
import { isoTime, isoTimeOrNull, parseTimestamp } from './time.js';

/** How far back a list reaches when it is not told. */
const WINDOW = days(1);

const ListQuery = Type.Object({
  device_id: Type.Optional(Uuid),
  tag_id: Type.Optional(Uuid),
  type: Type.Optional(Type.Array(Type.String(), { maxItems: 32, description: 'a list of at most 32 types' })),
  direction: Type.Optional(Type.Enum(['up', 'down'], { description: '"up" or "down"' })),
  after: Type.Optional(Timestamp),
  before: Type.Optional(Timestamp),
  limit: Type.Optional(Limit(100, 20)),
  offset: Type.Optional(Uuid),
});

export const messages: Family = (routes, { store, clock }, options) => {
  const item = '/spaces/:space_id/messages/:id';

  routes.get(
    '/spaces/:space_id/messages',
    { schema: { params: SpaceParams, querystring: ListQuery } },
    async ({ spaceId, query }) => {
      const rows = await store.messages(spaceId, {
        deviceId: query.device_id,
        tagId: query.tag_id,
        types: query.type?.flatMap((type) => (type === 'codec' ? ['encoder', 'decoder'] : [type])),
        direction: query.direction,
        createdAfter: query.after === undefined ? clock.wall - WINDOW : parseTimestamp(query.after),
        createdBefore: query.before === undefined ? undefined : parseTimestamp(query.before),
        limit: query.limit ?? 20,
        after: query.offset,
      });
      return rows.map((row) => messageView(row, options));
    },
  );

  routes.get(item, { schema: { params: ItemParams } }, async ({ spaceId, params }) => {
    const row = await store.message(spaceId, params.id);
    if (!row) throw notFound('message');
    return messageView(row, options);
  });

  routes.get(`${item}/timeline`, { schema: { params: ItemParams } }, async ({ spaceId, params }) => {
    const row = await store.message(spaceId, params.id);
    if (!row) throw notFound('message');
    const stations = await store.timeline(row.id);
    return stations.map(({ at, what, detail }) => ({ at: isoTime(at), what, detail }));
  });
};

/** A message as the API shows it. `down_attempt` is a number for uplinks too: a real client cannot read null there. */
export function messageView(row: ListedMessage, { messageBody }: ApiOptions) {
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
