/**
 * Who is asking? Every request carries an API key, and a key opens exactly one space (device cloud API, "Authentication";
 * cloud API gaps, 2.2).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { onRequestAsyncHookHandler } from 'fastify';
import { hashKey } from '../keys.js';
import type { Id, Store } from '../store/store.js';
import { ApiFault, notFound } from './errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The space that the request's key opens. */
    spaceId: Id;
  }
}

/**
 * Refuses requests without a valid key, and requests for another space: with the answer for a space that does not exist, so
 * that nobody learns which ones do.
 */
export function authenticate(store: Store): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const secret = presentedKey(request.headers);
    const key = secret === undefined ? undefined : await store.keyByHash(hashKey(secret));
    if (!key) {
      reply.header('www-authenticate', 'Bearer');
      const sentence =
        secret === undefined ? 'no API key: send it in the header X-API-KEY' : 'this API key is not valid';
      throw new ApiFault(401, sentence);
    }
    request.spaceId = key.spaceId;
    const wanted = spaceInPath(request.params);
    if (wanted !== undefined && wanted !== key.spaceId) throw notFound('space');
  };
}

/** `X-API-KEY` wins over `Authorization: ApiKey …` or `Bearer …`. */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return /^(?:apikey|bearer)\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}

function spaceInPath(params: unknown): Id | undefined {
  const has = typeof params === 'object' && params !== null && 'space_id' in params;
  return has ? String(params.space_id).toLowerCase() : undefined;
}
