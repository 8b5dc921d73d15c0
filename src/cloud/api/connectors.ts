/** Routes of connectors (cloud C-32). The code that forwards messages is in src/cloud/connectors. */

import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import {
  Connector,
  ConnectorParams,
  ConnectorUpdate,
  NamedConnectorUpdate,
  NewConnector,
} from '../../contract/connectors.js';
import { MOST_CONNECTORS } from '../../contract/limits.js';
import { PageQuery, SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import {
  type Connector as ConnectorRecord,
  changeConnector,
  deleteConnector,
  findConnector,
  findConnectorByName,
  putConnector,
  RETRY_DELAYS,
  toConnector,
} from '../connectors/connector.js';
import { ApiFault, notFound } from '../http/errors.js';
import { NoContent, operation, PageOf, type Routes } from '../http/operation.js';
import { type Change, ConflictError, type Id, type Store } from '../store/store.js';
import type { Access } from './access.js';
import { atMostEach } from './at-most.js';
import { changedMeanwhile, conditionErrors, conditionHeaders, versionIn } from './condition.js';
import type { ApiContext, ApiOptions, Family } from './family.js';
import { IDEMPOTENCY_ERRORS, IdempotencyHeaders } from './idempotency.js';
import { MASK } from './masking.js';
import { namesOf } from './names.js';
import { sendPage } from './pages.js';
import { Quota } from './quotas.js';
import { knownTags, tagViews } from './tags.js';

const NAME_TAKEN = { 409: 'The space already has a connector with this name.' };

export const connectors: Family = (routes, context, options) => {
  const resource = connectorResource(context, options);
  addCollection(routes, context, resource);
  addItem(routes, context, resource);
};

const COLLECTION = '/spaces/:space_id/connectors';
const ITEM = '/spaces/:space_id/connectors/:id';

const NEW = {
  name: '',
  direction: 'up',
  state: 'enabled',
  triggers: ['data'],
  tagIds: [],
  transformation: '',
  retryDelays: RETRY_DELAYS,
  timeout: 0,
} as const;

/** Adds the routes that list and create connectors, and the route that changes a connector by its name. */
function addCollection(routes: Routes, context: ApiContext, resource: ConnectorResource): void {
  const { store, clock, ids } = context;
  const quota = new Quota(
    context,
    (spaceId) => ['connector', spaceId],
    MOST_CONNECTORS,
    `the space already has ${MOST_CONNECTORS} connectors, which is the maximum`,
  );

  routes.get(
    COLLECTION,
    operation({
      tag: 'Connectors',
      id: 'listConnectors',
      summary: 'List connectors',
      description: 'All connectors of the space with their scripts.',
      params: SpaceParams,
      querystring: PageQuery,
      response: { 200: PageOf(Connector) },
    }),
    (request, reply) =>
      sendPage(context, request, reply, {
        read: (page) => store.records('connector', request.spaceId, page),
        views: (rows) => Promise.all(rows.map((row) => resource.shown(request.access, toConnector(row)))),
      }),
  );

  routes.post(
    COLLECTION,
    operation({
      tag: 'Connectors',
      id: 'createConnector',
      summary: 'Create a connector',
      description:
        'A connector forwards the messages of devices with which it shares a tag. Its script returns the HTTP request to send.',
      params: SpaceParams,
      headers: IdempotencyHeaders,
      body: NewConnector,
      response: { 201: Connector },
      errors: {
        ...IDEMPOTENCY_ERRORS,
        409: `The space already has a connector with this name, or ${MOST_CONNECTORS} connectors (\`quota\`).`,
      },
    }),
    async (request, reply) => {
      const { spaceId, body } = request;
      const fresh = { ...NEW, id: ids.uuid(), spaceId, createdAt: Math.floor(clock.wall) };
      await resource.check(spaceId, body);
      const answer = await quota.within(reply, spaceId, async () => {
        const connector = await resource.changed(fresh, body);
        const view = await resource.view(connector);
        await resource.commit(connector, [...request.receipt(view), putConnector(connector)]);
        return view;
      });
      return reply.code(201).send(answer);
    },
  );

  routes.put(
    COLLECTION,
    operation({
      tag: 'Connectors',
      id: 'updateConnectorByName',
      summary: 'Change the connector with this name',
      description: 'For clients that identify a connector by its name instead of its id.',
      params: SpaceParams,
      body: NamedConnectorUpdate,
      response: { 200: Connector },
    }),
    ({ spaceId, body }, reply) =>
      resource.update(reply, spaceId, body, async () => {
        const connector = await findConnectorByName(store, spaceId, body.name.trim());
        if (!connector) throw notFound('connector');
        return connector;
      }),
  );
}

function addItem(routes: Routes, { store }: ApiContext, resource: ConnectorResource): void {
  routes.get(
    ITEM,
    operation({
      tag: 'Connectors',
      id: 'getConnector',
      summary: 'Read a connector',
      description: 'With its script and its tags.',
      params: ConnectorParams,
      response: { 200: Connector },
    }),
    async ({ spaceId, params, access }) => resource.shown(access, await knownConnector(store, spaceId, params.id)),
  );

  routes.put(
    ITEM,
    operation({
      tag: 'Connectors',
      id: 'updateConnector',
      summary: 'Change a connector',
      description: 'Disabling a connector drops its pending deliveries.',
      params: ConnectorParams,
      headers: conditionHeaders('connector'),
      body: ConnectorUpdate,
      response: { 200: Connector },
      errors: { ...NAME_TAKEN, ...conditionErrors('connector') },
    }),
    ({ spaceId, params, body, headers }, reply) => {
      const find = () => knownConnector(store, spaceId, params.id);
      return resource.update(reply, spaceId, body, find, versionIn(headers['if-match']));
    },
  );

  routes.delete(
    ITEM,
    operation({
      tag: 'Connectors',
      id: 'deleteConnector',
      summary: 'Delete a connector and its pending deliveries',
      description: 'Its earlier deliveries can no longer be read.',
      params: ConnectorParams,
      response: { 204: NoContent },
    }),
    async ({ spaceId, params }, reply) => {
      await store.commit([deleteConnector((await knownConnector(store, spaceId, params.id)).id)]);
      return reply.code(204).send();
    },
  );
}

type ConnectorResource = ReturnType<typeof connectorResource>;

/** Maximum number of scripts of a space that are being checked or wait for it; further ones are rejected with 503. */
const CHECKED_AT_ONCE = 150;

/** What several routes share: a connector's update, check, commit (409 if the name is taken), and views. */
function connectorResource({ store, connectors: forwarding, changes, log }: ApiContext, options: ApiOptions) {
  const names = namesOf('connector', log, options);

  const withTurn = atMostEach(CHECKED_AT_ONCE, 'too many concurrent changes of scripts');

  return { update, check, changed, commit, view, shown };

  /** @param was the version that the connector must have. Default: any */
  async function update(
    reply: FastifyReply,
    spaceId: Id,
    body: Static<typeof ConnectorUpdate>,
    find: () => Promise<ConnectorRecord>,
    was?: number,
  ) {
    const { id } = await find();
    await check(spaceId, body);
    return changes.run(reply, `connector/${id}`, async () => {
      const before = await find();
      const { version = 0 } = before;
      if (was !== undefined && was !== version) throw changedMeanwhile('connector');
      const connector = { ...(await changed(before, body)), version: version + 1 };
      const isBack = before.state === 'disabled' && connector.state === 'enabled';
      const after = isBack ? { ...connector, enablings: (before.enablings ?? 0) + 1 } : connector;
      await commit(after, [changeConnector(before, after)], before);
      return view(after);
    });
  }

  /** Checks the script of a body. @throws ApiFault 400 if it is not valid, or its `main` could never return a request */
  async function check(spaceId: Id, { transformation }: Static<typeof ConnectorUpdate>): Promise<void> {
    if (transformation === undefined) return;
    const why = await withTurn(spaceId, () => forwarding.check(spaceId, transformation));
    if (why !== undefined) throw new ApiFault(400, `body/transformation is not a valid script: ${why}`, 'script-error');
  }

  /** The connector with the changes of a body. @throws ApiFault 400 if the body names a tag that the space does not have */
  async function changed(before: ConnectorRecord, body: Static<typeof ConnectorUpdate>): Promise<ConnectorRecord> {
    return {
      ...before,
      name: body.name === undefined ? before.name : names.read(body.name),
      direction: body.direction ?? before.direction,
      state: body.state ?? before.state,
      triggers: [...new Set(body.triggers ?? before.triggers)],
      tagIds: body.tags ? await knownTags(store, before.spaceId, body.tags) : before.tagIds,
      transformation: body.transformation ?? before.transformation,
      retryDelays: body.retry_delays ?? before.retryDelays,
      timeout: body.timeout ?? before.timeout,
    };
  }

  /** @param before the connector before the change; undefined: it is new */
  async function commit(
    { name }: ConnectorRecord,
    written: readonly Change[],
    before?: ConnectorRecord,
  ): Promise<void> {
    try {
      await store.commit(written);
      if (name !== before?.name) names.note(name);
    } catch (error) {
      const isTaken = error instanceof ConflictError && error.field === 'record-key';
      throw isTaken ? new ApiFault(409, `a connector "${name}" already exists`, 'name-taken') : error;
    }
  }

  /** The view for a caller. Only an admin sees the script, because it may contain addresses and credentials of targets. */
  async function shown({ role }: Access, connector: ConnectorRecord): Promise<Static<typeof Connector>> {
    return view(role === 'admin' ? connector : { ...connector, transformation: MASK });
  }

  async function view(connector: ConnectorRecord): Promise<Static<typeof Connector>> {
    const tags = await tagViews(store, connector.spaceId, connector.tagIds);
    return {
      id: connector.id,
      space_id: connector.spaceId,
      name: connector.name,
      type: 'webhook',
      direction: connector.direction,
      state: connector.state,
      triggers: [...connector.triggers],
      tags: [...tags.values()],
      transformation: connector.transformation,
      retry_delays: [...connector.retryDelays],
      timeout: connector.timeout,
      created_at: isoTime(connector.createdAt),
      version: connector.version ?? 0,
    };
  }
}

/** Finds a connector. @throws ApiFault 404 if the space has no such connector */
export async function knownConnector(store: Store, spaceId: Id, id: Id): Promise<ConnectorRecord> {
  const connector = await findConnector(store, spaceId, id);
  if (!connector) throw notFound('connector');
  return connector;
}
