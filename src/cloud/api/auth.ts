/**
 * Who is asking? A request carries an API key, which opens one space, or the token of a login, which opens those of an
 * account (device cloud API, "Authentication"; cloud API gaps, 2.2). Either may stand in either header.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { minutes, type UnixMillis } from '../../kernel/time.js';
import { type ApiKey, keyWithSecret, putKeyUse } from '../accounts/keys.js';
import { ApiFault, notFound } from '../http/errors.js';
import type { Id } from '../store/store.js';
import type { Access } from './access.js';
import { isLegacyDeviceList, OWN_SPACE } from './aliases.js';
import type { ApiContext } from './family.js';

/** A key's last use is noted no more often than this: a write for every request would be too dear. */
const USE_PRECISION = minutes(1);

/**
 * Refuses requests without a valid credential (401), and requests for a space that it does not open: with the answer for a
 * space that does not exist, so that nobody learns which ones do. Who may only read is refused everything else (403).
 */
export function authenticate(context: ApiContext): onRequestAsyncHookHandler {
  const noteUse = useNotes(context);
  const accessOf = async (secret: string): Promise<Access | undefined> => {
    const key = await keyWithSecret(context.store, secret);
    if (key) {
      noteUse(key);
      const role = key.access === 'read' ? 'user' : 'admin';
      return { userId: null, keyId: key.id, boundTo: key.spaceId, role, scope: key.tagIds };
    }
    const login = await context.logins.find(secret);
    // The role depends on the space.
    return login && { userId: login.userId, keyId: null, boundTo: login.spaceId, role: 'user', scope: null };
  };
  return async (request, reply) => {
    const secret = presentedSecret(request.headers);
    const access = secret === undefined ? undefined : await accessOf(secret);
    if (!access) {
      const sentence =
        secret === undefined ? 'no API key: send it in the header X-API-KEY' : 'this API key or token is not valid';
      throw new ApiFault(401, sentence);
    }
    request.access = access;
    if (isLegacyDeviceList(request.method, request.originalUrl)) reply.code(201);
    const spaceId = spaceOf(request);
    if (spaceId === undefined) return;
    request.spaceId = spaceId;
    if (access.boundTo !== null && access.boundTo !== spaceId) throw notFound('space');
    if (access.userId !== null) {
      const member = await context.members.find(spaceId, access.userId);
      if (member?.state !== 'active') throw notFound('space');
      request.access = { ...access, role: member.role };
    }
    if (request.access.role === 'user' && request.method !== 'GET' && request.method !== 'HEAD') {
      throw new ApiFault(403, access.keyId === null ? 'your role may only read' : 'this key may only read');
    }
  };
}

/** `X-API-KEY` wins over `Authorization: ApiKey …` or `Bearer …`. */
export function presentedSecret(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return /^(?:apikey|bearer)\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}

/** The space in the path. A legacy path has none: there it is the one that the credential is bound to. */
function spaceOf({ params, access, url, originalUrl }: FastifyRequest): Id | undefined {
  if (typeof params !== 'object' || params === null || !('space_id' in params)) return undefined;
  if (params.space_id === OWN_SPACE && originalUrl !== url) {
    if (access.boundTo === null) throw new ApiFault(400, 'this login is bound to no space: see POST /v2/auth/space');
    params.space_id = access.boundTo;
  }
  return String(params.space_id).toLowerCase();
}

function useNotes({ store, clock, log }: ApiContext): (key: ApiKey) => void {
  const noted = new Map<Id, UnixMillis>();
  return (key) => {
    const now = Math.floor(clock.wall);
    if (now - (noted.get(key.id) ?? Number.NEGATIVE_INFINITY) < USE_PRECISION) return;
    noted.set(key.id, now);
    store.commit([putKeyUse(key, now)]).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the use of a key was not noted');
    });
  };
}
