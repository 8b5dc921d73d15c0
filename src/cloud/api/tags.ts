/** Tags (cloud C-24). */
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { NewTag, Tag, TagParams, type TagRefs, TagUpdate } from '../../contract/tags.js';
import { PageQuery, SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import { sixDigits } from '../../kernel/colour.js';
import { ApiFault, notFound, unknownId } from '../http/errors.js';
import { NoContent, operation, PageOf, type Routes } from '../http/operation.js';
import {
  type Change,
  ConflictError,
  type Id,
  type Page,
  type Store,
  type TagChange,
  type TagRow,
} from '../store/store.js';
import { needWholeSpace } from './access.js';
import type { ApiContext, Family } from './family.js';
import { IDEMPOTENCY_ERRORS, IdempotencyHeaders } from './idempotency.js';
import { type Names, namesOf } from './names.js';
import { sendPage } from './pages.js';

const NAME_TAKEN = 'The space already has a tag with this name.';

export const tags: Family = (routes, context, options) => {
  const resource = tagResource(context);
  const names = namesOf('tag', context.log, options);
  addCollection(routes, context, resource, names);
  addItem(routes, context, resource, names);
};

const COLLECTION = '/spaces/:space_id/tags';
const ITEM = '/spaces/:space_id/tags/:id';

/** Adds the routes that list and create tags. */
function addCollection(routes: Routes, context: ApiContext, resource: TagResource, names: Names): void {
  const { store, clock, ids } = context;
  routes.get(
    COLLECTION,
    operation({
      tag: 'Tags',
      id: 'listTags',
      summary: 'List tags',
      description: 'A key that is limited to tags sees only these.',
      params: SpaceParams,
      querystring: PageQuery,
      response: { 200: PageOf(Tag) },
    }),
    async (request, reply) => {
      const { spaceId, access } = request;
      const { scope } = access;
      return sendPage(context, request, reply, {
        read: (page) => (scope === null ? store.tags(spaceId, page) : resource.ofScope(spaceId, scope, page)),
        views: (rows) => rows.map(tagView),
      });
    },
  );

  routes.post(
    COLLECTION,
    operation({
      tag: 'Tags',
      id: 'createTag',
      summary: 'Create a tag',
      description: 'Names are unique within a space. The access type limits keys that have the tag.',
      params: SpaceParams,
      headers: IdempotencyHeaders,
      body: NewTag,
      response: { 201: Tag },
      errors: { 409: NAME_TAKEN, ...IDEMPOTENCY_ERRORS },
    }),
    async (request, reply) => {
      needWholeSpace(request);
      const { spaceId, body } = request;
      const { access_type: accessType = 'write' } = body;
      const row = {
        id: ids.uuid(),
        spaceId,
        name: names.read(body.name),
        color: sixDigits(body.color),
        accessType,
        createdAt: Math.floor(clock.wall),
      };
      const answer = tagView(row);
      await resource.commit(row.name, [...request.receipt(answer), { kind: 'tag.put', row }]);
      names.note(row.name);
      return reply.code(201).send(answer);
    },
  );
}

function addItem(routes: Routes, { store }: ApiContext, resource: TagResource, names: Names): void {
  routes.get(
    ITEM,
    operation({
      tag: 'Tags',
      id: 'getTag',
      summary: 'Read a tag',
      description: 'Its name, colour and access type.',
      params: TagParams,
      response: { 200: Tag },
    }),
    async (request) => tagView(await resource.find(request, request.params.id)),
  );

  routes.put(
    ITEM,
    operation({
      tag: 'Tags',
      id: 'updateTag',
      summary: 'Change a tag',
      description: 'Changes the fields that the body contains.',
      params: TagParams,
      body: TagUpdate,
      response: { 200: Tag },
      errors: { 409: NAME_TAKEN },
    }),
    async (request) => {
      const { params, body } = request;
      const before = await resource.find(request, params.id);
      needWholeSpace(request);
      const { name, color, access_type: accessType } = body;
      const change: TagChange = {
        ...(name !== undefined && { name: names.read(name) }),
        ...(color !== undefined && { color: sixDigits(color) }),
        ...(accessType !== undefined && { accessType }),
      };
      const row = { ...before, ...change };
      await resource.commit(row.name, [{ kind: 'tag.change', id: row.id, change }]);
      names.note(name);
      return tagView(row);
    },
  );

  routes.delete(
    ITEM,
    operation({
      tag: 'Tags',
      id: 'deleteTag',
      summary: 'Delete a tag and all references to it',
      description: 'Devices, connectors and keys lose the tag. A key whose last tag is deleted sees no device.',
      params: TagParams,
      response: { 204: NoContent },
    }),
    async (request, reply) => {
      const { id } = await resource.find(request, request.params.id);
      needWholeSpace(request);
      await store.commit([{ kind: 'tag.delete', id }]);
      return reply.code(204).send();
    },
  );
}

type TagResource = ReturnType<typeof tagResource>;

/** Functions that routes share: finding a tag, the page for a limited key, and the commit (409 if the name is taken). */
function tagResource({ store }: ApiContext) {
  return { find, ofScope, commit };

  async function find({ spaceId, access }: Pick<FastifyRequest, 'spaceId' | 'access'>, id: Id): Promise<TagRow> {
    const row = await store.tag(spaceId, id);
    if (!row || access.scope?.includes(id) === false) throw notFound('tag');
    return row;
  }

  /** A page of the tags that a key is limited to. */
  async function ofScope(spaceId: Id, scope: readonly Id[], { limit, after = '' }: Page): Promise<readonly TagRow[]> {
    const rows = await Promise.all([...scope].sort().map((id) => store.tag(spaceId, id)));
    return rows
      .filter((row) => row !== undefined)
      .filter((row) => row.id > after)
      .slice(0, limit);
  }

  async function commit(name: string, changes: readonly Change[]): Promise<void> {
    try {
      await store.commit(changes);
    } catch (error) {
      if (error instanceof ConflictError && error.field === 'tag-name')
        throw new ApiFault(409, `a tag "${name}" already exists`, 'name-taken');
      throw error;
    }
  }
}

function tagView(row: TagRow): Static<typeof Tag> {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    access_type: row.accessType,
    created_at: isoTime(row.createdAt),
  };
}

/**
 * Resolves references to tags.
 * @param knows whether the caller may use a tag; default: any tag of the space
 * @returns the ids, each once
 * @throws ApiFault 400 if the space has no such tag, or the caller may not use it
 */
export async function knownTags(
  store: Store,
  spaceId: Id,
  refs: Static<typeof TagRefs>,
  knows: (id: Id) => boolean = () => true,
): Promise<readonly Id[]> {
  const ids = refs.map(({ id }) => id.toLowerCase());
  const known = await tagViews(store, spaceId, ids);
  const problems = ids.flatMap((id, i) =>
    known.has(id) && knows(id) ? [] : [unknownId(`body/tags/${i}/id`, id, 'a tag').message],
  );
  if (problems.length > 0) throw new ApiFault(400, problems.join('; '), 'unknown-id');
  return [...known.keys()];
}

/** Views of tags by id. */
export type TagViews = Map<Id, Static<typeof Tag>>;

/**
 * Views of the tags with these ids, by id; deleted tags are left out.
 * @param known views that were read before; those of these tags are added
 */
export async function tagViews(
  store: Store,
  spaceId: Id,
  ids: Iterable<Id>,
  known: TagViews = new Map(),
): Promise<Readonly<TagViews>> {
  const missing = [...new Set(ids)].filter((id) => !known.has(id));
  const rows = await Promise.all(missing.map((id) => store.tag(spaceId, id)));
  for (const row of rows) if (row !== undefined) known.set(row.id, tagView(row));
  return known;
}
