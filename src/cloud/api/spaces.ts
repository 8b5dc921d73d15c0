/** Spaces (cloud API gaps, 3.2). A key sees one space, its own. */
import Type from 'typebox';
import type { SpaceRow } from '../store/store.js';
import { notFound } from './errors.js';
import type { Family } from './family.js';
import { PageQuery, SpaceParams } from './schemas.js';
import { isoTime } from './time.js';

export const spaces: Family = (routes, { store }) => {
  routes.get('/spaces', { schema: { querystring: Type.Object(PageQuery) } }, async (request, reply) => {
    const space = await store.space(request.spaceId);
    const { offset } = request.query;
    reply.header('x-total', 1);
    return space && (offset === undefined || offset < space.id) ? [spaceView(space)] : [];
  });

  routes.get('/spaces/:space_id', { schema: { params: SpaceParams } }, async (request) => {
    const space = await store.space(request.params.space_id);
    if (!space) throw notFound('space');
    return spaceView(space);
  });
};

function spaceView(row: SpaceRow) {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    owner_id: null,
    user_role: 'admin',
    created_at: isoTime(row.createdAt),
  };
}
