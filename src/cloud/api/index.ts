/**
 * The public REST API (cloud C-1, C-6, C-17).
 *
 * FAMILIES and the lists below it contain the resource families (family.ts). Handlers only translate between HTTP and the parts
 * of the cloud behind them: the store keeps the data, and src/cloud/delivery sends downlinks to devices.
 */

import cors from '@fastify/cors';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { AuditLog } from '../accounts/audit.js';
import { Logins } from '../accounts/logins.js';
import { Members } from '../accounts/members.js';
import { SignIn } from '../accounts/sign-in.js';
import { addressesIn, plainForwardedFor } from '../http/addresses.js';
import { collectMethods } from '../http/allowed-methods.js';
import { acceptJsonOnly } from '../http/body.js';
import { ApiFault, errorHandler, unknownRoute } from '../http/errors.js';
import { guardHosts } from '../http/host-guard.js';
import { malformedRequestHandler } from '../http/malformed-request.js';
import { documentApi } from '../http/openapi.js';
import type { Routes } from '../http/operation.js';
import { redirectPrefix, withoutPrefix } from '../http/public-url.js';
import { needReadableQueries, parseQuery } from '../http/query.js';
import { Unsent } from '../http/unsent.js';
import { type TypeBoxProvider, validatorCompiler } from '../http/validation.js';
import { LoopTurns } from '../store/loop-turns.js';
import { hideFromLimited } from './access.js';
import { canonicalUrl } from './aliases.js';
import { inTurn } from './at-most.js';
import { auditLog, recordActions } from './audit.js';
import { authenticate } from './auth.js';
import { refuseCondition } from './condition.js';
import { connectors } from './connectors.js';
import type { CloudContext } from './context.js';
import { deliveries } from './deliveries.js';
import { deviceLists } from './device-list.js';
import { deviceSummaries } from './device-summaries.js';
import { devices } from './devices.js';
import { downlinks } from './downlinks.js';
import { events } from './events.js';
import type { ApiContext, ApiOptions, Family } from './family.js';
import { firmware } from './firmware.js';
import { firmwareImages } from './firmware-images.js';
import { history } from './history.js';
import { repeatable } from './idempotency.js';
import { keys } from './keys.js';
import { limitRequests, serverLimits } from './limits.js';
import { login, spaceLogin } from './logins.js';
import { messages } from './messages.js';
import { RecordChanges } from './record-changes.js';
import { sessions } from './sessions.js';
import { countAnswers, turnOfBody, UNSENT } from './share.js';
import { spaces } from './spaces.js';
import { tags } from './tags.js';
import { users } from './users.js';
import { variables } from './variables.js';

export type { ApiOptions } from './family.js';

/** Families that are hidden from keys with tags: such a key gets a 404. */
const FAMILIES: readonly Family[] = [connectors, deliveries, variables, users, keys, auditLog, history];
/** Families that keys with tags may use. They check themselves what such a key may see and change. */
const FAMILIES_WITH_LIMITS: readonly Family[] = [
  spaces,
  deviceLists,
  deviceSummaries,
  devices,
  downlinks,
  tags,
  messages,
  firmware,
  firmwareImages,
  sessions,
  events,
];
/** Families that need no credential. */
const OPEN_FAMILIES: readonly Family[] = [login];

/** Most requests that hash a password at a time, and most from a network, with those that wait. A hash is expensive on purpose. */
const PASSWORDS_AT_ONCE = { all: 8, each: 4 };

const DEFAULTS: ApiOptions = {
  messageBody: 'json',
  plainNotFound: false,
  legacyPaths: false,
  strictNames: false,
  cors: true,
  hosts: null,
  trustProxy: [],
  publicUrl: null,
  rateLimit: null,
  rateLimitHolds: () => true,
};

/**
 * Creates the API as a Fastify application. The caller starts and closes it.
 * @param beside further routes below `/v2`, which do their own authentication
 */
export function createApi(
  context: CloudContext,
  given: Partial<ApiOptions> = {},
  beside: readonly ((routes: Routes) => void)[] = [],
): FastifyInstance {
  const options = { ...DEFAULTS, ...given };
  const { publicUrl } = options;
  const isProxy = addressesIn(options.trustProxy);
  const api = fastify({
    ...serverLimits(isProxy),
    clientErrorHandler: malformedRequestHandler(context),
    ...(options.trustProxy.length > 0 && { trustProxy: isProxy }),
    routerOptions: { ignoreTrailingSlash: true, querystringParser: parseQuery },
    rewriteUrl: ({ url = '/' }) => canonicalUrl(withoutPrefix(url, publicUrl?.prefix ?? ''), options.legacyPaths),
  });
  collectMethods(api);
  api.setValidatorCompiler(validatorCompiler);
  // Response schemas are documentation: they neither drop nor change fields of an answer.
  api.setSerializerCompiler(() => JSON.stringify);
  api.setErrorHandler(errorHandler(context.log, options));
  api.setNotFoundHandler(unknownRoute);
  api.decorateRequest('spaceId', '');
  const members = new Members(context);
  const all: ApiContext = {
    ...context,
    members,
    logins: new Logins(context),
    signIn: new SignIn({ ...context, members }),
    withPasswordTurn: inTurn(PASSWORDS_AT_ONCE, 'too many concurrent password checks; retry later'),
    turns: new LoopTurns(),
    changes: new RecordChanges(),
    unsent: new Unsent(UNSENT),
    audit: context.audited ? new AuditLog(context) : null,
  };
  acceptJsonOnly(api, (request) => turnOfBody(all, request));
  const add = (routes: FastifyInstance, families: readonly Family[]) => {
    for (const family of families) family(routes.withTypeProvider<TypeBoxProvider>(), all, options);
  };
  if (options.trustProxy.length > 0) plainForwardedFor(api);
  guardHosts(api, options.hosts && [...options.hosts, ...(publicUrl ? [publicUrl.host] : [])]);
  needReadableQueries(api);
  if (publicUrl) redirectPrefix(api, publicUrl);
  if (options.cors) {
    api.register(cors, CORS);
    // Otherwise, the route for all paths of the plugin would permit web pages to send requests of devices.
    const ofDevices = { config: { cors: false }, schema: { hide: true } };
    api.options('/v2/device/*', ofDevices, (_, reply) => reply.callNotFound());
  }
  const { rateLimit, rateLimitHolds } = options;
  refuseWhileStarting(api, context);
  limitRequests(api, { clock: context.clock, rateLimit, rateLimitHolds });
  countAnswers(api, all);
  documentApi(api, publicUrl);
  const families = named('families', async (routes) => {
    routes.addHook('onRequest', authenticate(all, publicUrl?.origin));
    routes.addHook('onRequest', refuseEmptyId);
    routes.addHook('onRequest', refuseCondition);
    repeatable(routes.withTypeProvider<TypeBoxProvider>(), all);
    if (all.audit) recordActions(routes, all, all.audit);
    add(routes, FAMILIES_WITH_LIMITS);
    if (options.legacyPaths) add(routes, [spaceLogin]);
    routes.register(
      named('families hidden from limited keys', async (hidden) => {
        hidden.addHook('onRequest', hideFromLimited);
        add(hidden, FAMILIES);
      }),
    );
  });
  const openFamilies = named('open families', async (routes) => add(routes, OPEN_FAMILIES));
  const others = beside.map((addTo) =>
    named('further routes', async (routes) => addTo(routes.withTypeProvider<TypeBoxProvider>())),
  );
  for (const plugin of [families, openFamilies, ...others]) api.register(plugin, { prefix: '/v2' });
  return api;
}

/** Gives a plugin a name. To name a plugin without one, Fastify searches all loaded modules each time it is registered. */
function named(name: string, plugin: (routes: FastifyInstance) => Promise<void>): typeof plugin {
  return Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name });
}

/**
 * Answers requests with keys, logins and passwords by 503 until the space is prepared: before, the key and the password that were
 * given for this start are not valid, and earlier ones still are. Devices and pages need none of them.
 */
function refuseWhileStarting(api: FastifyInstance, { isPrepared = () => true }: CloudContext): void {
  api.addHook('onRequest', ({ method, url: written, routeOptions: { url = written } }, _, done) => {
    const needsNone = url.startsWith('/v2/') ? url.startsWith('/v2/device/') : method === 'GET' || method === 'HEAD';
    const isWelcome = needsNone || method === 'OPTIONS' || isPrepared();
    done(isWelcome ? undefined : new ApiFault(503, 'the service is starting; retry later', 'store-unavailable'));
  });
}

/** Rejects `GET …/devices/`: a list, or the device with an empty id, whose reader would take the list for a device. */
async function refuseEmptyId({ method, url, server, routeOptions }: FastifyRequest): Promise<void> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || !/^[^?]*\/(\?|$)/.test(url) || !routeOptions.url?.includes(':space_id')) return;
  const item = `${routeOptions.url.replace(/\/$/, '')}/:id`;
  if (!server.hasRoute({ method: 'GET', url: item })) return;
  throw new ApiFault(404, 'the id at the end of the path is empty; the path of the list has no slash at its end');
}

const CORS = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: [
    'X-API-KEY',
    'Authorization',
    'Content-Type',
    'Accept',
    'Idempotency-Key',
    'If-Match',
    'Last-Event-ID',
    'Traceparent',
    'Tracestate',
  ],
  // One string, so that it is not joined again for every answer.
  exposedHeaders:
    'X-Total, X-Total-At-Least, X-Next-Offset, Idempotent-Replayed, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
  // Also answers a preflight request without `Access-Control-Request-Method`.
  strictPreflight: false,
  maxAge: 86_400,
};
