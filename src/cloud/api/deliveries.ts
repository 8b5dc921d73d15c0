/**
 * Previews of the request that a connector would send, and deliveries of a connector with their attempts (cloud API gaps, 3.7
 * and section 6).
 */
import Type, { type Static } from 'typebox';
import { isoTime } from '../../kernel/calendar.js';
import type { Computed } from '../connectors/attempt.js';
import type { Connector } from '../connectors/connector.js';
import {
  type AttemptLog,
  DELIVERY_STATES,
  type Delivery,
  deliveriesOf,
  dropped,
  findDelivery,
} from '../connectors/delivery.js';
import { notFound, unknownId } from '../http/errors.js';
import { operation, PageOf } from '../http/operation.js';
import { ItemParams, Nullable, PageQuery, Time, Uuid } from '../http/schemas.js';
import { isoTimeOrNull } from '../http/time.js';
import type { Page, Store } from '../store/store.js';
import type { Access, Caller } from './access.js';
import { atMostEach } from './at-most.js';
import { knownConnector, Transformation } from './connectors.js';
import type { Family } from './family.js';
import { MASK, maskingsFor } from './masking.js';
import { pageOf } from './totals.js';

const PreviewRequest = Type.Object(
  { message_id: Uuid, transformation: Type.Optional(Transformation) },
  { description: 'a JSON object' },
);
const Preview = Type.Object(
  {
    outcome: Type.Enum(['request', 'cancelled', 'failed']),
    request: Nullable(
      Type.Object({
        method: Type.String(),
        url: Type.String(),
        header: Type.Record(Type.String(), Type.String()),
        body: Nullable(Type.String()),
      }),
    ),
    error: Nullable(Type.String({ description: 'why the script failed' })),
  },
  { title: 'ConnectorPreview' },
);

const DeliveryView = Type.Object(
  {
    id: Uuid,
    connector_id: Uuid,
    device_id: Uuid,
    message_id: Uuid,
    state: Type.Enum([...DELIVERY_STATES]),
    attempts: Type.Integer({ description: 'number of attempts made' }),
    next_attempt_at: Nullable(Time),
    created_at: Time,
    log: Type.Array(
      Type.Object({
        attempt: Nullable(Type.Integer({ description: 'counted from 0; null: cancelled without an attempt' })),
        at: Time,
        took: Type.Integer({ description: 'duration in milliseconds' }),
        target: Nullable(Type.String({ description: 'scheme and host only: a path may contain a token' })),
        status: Nullable(Type.Integer({ description: 'HTTP status of the response; null if there was none' })),
        error: Nullable(Type.String()),
        response: Nullable(Type.String({ description: 'first characters of the body of a response that is not 2xx' })),
      }),
    ),
  },
  { title: 'Delivery' },
);
const DeliveryQuery = Type.Object({
  ...PageQuery,
  state: Type.Optional(Type.Enum([...DELIVERY_STATES], { description: `one of ${DELIVERY_STATES.join(', ')}` })),
  device_id: Type.Optional(Uuid),
  message_id: Type.Optional(Uuid),
});
/**
 * Maximum number of previews of a space that run or wait at a time; further ones get 503. A script may take seconds, and the
 * previews of a space run one by one.
 */
const PREVIEWS_AT_ONCE = 8;
const DeliveryParams = Type.Object({ space_id: Uuid, id: Uuid, delivery_id: Uuid });

export const deliveries: Family = (routes, { store, connectors }) => {
  const item = '/spaces/:space_id/connectors/:id';
  const withTurn = atMostEach(PREVIEWS_AT_ONCE, 'too many concurrent previews');

  routes.post(
    `${item}/preview`,
    operation({
      tag: 'Connectors',
      id: 'previewConnector',
      summary: 'Preview the request for a message',
      description:
        'Runs the script, or the `transformation` in the body, on a stored message of any type and any tags. Nothing is sent.',
      params: ItemParams,
      body: PreviewRequest,
      response: { 200: Preview },
    }),
    async ({ spaceId, params, body }) => {
      const connector = await knownConnector(store, spaceId, params.id);
      const message = await store.message(spaceId, body.message_id.toLowerCase());
      if (!message) throw unknownId('body/message_id', body.message_id, 'a message');
      const { transformation = connector.transformation } = body;
      return preview(await withTurn(spaceId, () => connectors.preview({ ...connector, transformation }, message)));
    },
  );

  routes.get(
    `${item}/deliveries`,
    operation({
      tag: 'Connectors',
      id: 'listDeliveries',
      summary: 'List deliveries, newest first',
      description: 'Each delivery is a message that a connector forwards, with all its attempts.',
      params: ItemParams,
      querystring: DeliveryQuery,
      response: { 200: PageOf(DeliveryView) },
    }),
    async (request, reply) => {
      const { spaceId, params, query } = request;
      const connector = await knownConnector(store, spaceId, params.id);
      return withoutSecrets(store, request, await pageOf(reply, query, (page) => listed(connector, request, page)));
    },
  );

  routes.get(
    `${item}/deliveries/:delivery_id`,
    operation({
      tag: 'Connectors',
      id: 'getDelivery',
      summary: 'Read a delivery',
      description: 'With the time, duration and result of each attempt.',
      params: DeliveryParams,
      response: { 200: DeliveryView },
    }),
    async (request) => {
      const { spaceId, params } = request;
      const connector = await knownConnector(store, spaceId, params.id);
      const delivery = await findDelivery(store, connector, params.delivery_id);
      if (!delivery) throw notFound('delivery');
      const [only] = await withoutSecrets(store, request, [deliveryView(delivery, connector, request.access)]);
      return only;
    },
  );

  async function listed(
    connector: Connector,
    {
      query: { state, device_id: deviceId, message_id: messageId },
      access,
    }: Caller & { readonly query: Static<typeof DeliveryQuery> },
    { limit, after }: Page,
  ) {
    const found: Static<typeof DeliveryView>[] = [];
    for await (const delivery of deliveriesOf(store, connector, after)) {
      const shown = deliveryView(delivery, connector, access);
      if (state !== undefined && shown.state !== state) continue;
      if (deviceId !== undefined && shown.device_id !== deviceId) continue;
      if (messageId === undefined || shown.message_id === messageId) found.push(shown);
      if (found.length === limit) break;
    }
    return found;
  }
};

/** The response of a target may repeat the request, so the logs of attempts are masked like messages. */
async function withoutSecrets(store: Store, caller: Caller, views: readonly Static<typeof DeliveryView>[]) {
  const maskings = await maskingsFor(
    store,
    caller,
    views.map((view) => view.device_id),
  );
  return views.map((view) => ({ ...view, log: maskings.get(view.device_id)?.value(view.log) ?? view.log }));
}

function preview(computed: Computed): Static<typeof Preview> {
  switch (computed.kind) {
    case 'request':
      return { outcome: 'request', request: { ...computed.request }, error: null };
    case 'unwanted':
      return { outcome: 'cancelled', request: null, error: null };
    case 'failed':
      return { outcome: 'failed', request: null, error: computed.why };
    default:
      return computed satisfies never;
  }
}

/**
 * A pending delivery that its connector has dropped is shown as cancelled. The dispatcher stores that state later.
 *
 * The error of a script and the answer of a target may contain values that the script used, such as credentials of the target
 * and secure variables. Only callers who may change the script see them.
 */
export function deliveryView(delivery: Delivery, connector: Connector, { role }: Access): Static<typeof DeliveryView> {
  const isDropped = delivery.state === 'pending' && dropped(delivery, connector) !== undefined;
  const log = role === 'admin' ? delivery.log : delivery.log.map((entry) => withoutContent(entry, delivery));
  return {
    id: delivery.id,
    connector_id: delivery.connectorId,
    device_id: delivery.deviceId,
    message_id: delivery.messageId,
    state: isDropped ? 'cancelled' : delivery.state,
    attempts: delivery.log.filter(({ attempt }) => attempt !== null).length,
    next_attempt_at: isDropped ? null : isoTimeOrNull(delivery.dueAt),
    created_at: isoTime(delivery.createdAt),
    log: log.map(({ at, ...entry }) => ({ ...entry, at: isoTime(at) })),
  };
}

/** Masks the response, and the error of a script. In a failed delivery, an error without a target is an error of the script. */
function withoutContent(entry: AttemptLog, { state }: Delivery): AttemptLog {
  const isOfScript = state === 'failed' && entry.target === null && entry.error !== null;
  return { ...entry, error: isOfScript ? MASK : entry.error, response: entry.response === null ? null : MASK };
}
