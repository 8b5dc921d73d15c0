/**
 * Limits on concurrent requests, for one caller and for all callers together. A request beyond a limit is rejected immediately,
 * with the time after which to retry, so that no queue grows without bound. A request has its place until its answer is made:
 * how fast a client reads the answer does not matter.
 *
 * The bytes of a body count when they arrive, not when `Content-Length` announces them, and only after the request is
 * authenticated. So a request without a valid credential takes neither memory nor a share of the limit for bytes; only the
 * small bodies of the login need no credential. A caller is identified by its credential or, without a credential, by its
 * network (rate-limit.ts).
 *
 * Requests without a credential have limits of their own. So sign-ins whose bodies arrive slowly, from many networks, take no
 * place of a request with a credential. An invalid credential takes a place only until it is checked.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../kernel/clock.js';
import { RealClock } from '../../kernel/real-clock.js';
import { BODY_LIMIT } from '../http/body.js';
import { ApiFault, unknownRoute } from '../http/errors.js';
import { closeHalfOpen, limitedServer, type ServerLimits, whenOver } from '../http/sockets.js';
import { callerOf, isLimited, limitRate, secretOf } from './rate-limit.js';
import { Callers, type Share, type Usage } from './request-share.js';
import { TimeLimit } from './time-limit.js';

/** Maximum number of open connections in total, and from one network (`networkOf` in http/addresses.ts). */
const CONNECTIONS = { all: 10_000, each: 2500 };

/** Limits that the HTTP server itself enforces. */
export function serverLimits(isProxy?: ServerLimits['isProxy']) {
  return {
    bodyLimit: BODY_LIMIT,
    serverFactory: (handle: RequestListener) => limitedServer(handle, { connections: CONNECTIONS, isProxy }),
    // Requests during a shutdown get an answer with a code and the time after which to retry: see operator/shutdown.ts.
    return503OnClosing: false,
  } as const;
}

/** Bodies are limited as well, because a request that waits for the store keeps its body in memory. */
const WITH_CREDENTIAL: Share = {
  all: { requests: 5000, bytes: 536_870_912 },
  each: { requests: 2000, bytes: 134_217_728 },
};
const WITHOUT_CREDENTIAL: Share = {
  all: { requests: 1000, bytes: 16_777_216 },
  each: { requests: 200, bytes: 4_194_304 },
};

interface RequestLimits {
  readonly clock: Clock;
  /** Requests per minute and caller; null: unlimited. */
  readonly rateLimit: number | null;
  /** Whether the rate limit applies now. Default: always. */
  readonly rateLimitHolds?: () => boolean;
  /** Limits for requests with a credential. */
  readonly known?: Share;
  /** Clock for the time limit of a request. It is real time, also in a simulation. */
  readonly patience?: Clock;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The share of the request in the limits; null for a route without limits. */
    usage: Usage | null;
    /** Whether the answer of the request was made, or has begun. */
    isAnswered: boolean;
  }
}

/** Limits requests to the API, the sign-in and unknown paths. Health and metrics answer also under overload. */
export function limitRequests(
  api: FastifyInstance,
  { clock, rateLimit, rateLimitHolds, known = WITH_CREDENTIAL, patience = new RealClock() }: RequestLimits,
): void {
  const [knownOnes, strangers] = [new Callers(known), new Callers(WITHOUT_CREDENTIAL)];
  const enter = (request: FastifyRequest) => {
    const secret = secretOf(request);
    return (secret === undefined ? strangers : knownOnes).enter(callerOf(request, secret));
  };
  const time = new TimeLimit(patience);
  const endRequest = (reply: FastifyReply) => {
    time.end(reply);
    reply.request.usage?.end();
  };
  api.decorateRequest('usage', null);
  api.decorateRequest('isAnswered', false);
  // Callbacks instead of promises, and one `close` listener for all three tasks, because these hooks run for every request.
  api.addHook('onRequest', (request, reply, done) => {
    const withBody = hasBody(request.raw);
    const usage = isLimited(request) ? enter(request) : null;
    request.usage = usage;
    time.begin(reply, () => usage?.end());
    whenOver(reply.raw, () => {
      if (withBody) closeHalfOpen(request.raw, patience);
      // A handler goes on without its client. So the request counts until its answer is made, or until its time is over.
      if (reply.sent || request.isAnswered) endRequest(reply);
    });
    // The body of a request without a route is not read.
    if (withBody && request.is404) return unknownRoute(request, reply);
    done(usage?.isTooMuch ? overloaded() : undefined);
  });
  api.addHook('onSend', (request, reply, payload, done) => {
    request.isAnswered = true;
    // An answer in pieces is still being made.
    if (!(payload instanceof Readable) || reply.raw.closed) endRequest(reply);
    done();
  });
  api.addHook('preParsing', ({ usage, raw }, _, payload, done) => {
    usage?.charge(raw, overloaded);
    done(null, payload);
  });
  if (rateLimit !== null) limitRate(api, clock, rateLimit, rateLimitHolds);
}

function overloaded(): ApiFault {
  return new ApiFault(503, 'the service is overloaded; retry later', 'busy');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
