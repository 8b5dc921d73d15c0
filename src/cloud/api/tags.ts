/** Tags (device cloud API, "Tags"; cloud API gaps, 3.4). */
import Type from 'typebox';
import { ConflictError, type Id, type Store, type TagRow } from '../store/store.js';
import { ApiFault, notFound } from './errors.js';
import type { Family } from './family.js';
import { followsNamingRule, ItemParams, Name, PageQuery, SpaceParams } from './schemas.js';
import { isoTime } from './time.js';

const Fields = {
  name: Name,
  color: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'a colour such as "#1f77b4"' }),
  access_type: Type.Optional(Type.Enum(['write', 'read'], { description: '"write" or "read"' })),
};
const NewTag = Type.Object(Fields, { description: 'a JSON object' });
const TagUpdate = Type.Partial(NewTag);

export const tags: Family = (routes, { store, clock, ids, log }) => {
  routes.get(
    '/spaces/:space_id/tags',
    { schema: { params: SpaceParams, querystring: Type.Object(PageQuery) } },
    async (request, reply) => {
      const { limit = 100, offset } = request.query;
      const rows = await store.tags(request.spaceId, { limit, after: offset });
      if (offset === undefined && rows.length < limit) reply.header('x-total', rows.length);
      return rows.map(tagView);
    },
  );

  routes.post(
    '/spaces/:space_id/tags',
    { schema: { params: SpaceParams, body: NewTag } },
    async ({ spaceId, body }, reply) => {
      const { color, access_type: accessType = 'write' } = body;
      const row = {
        id: ids.uuid(),
        spaceId,
        name: named(body.name),
        color,
        accessType,
        createdAt: Math.floor(clock.wall),
      };
      await put(row);
      return reply.code(201).send(tagView(row));
    },
  );

  routes.get('/spaces/:space_id/tags/:id', { schema: { params: ItemParams } }, async ({ spaceId, params }) =>
    tagView(await find(spaceId, params.id)),
  );

  routes.put(
    '/spaces/:space_id/tags/:id',
    { schema: { params: ItemParams, body: TagUpdate } },
    async ({ spaceId, params, body }) => {
      const before = await find(spaceId, params.id);
      const { name = before.name, color = before.color, access_type: accessType = before.accessType } = body;
      const row = { ...before, name: named(name), color, accessType };
      await put(row);
      return tagView(row);
    },
  );

  routes.delete('/spaces/:space_id/tags/:id', { schema: { params: ItemParams } }, async (request, reply) => {
    const { id } = await find(request.spaceId, request.params.id);
    await store.commit([{ kind: 'tag.delete', id }]);
    return reply.code(204).send();
  });

  async function find(spaceId: Id, id: Id): Promise<TagRow> {
    const row = await store.tag(spaceId, id);
    if (!row) throw notFound('tag');
    return row;
  }

  async function put(row: TagRow): Promise<void> {
    try {
      await store.commit([{ kind: 'tag.put', row }]);
    } catch (error) {
      if (error instanceof ConflictError) throw new ApiFault(409, `there is a tag "${row.name}" already`);
      throw error;
    }
  }

  function named(given: string): string {
    const name = given.trim();
    if (!followsNamingRule(name)) log.warn({ name }, 'the name of a tag breaks the naming rule');
    return name;
  }
};

export function tagView(row: TagRow) {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    access_type: row.accessType,
    created_at: isoTime(row.createdAt),
  };
}

/** The tags of these ids, as the API shows them; those that are gone are left out. */
export async function tagViews(store: Store, spaceId: Id, ids: Iterable<Id>) {
  const rows = await Promise.all([...new Set(ids)].map((id) => store.tag(spaceId, id)));
  return new Map(rows.filter((row) => row !== undefined).map((row) => [row.id, tagView(row)]));
}
