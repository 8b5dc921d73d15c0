/** Authentication: API keys open a space, logins those of an account (cloud C-2, C-4), by header or the console's cookie. */

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { SpaceParams } from '../../contract/values.js';
import { messageOf } from '../../kernel/errors.js';
import { minutes, type UnixMillis } from '../../kernel/time.js';
import { type ApiKey, isExpired, keyWithSecret, putKeyUse } from '../accounts/keys.js';
import { ApiFault, notFound } from '../http/errors.js';
import { cookieSecret, needSameOrigin } from '../http/session-cookie.js';
import { checker } from '../http/validation.js';
import type { Id } from '../store/store.js';
import type { Access } from './access.js';
import { isLegacyDeviceList, OWN_SPACE } from './aliases.js';
import type { ApiContext } from './family.js';

/** The last use of a key is stored at most once in this time: one write per request would be too expensive. */
const USE_PRECISION = minutes(1);

/**
 * Rejects a request without a valid credential (401), a request for a space that the credential does not open (404), and a
 * change by a caller that may only read (403). The 404 is the same as for a space that does not exist, so that the answer does
 * not reveal which spaces exist.
 * @param publicOrigin origin of the console behind a proxy
 */
export function authenticate(context: ApiContext, publicOrigin?: string): onRequestAsyncHookHandler {
  const noteUse = useNotes(context);
  return async (request, reply) => {
    const { headers } = request;
    const secret = presentedSecret(headers);
    if (secret !== undefined && headerSecret(headers) === undefined) needSameOrigin(request, publicOrigin);
    const access = secret === undefined ? undefined : await accessOf(secret, context, noteUse);
    if (!access) throw new ApiFault(401, secret === undefined ? withoutSecret(headers) : UNKNOWN_CREDENTIAL);
    request.access = access;
    if (isLegacyDeviceList(request.method, request.originalUrl)) reply.code(201);
    const spaceId = spaceOf(request);
    if (spaceId === undefined) return;
    request.spaceId = spaceId;
    request.access = await accessIn(spaceId, access, context);
    if (request.access.role !== 'admin' && !READING.has(request.method)) {
      throw new ApiFault(403, access.keyId === null ? 'your role may only read' : 'this key may only read');
    }
  };
}

/**
 * The present access of a credential to a space, for a request that stays open, such as a stream of events.
 * @throws ApiFault 401 if the credential has been revoked or has expired, 404 if it no longer opens the space
 */
export async function presentAccess(secret: string, spaceId: Id, context: ApiContext): Promise<Access> {
  const access = await accessOf(secret, context);
  if (!access) throw new ApiFault(401, UNKNOWN_CREDENTIAL);
  return accessIn(spaceId, access, context);
}

/** @throws ApiFault 401 if the credential is a key that has expired */
async function accessOf(
  secret: string,
  { store, clock, logins }: ApiContext,
  noteUse: (key: ApiKey) => void = () => {},
): Promise<Access | undefined> {
  const key = await keyWithSecret(store, secret);
  if (key) {
    if (isExpired(key, clock.wall)) throw new ApiFault(401, 'this API key has expired', 'key-expired');
    noteUse(key);
    const role = key.access === 'read' ? 'user' : 'admin';
    return { userId: null, keyId: key.id, boundTo: key.spaceId, role, scope: key.tagIds };
  }
  const login = await logins.find(secret);
  // The role with the fewest permissions; `accessIn` replaces it by the role in the space.
  return login && { userId: login.userId, keyId: null, boundTo: login.spaceId, role: 'user', scope: null };
}

/** Why no credential was found in a request. The message does not repeat the headers. */
function withoutSecret({ authorization }: IncomingHttpHeaders): string {
  if (authorization === undefined) return 'API key is missing: send it in the header X-API-KEY';
  return 'the header Authorization must be "ApiKey <key>" or "Bearer <key or token>"; or send the key in X-API-KEY';
}

const UNKNOWN_CREDENTIAL = 'this API key or token is not valid';
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * The access to one space. The access of a login gets the role that its account has in this space.
 * @throws ApiFault 404 if the credential does not open the space
 */
async function accessIn(spaceId: Id, access: Access, { members }: ApiContext): Promise<Access> {
  if (access.boundTo !== null && access.boundTo !== spaceId) throw notFound('space');
  if (access.userId === null) return access;
  const member = await members.find(spaceId, access.userId);
  if (member?.state !== 'active') throw notFound('space');
  return { ...access, role: member.role };
}

/** The API key or token of a request. The headers take precedence over the cookie of the console. */
export function presentedSecret(headers: IncomingHttpHeaders): string | undefined {
  return headerSecret(headers) ?? cookieSecret(headers);
}

/** `X-API-KEY` takes precedence over `Authorization: ApiKey …` and `Bearer …`. */
function headerSecret(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return /^(?:apikey|bearer)\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}

const checkParams = checker(SpaceParams, 'params');

/** The space in the path; for a legacy path, the space that the credential is bound to. Undefined for all other paths. @throws ApiFault 400 */
function spaceOf({ params, access, url, originalUrl }: FastifyRequest): Id | undefined {
  if (typeof params !== 'object' || params === null || !('space_id' in params)) return undefined;
  if (params.space_id === OWN_SPACE && originalUrl !== url) {
    if (access.boundTo === null)
      throw new ApiFault(400, 'this login is not bound to a space: bind it with POST /v2/auth/space');
    params.space_id = access.boundTo;
  }
  const checked = checkParams({ space_id: params.space_id });
  if ('error' in checked) throw checked.error;
  return String(params.space_id).toLowerCase();
}

function useNotes({ store, clock, log }: ApiContext): (key: ApiKey) => void {
  const noted = new Map<Id, UnixMillis>();
  return (key) => {
    const now = Math.floor(clock.wall);
    // The oldest come first. Those that are noted again are of no use.
    for (const [id, at] of noted) {
      if (now - at < USE_PRECISION) break;
      noted.delete(id);
    }
    if (noted.has(key.id)) return;
    noted.set(key.id, now);
    store.commit([putKeyUse(key, now)]).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'the last use of a key was not stored');
    });
  };
}
