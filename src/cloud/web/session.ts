/** Sign-in of the console: a cookie for a one-time token (with a listed key), an API key or a login, so no script keeps one. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { isoTime } from '../../kernel/calendar.js';
import type { Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import { hours, type Millis } from '../../kernel/time.js';
import type { AuditLog } from '../accounts/audit.js';
import { type ApiKey, deleteKey, everyKey, isExpired, keyWithSecret, newSecret, putKey } from '../accounts/keys.js';
import type { Logins } from '../accounts/logins.js';
import { addressesIn } from '../http/addresses.js';
import { ApiFault } from '../http/errors.js';
import { isHost, LOCAL_HOSTS } from '../http/host-guard.js';
import type { PublicUrl } from '../http/public-url.js';
import { cookieSecret, needSameOrigin, sessionCookie } from '../http/session-cookie.js';
import type { TypeBoxProvider } from '../http/validation.js';
import type { Ids } from '../store/ids.js';
import type { Change, Id, Store } from '../store/store.js';
import type { OneTimeTokens } from './one-time-tokens.js';

/** How long the key of a session is valid in an operated service (`operated` in service.ts); in others, it does not expire. */
export const SESSION = hours(12);
/** Name of the keys of sessions in the list of keys. */
const KEY_NAME = 'console session';

const PATH = '/console/session';
const HIDDEN = { schema: { hide: true } } as const;

const Secret = Type.String({ minLength: 1, maxLength: 512, writeOnly: true });
const SignIn = Type.Union(
  [
    Type.Object({ token: Secret, credential: Type.Optional(Type.Never()) }),
    Type.Object({ credential: Secret, token: Type.Optional(Type.Never()) }),
  ],
  { description: 'an object with either "token" (from the address that the program printed) or "credential"' },
);

export interface SessionContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Records sign-ins and sign-outs; undefined: they are not recorded. */
  readonly audit?: AuditLog;
  /** Source of the keys. */
  readonly random: Random;
  readonly logins: Logins;
  readonly tokens: OneTimeTokens;
  /** How long the key of a session is valid, in the time of the service; null: the key does not expire. */
  readonly lifetime: Millis | null;
  /** Address of the console behind a proxy; null: that of the request. */
  readonly publicUrl: PublicUrl | null;
}

export function addSessionRoutes(api: FastifyInstance, context: SessionContext): void {
  const routes = api.withTypeProvider<TypeBoxProvider>();

  routes.post(PATH, { schema: { hide: true, body: SignIn } }, async (request, reply) => {
    needSameOrigin(request, context.publicUrl?.origin);
    const { secret, maxAge, ...answer } = await exchange(context, request, request.body);
    const options = { ...placeOf(request, context.publicUrl), maxAge: maxAge ?? undefined };
    reply.header('set-cookie', sessionCookie(request.headers, secret, options));
    return reply.code(201).send(answer);
  });

  routes.delete(PATH, HIDDEN, async (request, reply) => {
    needSameOrigin(request, context.publicUrl?.origin);
    const secret = cookieSecret(request.headers);
    if (secret !== undefined) await endSession(context, secret, request.ip);
    return reply
      .header('set-cookie', sessionCookie(request.headers, '', { ...placeOf(request, context.publicUrl), maxAge: 0 }))
      .code(204)
      .send();
  });
}

/** Where the browser sees the service. Its `Origin` is true also behind a proxy that does not name the scheme. */
function placeOf({ headers, protocol }: FastifyRequest, publicUrl: PublicUrl | null) {
  const { origin = '' } = headers;
  return {
    secure: protocol === 'https' || origin.startsWith('https:'),
    prefix: origin === publicUrl?.origin ? publicUrl.prefix : undefined,
  };
}

interface Exchanged {
  readonly secret: string;
  /** Lifetime of the cookie in seconds; null: until the browser is closed. */
  readonly maxAge: number | null;
  /** The space that was opened; null for a login that opens all spaces of its account. */
  readonly space_id: Id | null;
  readonly expires_at: string | null;
}

async function exchange(
  context: SessionContext,
  request: Pick<FastifyRequest, 'raw' | 'headers' | 'ip'>,
  given: Static<typeof SignIn>,
): Promise<Exchanged> {
  if ('credential' in given) return withCredential(context, given.credential);
  needOwnMachine(request);
  const spaceId = context.tokens.redeem(given.token);
  if (spaceId === undefined) {
    throw new ApiFault(401, 'this one-time token is not valid, was used, or has expired', 'token-used');
  }
  const { store, clock, ids, random, lifetime } = context;
  const [secret, now] = [newSecret(random), Math.floor(clock.wall)];
  const expiry = lifetime === null ? {} : { expiresAt: now + lifetime };
  const key = {
    id: ids.uuid(),
    spaceId,
    name: KEY_NAME,
    prefix: '',
    tagIds: null,
    access: 'write',
    isSession: true,
  } as const;
  await store.commit([
    ...(await endedSessions(context, spaceId)),
    ...putKey({ ...key, createdAt: now, ...expiry }, secret),
  ]);
  await record(context, key, 'beginSession', request.ip);
  const expires = lifetime === null ? null : isoTime(now + lifetime);
  return { secret, maxAge: lifetime === null ? null : lifetime / 1000, space_id: spaceId, expires_at: expires };
}

async function withCredential({ store, clock, logins }: SessionContext, secret: string): Promise<Exchanged> {
  const key = await keyWithSecret(store, secret);
  if (key && !isExpired(key, clock.wall)) return { secret, maxAge: null, space_id: key.spaceId, expires_at: null };
  const login = key ? undefined : await logins.find(secret);
  if (!login) throw new ApiFault(401, 'this API key or token is not valid');
  return { secret, maxAge: null, space_id: login.spaceId, expires_at: isoTime(login.expiresAt) };
}

/** Whether a session that began with a one-time token is open: its key exists and is valid. */
export async function isOpenSession(
  { store, clock }: Pick<SessionContext, 'store' | 'clock'>,
  secret: string,
): Promise<boolean> {
  const key = await keyWithSecret(store, secret);
  return key?.isSession === true && !isExpired(key, clock.wall);
}

/** Deletes the key of a session. Other keys and logins stay valid: they belong to their users. */
async function endSession(context: SessionContext, secret: string, from: string): Promise<void> {
  const key = await keyWithSecret(context.store, secret);
  if (!key?.isSession) return;
  await context.store.commit(deleteKey(key.id));
  await record(context, key, 'endSession', from);
}

/** Records what happened to the key of a session. It is also the actor, because nothing else is known about the user. */
async function record(
  { audit }: SessionContext,
  { id, spaceId }: Pick<ApiKey, 'id' | 'spaceId'>,
  action: string,
  from: string,
) {
  await audit?.add([spaceId], { actor: { kind: 'key', id }, action, target: id, from });
}

/** Changes that delete the expired keys of earlier sessions in the space. */
async function endedSessions({ store, clock }: SessionContext, spaceId: Id): Promise<readonly Change[]> {
  const keys = await everyKey(store, spaceId);
  return keys.filter((key) => key.isSession && isExpired(key, clock.wall)).flatMap(({ id }) => deleteKey(id));
}

const isLoopback = addressesIn(['127.0.0.0/8', '::1']);

/** @throws ApiFault 403 if the request comes from another machine, or through a proxy */
function needOwnMachine({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): void {
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'].some((name) => name in headers);
  if (!isForwarded && isLoopback(raw.socket.remoteAddress ?? '') && isHost(headers.host, LOCAL_HOSTS)) return;
  throw new ApiFault(403, 'a one-time token is only accepted from this machine', 'foreign-host');
}
