/**
 * The public REST API (device cloud API; cloud API gaps, sections 2 and 3, for what that leaves open).
 *
 * A resource family is one file that is listed in FAMILIES. Handlers only translate: what is stored is the store's
 * business, how a downlink gets to a device is the delivery core's.
 */
import cors from '@fastify/cors';
import fastify, { type FastifyInstance } from 'fastify';
import { seconds } from '../../kernel/time.js';
import type { CloudContext } from '../context.js';
import { authenticate } from './auth.js';
import { acceptJsonOnly, BODY_LIMIT } from './body.js';
import { devices } from './devices.js';
import { downlinks } from './downlinks.js';
import { errorHandler, unknownRoute } from './errors.js';
import type { ApiOptions, Family } from './family.js';
import { messages } from './messages.js';
import { spaces } from './spaces.js';
import { tags } from './tags.js';
import { type TypeBoxProvider, validatorCompiler } from './validation.js';

export type { ApiOptions } from './family.js';

const FAMILIES: readonly Family[] = [spaces, devices, downlinks, tags, messages];

const DEFAULTS: ApiOptions = { messageBody: 'json', plainNotFound: false, cors: true };

/** The API as a Fastify application; the caller listens and closes. */
export function createApi(context: CloudContext, given: Partial<ApiOptions> = {}): FastifyInstance {
  const options = { ...DEFAULTS, ...given };
  const api = fastify({
    bodyLimit: BODY_LIMIT,
    // Longer than a client keeps an idle connection, so that it is never the server who hangs up on a request.
    keepAliveTimeout: seconds(75),
    // A request that dribbles in is cut off.
    requestTimeout: seconds(120),
    routerOptions: { ignoreTrailingSlash: true },
  });
  acceptJsonOnly(api);
  api.setValidatorCompiler(validatorCompiler);
  api.setErrorHandler(errorHandler(context.log, options));
  api.setNotFoundHandler(unknownRoute);
  api.decorateRequest('spaceId', '');
  if (options.cors) api.register(cors, CORS);
  api.register(
    async (routes) => {
      routes.addHook('onRequest', authenticate(context.store));
      for (const family of FAMILIES) family(routes.withTypeProvider<TypeBoxProvider>(), context, options);
    },
    { prefix: '/v2' },
  );
  return api;
}

const CORS = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['X-API-KEY', 'Authorization', 'Content-Type', 'Accept'],
  exposedHeaders: ['X-Total'],
  // A preflight that does not say what it is for is answered all the same.
  strictPreflight: false,
  maxAge: 86_400,
};
