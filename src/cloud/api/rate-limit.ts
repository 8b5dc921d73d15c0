/** Limits the requests of a caller per minute, and identifies the caller. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../kernel/clock.js';
import { Counts } from '../../kernel/counts.js';
import { minutes } from '../../kernel/time.js';
import { hashKey } from '../accounts/keys.js';
import { networkOf } from '../http/addresses.js';
import { ApiFault } from '../http/errors.js';
import { presentedSecret } from './auth.js';

/** Window in which the requests of a caller are counted. */
const WINDOW = minutes(1);

/**
 * Counts requests by credential, before the credential is checked. A request that is answered with 401 also counts for its
 * network: its IPv4 address, or the first half of its IPv6 address. If a network has too many such failures in a window, a
 * credential is accepted only if an earlier request in the same window has proved that it is valid. This rule slows down the
 * guessing of keys.
 */
export function limitRate(api: FastifyInstance, clock: Clock, rateLimit: number, holds = () => true): void {
  const used = new Counts<string>();
  const failed = new Counts<string>();
  const admitted = new Set<string>();
  let windowEnds = 0;

  api.addHook('onRequest', async (request, reply) => {
    if (!isLimited(request) || !holds()) return;
    if (clock.now >= windowEnds) {
      for (const count of [used, failed, admitted]) count.clear();
      windowEnds = clock.now + WINDOW;
    }
    const caller = callerOf(request);
    const isStranger = !admitted.has(caller) && failed.of(networkOf(request.ip)) >= rateLimit;
    const count = isStranger ? rateLimit + 1 : used.increment(caller);
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
    if (statusCode === 401) failed.increment(networkOf(request.ip));
    else if (isProven(request, statusCode)) admitted.add(callerOf(request));
  });
}

/**
 * Whether the service has checked the credential of a request, and it was valid: an API key, a token, the claim token of a
 * device, or a sign-in. Other answers prove nothing, for example a 404 for an unknown path or the page of the documentation.
 */
function isProven(request: FastifyRequest, statusCode: number): boolean {
  const { access, session }: Partial<FastifyRequest> = request;
  return access !== undefined || session !== undefined || (isSignIn(request) && statusCode < 400);
}

/** Whether the limits apply to a request. Its route decides, because a path can be written in several ways. */
export function isLimited({ routeOptions: { url } }: FastifyRequest): boolean {
  return url === undefined || url.startsWith('/v2/') || url.startsWith('/console/');
}

/**
 * Key under which the requests of one caller are counted: the hash of its credential. Requests without one are counted under
 * the network. The credential is hashed, so that it is not kept in memory.
 */
export function callerOf(request: FastifyRequest, secret = secretOf(request)): string {
  return secret === undefined ? networkOf(request.ip) : hashKey(secret);
}

/**
 * The credential of a request, from a header or from the cookie of the console, which its route checks before it reads the
 * body. The routes of the sign-in check none.
 */
export function secretOf(request: FastifyRequest): string | undefined {
  return isSignIn(request) ? undefined : credentialOf(request);
}

/**
 * The credential that the route of a request checks. The ingress of devices reads no other header than `Authorization`. The
 * spaces and letters of a claim token can be written in several ways, which all count together.
 */
function credentialOf({ headers, routeOptions: { url = '' } }: FastifyRequest): string | undefined {
  if (url.startsWith('/v2/device/')) return headers.authorization?.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  return presentedSecret(headers) ?? headers.authorization;
}

function isSignIn({ routeOptions: { url = '' } }: FastifyRequest): boolean {
  return /^\/(?:v2\/auth|console)\//.test(url);
}
