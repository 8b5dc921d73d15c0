/** API keys (cloud C-39). The secret appears only in the answers to a creation and to a rotation. */

import type { Static } from 'typebox';
import { Key, KeyDeletion, KeyParams, KeyUpdate, KeyWithSecret, NewKey } from '../../contract/keys.js';
import { isoTimeOrNull, parseTimestamp } from '../../contract/time.js';
import { PageQuery, SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import type { UnixMillis } from '../../kernel/time.js';
import {
  type ApiKey,
  adopt,
  changeKey,
  deleteKey,
  everyKey,
  findKey,
  lastUseOf,
  listKeys,
  newSecret,
  prefixOf,
  putKey,
  rotateKey,
  withDescendants,
} from '../accounts/keys.js';
import { ApiFault, notFound } from '../http/errors.js';
import { NoContent, operation, PageOf, type Routes } from '../http/operation.js';
import type { Change, Id, Store } from '../store/store.js';
import type { Caller } from './access.js';
import type { ApiContext, Family } from './family.js';
import { sendPage } from './pages.js';
import { Quota } from './quotas.js';
import { knownTags, type TagViews, tagViews } from './tags.js';

export const keys: Family = (routes, context) => {
  const resource = keyResource(context);
  addCollection(routes, context, resource);
  addItem(routes, context, resource);
};

const COLLECTION = '/spaces/:space_id/keys';
const ITEM = '/spaces/:space_id/keys/:id';

/** Maximum number of keys of a space. A change of a key can concern all keys that were made with it. */
const MOST = 1000;

function addCollection(routes: Routes, context: ApiContext, resource: KeyResource): void {
  const { store, clock, ids, random } = context;
  const quota = new Quota(
    context,
    (spaceId) => ['key', spaceId],
    MOST,
    `the space already has ${MOST} keys, which is the maximum; delete some`,
  );

  routes.get(
    COLLECTION,
    operation({
      tag: 'Keys',
      id: 'listKeys',
      summary: 'List API keys',
      description: 'Without their secrets; `prefix` has the first characters of a secret.',
      params: SpaceParams,
      querystring: PageQuery,
      response: { 200: PageOf(Key) },
    }),
    (request, reply) => {
      const { spaceId } = request;
      const known: TagViews = new Map();
      return sendPage(context, request, reply, {
        read: (page) => listKeys(store, spaceId, page),
        views: async (listed) => {
          const ids = listed.flatMap(({ tagIds }) => tagIds ?? []);
          const tags = await tagViews(store, spaceId, ids, known);
          return Promise.all(listed.map((key) => resource.view(key, tags)));
        },
      });
    },
  );

  routes.post(
    COLLECTION,
    operation({
      tag: 'Keys',
      id: 'createKey',
      summary: 'Create an API key',
      description:
        'A key with `tags` sees only the devices that have one of them. `access_type` defaults to `write`. After `expires_at`, ' +
        'the key is not valid; by default, it is valid until it is deleted. If a key is created with another key, `parent_id` ' +
        'is the id of that key, and the new key does not expire later.',
      params: SpaceParams,
      body: NewKey,
      response: { 201: KeyWithSecret },
      errors: { 409: `The space already has ${MOST} keys (\`quota\`).` },
    }),
    async ({ spaceId, body, access }, reply) => {
      const fields = {
        id: ids.uuid(),
        spaceId,
        name: body.name.trim(),
        prefix: '',
        tagIds: await resource.limitOf(spaceId, body),
        access: body.access_type ?? 'write',
        createdAt: Math.floor(clock.wall),
        ...(access.keyId !== null && { parentId: access.keyId }),
      };
      const secret = newSecret(random);
      const make = async () => {
        const parent = await ownKey(store, { spaceId, access });
        const made: ApiKey = { ...fields, expiresAt: await resource.endOf(body.expires_at, { spaceId, access }) };
        // The parent changes too, so that of this commit and one that deletes the parent or moves its end, one fails.
        const counted = parent ? [changeKey(parent, { ...parent, created: (parent.created ?? 0) + 1 })] : [];
        await store.commit([...counted, ...putKey(made, secret)]);
        return made;
      };
      const key = await quota.within(reply, spaceId, make);
      return reply.code(201).send(await resource.withSecret(key, secret));
    },
  );
}

/** Keys change together: the creation, change or deletion of a key can change keys that were made with it, or its parent. */
function keysOf(spaceId: Id): string {
  return `key/${spaceId}`;
}

/** Adds the routes that read, change, delete and rotate one key. */
function addItem(routes: Routes, { store, random, changes }: ApiContext, resource: KeyResource): void {
  routes.get(
    ITEM,
    operation({
      tag: 'Keys',
      id: 'getKey',
      summary: 'Read an API key',
      description: 'Without its secret.',
      params: KeyParams,
      response: { 200: Key },
    }),
    async ({ spaceId, params }) => resource.view(await resource.find(spaceId, params.id)),
  );

  routes.put(
    ITEM,
    operation({
      tag: 'Keys',
      id: 'updateKey',
      summary: 'Change an API key',
      description:
        '`tags` replaces the whole set; with an empty list the key sees the whole space. If the key gets an earlier end, the keys ' +
        'that it has created end at that time too. A key with an end cannot change a key that is valid longer.',
      params: KeyParams,
      body: KeyUpdate,
      response: { 200: Key },
    }),
    ({ spaceId, params, body, access }, reply) =>
      changes.run(reply, keysOf(spaceId), async () => {
        const before = await resource.find(spaceId, params.id);
        await resource.needAsLong(before, { spaceId, access });
        const key: ApiKey = {
          ...before,
          name: body.name?.trim() ?? before.name,
          tagIds: await resource.limitOf(spaceId, body, before.tagIds),
          access: body.access_type ?? before.access,
          expiresAt:
            body.expires_at === undefined
              ? before.expiresAt
              : await resource.endOf(body.expires_at, { spaceId, access }),
        };
        await store.commit([changeKey(before, key), ...(await resource.shortened(key))]);
        return resource.view(key);
      }),
  );

  routes.delete(
    ITEM,
    operation({
      tag: 'Keys',
      id: 'deleteKey',
      summary: 'Delete an API key',
      description:
        'The key becomes invalid immediately. Keys that were created with it stay valid, unless `children` is `true`; their ' +
        '`parent_id` becomes that of the deleted key.',
      params: KeyParams,
      querystring: KeyDeletion,
      response: { 204: NoContent },
    }),
    async ({ spaceId, params, query }, reply) => {
      await changes.run(reply, keysOf(spaceId), async () => {
        const key = await resource.find(spaceId, params.id);
        const ended = query.children === 'true' ? await withDescendants(store, key) : [key];
        const kept = query.children === 'true' ? [] : adopt(key, await everyKey(store, spaceId));
        // They are changed first, so that the commit fails if one has created a key in the meantime.
        const unchanged = ended.map((each) => changeKey(each, each));
        await store.commit([...unchanged, ...kept, ...ended.flatMap(({ id }) => deleteKey(id))]);
      });
      return reply.code(204).send();
    },
  );

  routes.post(
    `${ITEM}/rotate`,
    operation({
      tag: 'Keys',
      id: 'rotateKey',
      summary: 'Replace the secret of an API key',
      description:
        'The old secret becomes invalid immediately. A key with an end cannot rotate a key that is valid longer.',
      params: KeyParams,
      response: { 200: KeyWithSecret },
    }),
    ({ spaceId, params, access }, reply) =>
      changes.run(reply, keysOf(spaceId), async () => {
        const key = await resource.find(spaceId, params.id);
        await resource.needAsLong(key, { spaceId, access });
        const secret = newSecret(random);
        await store.commit(rotateKey(key, secret));
        return resource.withSecret(key, secret);
      }),
  );
}

/**
 * When the API key of a caller ends, and with it all access that it gives to others. Undefined: the caller has no end, is a
 * login, or a session of the web console, whose user operates the service.
 * @throws ApiFault 401 if the key was deleted after the request began
 */
async function endOfCaller(store: Store, caller: Caller): Promise<UnixMillis | undefined> {
  const own = await ownKey(store, caller);
  return own?.isSession ? undefined : own?.expiresAt;
}

/** @throws ApiFault 403 for an API key with an end: what it gives here has none, and could be given to the holder of the key */
export async function needNoEnd(store: Store, caller: Caller): Promise<void> {
  const end = await endOfCaller(store, caller);
  if (end === undefined) return;
  throw new ApiFault(403, `this API key ends at ${isoTime(end)} and cannot give access that lasts longer`, 'key-ends');
}

/** The API key of a caller; undefined for a login. @throws ApiFault 401 if it was deleted after the request began */
async function ownKey(store: Store, { spaceId, access }: Caller): Promise<ApiKey | undefined> {
  if (access.keyId === null) return undefined;
  const own = await findKey(store, spaceId, access.keyId);
  if (!own) throw new ApiFault(401, 'this API key was deleted');
  return own;
}

function endsBy({ expiresAt }: ApiKey, time: UnixMillis): boolean {
  return expiresAt !== undefined && expiresAt <= time;
}

type KeyResource = ReturnType<typeof keyResource>;

/** Functions that several routes share: finding a key, reading its tags and its expiry from a body, and the views. */
function keyResource({ store, clock }: ApiContext) {
  return { find, withSecret, limitOf, endOf, needAsLong, shortened, view };

  async function find(spaceId: Id, id: Id): Promise<ApiKey> {
    const key = await findKey(store, spaceId, id);
    if (!key) throw notFound('key');
    return key;
  }

  async function withSecret(key: ApiKey, secret: string): Promise<Static<typeof KeyWithSecret>> {
    return { ...(await view({ ...key, prefix: prefixOf(secret) })), key: secret };
  }

  /** Tags to which a body limits a key; null: the key sees the whole space. Without tags, `scope` decides. */
  async function limitOf(
    spaceId: Id,
    { tags, scope }: Pick<Static<typeof KeyUpdate>, 'tags' | 'scope'>,
    before: readonly Id[] | null = null,
  ): Promise<readonly Id[] | null> {
    if (tags !== undefined && tags.length > 0) return knownTags(store, spaceId, tags);
    if (scope === 'tags') return before ?? [];
    return tags === undefined && scope === undefined ? before : null;
  }

  /**
   * The time at which a key expires; undefined: never. It is not later than the end of the caller, see {@link endOfCaller}.
   * @throws ApiFault 400 for a time in the past, or after the end of the caller's key
   */
  async function endOf(text: string | null | undefined, caller: Caller): Promise<UnixMillis | undefined> {
    const latest = await endOfCaller(store, caller);
    if (text === null || text === undefined) return latest;
    const at = parseTimestamp(text) ?? 0;
    if (at <= clock.wall) throw new ApiFault(400, `body/expires_at "${text}" is not in the future`);
    if (latest !== undefined && at > latest)
      throw new ApiFault(400, `body/expires_at "${text}" is after the end of this API key, ${isoTime(latest)}`);
    return at;
  }

  /**
   * @throws ApiFault 403 if the key is valid longer than the caller, who could otherwise extend its own access by it. A session
   * counts as longer, because keys without an end can be created with it.
   */
  async function needAsLong(key: ApiKey, caller: Caller): Promise<void> {
    const end = await endOfCaller(store, caller);
    if (end === undefined || (endsBy(key, end) && !key.isSession)) return;
    throw new ApiFault(
      403,
      `this API key ends at ${isoTime(end)} and cannot change a key that is valid longer`,
      'key-ends',
    );
  }

  /** Changes after which the keys that were created with a key end no later than this key. */
  async function shortened(key: ApiKey): Promise<readonly Change[]> {
    const { expiresAt } = key;
    if (expiresAt === undefined || key.isSession) return [];
    const longer = (await withDescendants(store, key)).slice(1).filter((each) => !endsBy(each, expiresAt));
    return longer.map((each) => changeKey(each, { ...each, expiresAt }));
  }

  /** @param known views of the tags of the key, among others; default: they are read */
  async function view(key: ApiKey, known?: Awaited<ReturnType<typeof tagViews>>): Promise<Static<typeof Key>> {
    const tags = known ?? (await tagViews(store, key.spaceId, key.tagIds ?? []));
    return {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      scope: key.tagIds === null ? 'space' : 'tags',
      tags: (key.tagIds ?? []).flatMap((id) => tags.get(id) ?? []),
      access_type: key.access,
      created_at: isoTime(key.createdAt),
      expires_at: isoTimeOrNull(key.expiresAt ?? null),
      last_used_at: isoTimeOrNull(await lastUseOf(store, key)),
      parent_id: key.parentId ?? null,
    };
  }
}
