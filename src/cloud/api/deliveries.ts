/**
 * Previews of the request that a connector would send, and deliveries of a connector with their attempts (cloud C-32 to C-35).
 */

import type { Static } from 'typebox';
import {
  ConnectorParams,
  ConnectorPreview,
  Delivery,
  DeliveryParams,
  DeliveryQuery,
  PreviewRequest,
} from '../../contract/connectors.js';
import { isoTimeOrNull } from '../../contract/time.js';
import { isoTime } from '../../kernel/calendar.js';
import type { Computed } from '../connectors/attempt.js';
import type { Connector } from '../connectors/connector.js';
import {
  type AttemptLog,
  type Delivery as DeliveryRecord,
  deliveriesOf,
  dropped,
  findDelivery,
} from '../connectors/delivery.js';
import { notFound, unknownId } from '../http/errors.js';
import { operation, PageOf } from '../http/operation.js';
import type { Page, Store } from '../store/store.js';
import type { Access, Caller } from './access.js';
import { atMostEach } from './at-most.js';
import { knownConnector } from './connectors.js';
import type { Family } from './family.js';
import { MASK, maskingsFor } from './masking.js';
import { sendPage } from './pages.js';

/** Most previews of a space that run or wait; others get 503. A script may take seconds, and they run one by one. */
const PREVIEWS_AT_ONCE = 8;

export const deliveries: Family = (routes, context) => {
  const { store, connectors } = context;
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
      params: ConnectorParams,
      body: PreviewRequest,
      response: { 200: ConnectorPreview },
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
      params: ConnectorParams,
      querystring: DeliveryQuery,
      response: { 200: PageOf(Delivery) },
    }),
    async (request, reply) => {
      const connector = await knownConnector(store, request.spaceId, request.params.id);
      return sendPage(context, request, reply, {
        read: (page) => listed(connector, request, page),
        views: (some) => withoutSecrets(store, request, some),
      });
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
      response: { 200: Delivery },
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
    const found: Static<typeof Delivery>[] = [];
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
async function withoutSecrets(store: Store, caller: Caller, views: readonly Static<typeof Delivery>[]) {
  const maskings = await maskingsFor(
    store,
    caller,
    views.map((view) => view.device_id),
  );
  return views.map((view) => ({ ...view, log: maskings.get(view.device_id)?.value(view.log) ?? view.log }));
}

function preview(computed: Computed): Static<typeof ConnectorPreview> {
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
export function deliveryView(
  delivery: DeliveryRecord,
  connector: Connector,
  { role }: Access,
): Static<typeof Delivery> {
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
function withoutContent(entry: AttemptLog, { state }: DeliveryRecord): AttemptLog {
  const isOfScript = state === 'failed' && entry.target === null && entry.error !== null;
  return { ...entry, error: isOfScript ? MASK : entry.error, response: entry.response === null ? null : MASK };
}
