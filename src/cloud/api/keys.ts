/** API keys (cloud API gaps, 3.11). The secret appears only in the answers to a creation and to a rotation. */
import Type, { type Static } from 'typebox';
import { isoTime } from '../../kernel/calendar.js';
import {
  type ApiKey,
  changeKey,
  deleteKey,
  findKey,
  lastUseOf,
  listKeys,
  newSecret,
  prefixOf,
  putKey,
  rotateKey,
} from '../accounts/keys.js';
import { notFound } from '../http/errors.js';
import { NoContent, operation, PageOf } from '../http/operation.js';
import type { Routes } from '../http/routes.js';
import { ItemParams, Name, Nullable, PageQuery, SpaceParams, Time, Uuid } from '../http/schemas.js';
import { isoTimeOrNull } from '../http/time.js';
import { untilUndisturbed } from '../store/records.js';
import type { Id } from '../store/store.js';
import type { ApiContext, Family } from './family.js';
import { knownTags, Tag, TagRefs, tagViews } from './tags.js';

const KeyFields = {
  id: Uuid,
  name: Type.String(),
  prefix: Type.String({ description: 'first characters of the secret' }),
  scope: Type.Enum(['space', 'tags'], {
    description: '`space`: the key sees the whole space; `tags`: only the devices with its tags',
  }),
  tags: Type.Array(Tag, { description: 'deleted tags are left out' }),
  access_type: Type.Enum(['write', 'read'], { description: '`read`: the key may only read' }),
  created_at: Time,
  last_used_at: Nullable(Time),
};
const Key = Type.Object(KeyFields, { title: 'Key' });
const KeyWithSecret = Type.Object(
  { ...KeyFields, key: Type.String({ description: 'the secret; shown only now' }) },
  { title: 'KeyWithSecret' },
);

const NewKey = Type.Object(
  {
    name: Name,
    tags: Type.Optional(TagRefs),
    access_type: Type.Optional(Type.Enum(['write', 'read'], { description: '"write" or "read"' })),
  },
  { description: 'a JSON object' },
);
const KeyUpdate = Type.Partial(NewKey, { description: 'a JSON object' });

export const keys: Family = (routes, context) => {
  const resource = keyResource(context);
  addCollection(routes, context, resource);
  addItem(routes, context, resource);
};

const COLLECTION = '/spaces/:space_id/keys';
const ITEM = '/spaces/:space_id/keys/:id';

/** List and create. */
function addCollection(routes: Routes, { store, clock, ids, random }: ApiContext, resource: KeyResource): void {
  routes.get(
    COLLECTION,
    operation({
      tag: 'Keys',
      summary: 'List API keys',
      params: SpaceParams,
      querystring: Type.Object(PageQuery),
      response: { 200: PageOf(Key) },
    }),
    async ({ spaceId, query: { limit = 100, offset } }, reply) => {
      const page = await listKeys(store, spaceId, { limit, after: offset });
      if (offset === undefined && page.length < limit) reply.header('x-total', page.length);
      return Promise.all(page.map(resource.view));
    },
  );

  routes.post(
    COLLECTION,
    operation({
      tag: 'Keys',
      summary: 'Create an API key',
      description: 'A key with `tags` sees only the devices that have one of them. `access_type` defaults to `write`.',
      params: SpaceParams,
      body: NewKey,
      response: { 201: KeyWithSecret },
    }),
    async ({ spaceId, body }, reply) => {
      const key: ApiKey = {
        id: ids.uuid(),
        spaceId,
        name: body.name.trim(),
        prefix: '',
        tagIds: await resource.limitOf(spaceId, body.tags),
        access: body.access_type ?? 'write',
        createdAt: Math.floor(clock.wall),
      };
      const secret = newSecret(random);
      await store.commit(putKey(key, secret));
      return reply.code(201).send(await resource.withSecret(key, secret));
    },
  );
}

/** Read, change, delete and rotate one key. */
function addItem(routes: Routes, { store, random }: ApiContext, resource: KeyResource): void {
  routes.get(
    ITEM,
    operation({ tag: 'Keys', summary: 'Read an API key', params: ItemParams, response: { 200: Key } }),
    async ({ spaceId, params }) => resource.view(await resource.find(spaceId, params.id)),
  );

  routes.put(
    ITEM,
    operation({
      tag: 'Keys',
      summary: 'Change an API key',
      description: '`tags` replaces the whole set; with an empty list the key sees the whole space.',
      params: ItemParams,
      body: KeyUpdate,
      response: { 200: Key },
    }),
    ({ spaceId, params, body }) =>
      untilUndisturbed(async () => {
        const before = await resource.find(spaceId, params.id);
        const key: ApiKey = {
          ...before,
          name: body.name?.trim() ?? before.name,
          tagIds: body.tags === undefined ? before.tagIds : await resource.limitOf(spaceId, body.tags),
          access: body.access_type ?? before.access,
        };
        await store.commit([changeKey(before, key)]);
        return resource.view(key);
      }),
  );

  routes.delete(
    ITEM,
    operation({ tag: 'Keys', summary: 'Delete an API key', params: ItemParams, response: { 204: NoContent } }),
    async ({ spaceId, params }, reply) => {
      await store.commit(deleteKey((await resource.find(spaceId, params.id)).id));
      return reply.code(204).send();
    },
  );

  routes.post(
    `${ITEM}/rotate`,
    operation({
      tag: 'Keys',
      summary: 'Replace the secret of an API key',
      description: 'The old secret becomes invalid immediately.',
      params: ItemParams,
      response: { 200: KeyWithSecret },
    }),
    ({ spaceId, params }) =>
      untilUndisturbed(async () => {
        const key = await resource.find(spaceId, params.id);
        const secret = newSecret(random);
        await store.commit(rotateKey(key, secret));
        return resource.withSecret(key, secret);
      }),
  );
}

type KeyResource = ReturnType<typeof keyResource>;

/** What several routes share: finding a key, reading its tags from a body, and the views. */
function keyResource({ store }: ApiContext) {
  return { find, withSecret, limitOf, view };

  async function find(spaceId: Id, id: Id): Promise<ApiKey> {
    const key = await findKey(store, spaceId, id);
    if (!key) throw notFound('key');
    return key;
  }

  async function withSecret(key: ApiKey, secret: string): Promise<Static<typeof KeyWithSecret>> {
    return { ...(await view({ ...key, prefix: prefixOf(secret) })), key: secret };
  }

  async function limitOf(spaceId: Id, tags: Static<typeof TagRefs> = []): Promise<readonly Id[] | null> {
    return tags.length === 0 ? null : knownTags(store, spaceId, tags);
  }

  async function view(key: ApiKey): Promise<Static<typeof Key>> {
    const tags = await tagViews(store, key.spaceId, key.tagIds ?? []);
    return {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      scope: key.tagIds === null ? 'space' : 'tags',
      tags: [...tags.values()],
      access_type: key.access,
      created_at: isoTime(key.createdAt),
      last_used_at: isoTimeOrNull(await lastUseOf(store, key)),
    };
  }
}
