/**
 * Limits on requests, for one caller and for all callers together. A request beyond a limit is rejected immediately, with
 * the time after which to retry, so that no queue grows without bound.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../kernel/clock.js';
import { minutes, seconds } from '../../kernel/time.js';
import { hashKey } from '../accounts/keys.js';
import { BODY_LIMIT } from '../http/body.js';
import { ApiFault } from '../http/errors.js';
import { presentedSecret } from './auth.js';

/** Most open connections; further ones are closed immediately. */
const CONNECTIONS = 10_000;
/** Most concurrent requests. A request that waits for the store keeps its body in memory. */
const REQUESTS = 5000;
/** Most bytes of all bodies of concurrent requests. */
const BODIES = 536_870_912;
/** Window in which the requests of a caller are counted. */
const WINDOW = minutes(1);

/** Limits that the HTTP server itself enforces. */
export const SERVER_LIMITS = {
  bodyLimit: BODY_LIMIT,
  // Longer than clients keep an idle connection, so that the server does not close a connection on which a request is coming.
  keepAliveTimeout: seconds(75),
  // Ends a request that arrives too slowly.
  requestTimeout: seconds(120),
  http: { headersTimeout: seconds(20), connectionsCheckingInterval: seconds(5), maxHeaderSize: 16_384 },
} as const;

interface RequestLimits {
  readonly clock: Clock;
  /** Requests per minute and caller; null: unlimited. */
  readonly rateLimit: number | null;
  /** Whether the rate limit applies now. Default: always. */
  readonly rateLimitHolds?: () => boolean;
  /** Most bytes of all bodies of concurrent requests. Default 512 MiB. */
  readonly bodies?: number;
}

/** Enforces the limits for all paths below `/v2`. Health and metrics are exempt: they also answer under overload. */
export function limitRequests(
  api: FastifyInstance,
  { clock, rateLimit, rateLimitHolds, bodies = BODIES }: RequestLimits,
): void {
  api.server.maxConnections = CONNECTIONS;
  let active = 0;
  let bodyBytes = 0;
  function leave(this: ServerResponse): void {
    active--;
    bodyBytes -= longestBody(this.req);
  }
  // A callback instead of a promise: this hook runs for every request.
  api.addHook('onRequest', (request, reply, done) => {
    if (!isLimited(request)) return done();
    active++;
    bodyBytes += longestBody(request.raw);
    reply.raw.on('close', leave);
    const isTooMuch = active > REQUESTS || bodyBytes > bodies;
    done(isTooMuch ? new ApiFault(503, 'the service is overloaded; retry later', 'busy') : undefined);
  });
  if (rateLimit !== null) limitRate(api, clock, rateLimit, rateLimitHolds);
}

/**
 * Counts requests by credential, before it is checked. A request whose credential turns out to be invalid also counts for its
 * IP address, which slows down the guessing of keys: an address with too many failures is rejected, except for credentials
 * that have been valid in the same window.
 */
function limitRate(api: FastifyInstance, clock: Clock, rateLimit: number, holds = () => true): void {
  const used = new Map<string, number>();
  const failed = new Map<string, number>();
  const admitted = new Set<string>();
  let windowEnds = 0;

  api.addHook('onRequest', async (request, reply) => {
    if (!isLimited(request) || !holds()) return;
    if (clock.now >= windowEnds) {
      for (const count of [used, failed, admitted]) count.clear();
      windowEnds = clock.now + WINDOW;
    }
    const caller = callerOf(request);
    const isStranger = !admitted.has(caller) && (failed.get(request.ip) ?? 0) >= rateLimit;
    const count = isStranger ? rateLimit + 1 : increment(used, caller);
    const reset = Math.ceil((windowEnds - clock.now) / 1000);
    reply.headers({
      'x-ratelimit-limit': rateLimit,
      'x-ratelimit-remaining': Math.max(0, rateLimit - count),
      'x-ratelimit-reset': reset,
    });
    if (count > rateLimit) {
      reply.header('retry-after', reset);
      throw new ApiFault(429, `more than ${rateLimit} requests per minute; retry later`, 'rate-limit');
    }
  });

  api.addHook('onResponse', async (request, { statusCode }) => {
    if (statusCode === 401) increment(failed, request.ip);
    else if (statusCode !== 429 && isLimited(request)) admitted.add(callerOf(request));
  });
}

/** Runs at most `limit` calls at a time and rejects all others with 503: expensive work must not build up a queue. */
export function atMost(limit: number, busy: string): <T>(work: () => Promise<T>) => Promise<T> {
  let working = 0;
  return async (work) => {
    if (working >= limit) throw new ApiFault(503, busy, 'busy');
    working++;
    try {
      return await work();
    } finally {
      working--;
    }
  };
}

/** The same limit for each owner of the work: one that has reached it does not affect the others. */
export function atMostEach(limit: number, busy: string): <T>(owner: string, work: () => Promise<T>) => Promise<T> {
  const working = new Map<string, number>();
  return async (owner, work) => {
    if (increment(working, owner) > limit) {
      decrement(working, owner);
      throw new ApiFault(503, busy, 'busy');
    }
    try {
      return await work();
    } finally {
      decrement(working, owner);
    }
  };
}

function decrement(counts: Map<string, number>, name: string): void {
  const count = (counts.get(name) ?? 1) - 1;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function increment(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}

/** Upper bound of the body's length in bytes, known from the headers. */
function longestBody({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return BODY_LIMIT;
  const length = headers['content-length'];
  return length === undefined ? 0 : Math.min(Number(length), BODY_LIMIT);
}

/** Whether the limits apply to a request. Decided by its route, because a path can be written in several ways. */
function isLimited({ routeOptions: { url } }: FastifyRequest): boolean {
  return url === undefined || url.startsWith('/v2/');
}

/**
 * Key under which the requests of one caller are counted: the hash of the credential in either header, or the IP address for
 * routes without a credential. A hash, so that no credential is kept in memory.
 */
function callerOf({ headers, ip, routeOptions: { url = '' } }: FastifyRequest): string {
  const secret = url.startsWith('/v2/auth/') ? undefined : (presentedSecret(headers) ?? headers.authorization);
  return secret === undefined ? ip : hashKey(secret);
}
