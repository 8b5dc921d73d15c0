/**
 * What one caller, and all of them together, may ask of the service. Beyond a limit the answer is immediate and says when to
 * try again: nobody waits in a queue that has no end.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../kernel/clock.js';
import { minutes, seconds } from '../../kernel/time.js';
import { BODY_LIMIT } from './body.js';
import { ApiFault } from './errors.js';

/** Connections at a time; more are closed at once. */
const CONNECTIONS = 10_000;
/** Requests at a time. A request that waits for the store holds its body in memory. */
const REQUESTS = 5000;
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

export interface RequestLimits {
  readonly clock: Clock;
  /** Requests that one key, or without one an address, may make in a minute; null: any number. */
  readonly rateLimit: number | null;
}

/** Keeps the limits for everything below `/v2`. Health and metrics answer also when there is too much to do. */
export function limitRequests(api: FastifyInstance, { clock, rateLimit }: RequestLimits): void {
  api.server.maxConnections = CONNECTIONS;
  let underWay = 0;
  const callers = new Map<string, number>();
  let windowEnds = 0;

  api.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/v2/')) return;
    underWay++;
    reply.raw.once('close', () => underWay--);
    if (underWay > REQUESTS) throw new ApiFault(503, 'the service has too much to do', 'busy');
    if (rateLimit === null) return;

    if (clock.now >= windowEnds) {
      callers.clear();
      windowEnds = clock.now + WINDOW;
    }
    const caller = callerOf(request);
    const used = (callers.get(caller) ?? 0) + 1;
    callers.set(caller, used);
    const reset = Math.ceil((windowEnds - clock.now) / 1000);
    reply.headers({
      'x-ratelimit-limit': rateLimit,
      'x-ratelimit-remaining': Math.max(0, rateLimit - used),
      'x-ratelimit-reset': reset,
    });
    if (used > rateLimit) {
      reply.header('retry-after', reset);
      throw new ApiFault(429, `more than ${rateLimit} requests in a minute`, 'rate-limit');
    }
  });
}

/** Whose requests are counted together: before it is known whether the key is valid, so that guessing is slow as well. */
function callerOf({ headers, ip }: FastifyRequest): string {
  return String(headers['x-api-key'] ?? headers.authorization ?? ip);
}
