/**
 * What one caller, and all of them together, may ask of the service. Beyond a limit the answer is immediate and says when to
 * try again: nobody waits in a queue that has no end.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../kernel/clock.js';
import { minutes, seconds } from '../../kernel/time.js';
import { hashKey } from '../accounts/keys.js';
import { BODY_LIMIT } from '../http/body.js';
import { ApiFault } from '../http/errors.js';
import { presentedSecret } from './auth.js';

/** Connections at a time; more are closed at once. */
const CONNECTIONS = 10_000;
/** Requests at a time. A request that waits for the store holds its body in memory. */
const REQUESTS = 5000;
/** Bytes of the bodies of these requests. */
const BODIES = 536_870_912;
/** Over which the rate of a caller is counted. */
const WINDOW = minutes(1);

/** Limits that the HTTP server itself keeps. */
export const SERVER_LIMITS = {
  bodyLimit: BODY_LIMIT,
  // Longer than a client keeps an idle connection, so that it is never the server who hangs up on a request.
  keepAliveTimeout: seconds(75),
  // A request that dribbles in is cut off.
  requestTimeout: seconds(120),
  http: { headersTimeout: seconds(20), connectionsCheckingInterval: seconds(5), maxHeaderSize: 16_384 },
} as const;

interface RequestLimits {
  readonly clock: Clock;
  /** Requests that one caller may make in a minute; null: any number. */
  readonly rateLimit: number | null;
  /** Whether that limit holds now; left out: always. */
  readonly rateLimitHolds?: () => boolean;
  /** Bytes of bodies at a time. */
  readonly bodies?: number;
}

/** Keeps the limits for everything below `/v2`. Health and metrics answer also when there is too much to do. */
export function limitRequests(
  api: FastifyInstance,
  { clock, rateLimit, rateLimitHolds, bodies = BODIES }: RequestLimits,
): void {
  api.server.maxConnections = CONNECTIONS;
  let underWay = 0;
  let bytesUnderWay = 0;
  function leave(this: ServerResponse): void {
    underWay--;
    bytesUnderWay -= longestBody(this.req);
  }
  // With a callback: every request comes by here, and should not have to wait for a promise.
  api.addHook('onRequest', (request, reply, done) => {
    if (!isLimited(request)) return done();
    underWay++;
    bytesUnderWay += longestBody(request.raw);
    reply.raw.on('close', leave);
    const isTooMuch = underWay > REQUESTS || bytesUnderWay > bodies;
    done(isTooMuch ? new ApiFault(503, 'the service has too much to do', 'busy') : undefined);
  });
  if (rateLimit !== null) limitRate(api, clock, rateLimit, rateLimitHolds);
}

/**
 * Counts requests by who sends them, before it is known whether the credential is valid. Those that turn out to have none are
 * counted by address as well, so that guessing is slow however many keys are guessed: from an address that has failed too
 * often, only those are let in who have been let in before.
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
      throw new ApiFault(429, `more than ${rateLimit} requests in a minute`, 'rate-limit');
    }
  });

  api.addHook('onResponse', async (request, { statusCode }) => {
    if (statusCode === 401) increment(failed, request.ip);
    else if (statusCode !== 429 && isLimited(request)) admitted.add(callerOf(request));
  });
}

/** Lets so many work at something at a time, and sends all others away: what is dear must not grow a queue. */
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

function increment(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}

/** How long a body can be, before it has come. */
function longestBody({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return BODY_LIMIT;
  const length = headers['content-length'];
  return length === undefined ? 0 : Math.min(Number(length), BODY_LIMIT);
}

/** By its route: there is more than one way to write a path. */
function isLimited({ routeOptions: { url } }: FastifyRequest): boolean {
  return url === undefined || url.startsWith('/v2/');
}

/**
 * Whose requests are counted together: those with the same credential, however it is written, or from the same address where
 * none is asked for. As a hash, because whatever is sent as a credential has to be remembered.
 */
function callerOf({ headers, ip, routeOptions: { url = '' } }: FastifyRequest): string {
  const secret = url.startsWith('/v2/auth/') ? undefined : (presentedSecret(headers) ?? headers.authorization);
  return secret === undefined ? ip : hashKey(secret);
}
