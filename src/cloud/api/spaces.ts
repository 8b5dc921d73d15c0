/** Spaces (cloud C-21). A key sees its own space; a login those of its account, and it can create more. */

import type { Static } from 'typebox';
import { NewSpace, Space, SpaceUpdate } from '../../contract/spaces.js';
import type { Role } from '../../contract/users.js';
import { PageQuery, SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import { endMembership, indexOf } from '../accounts/member-records.js';
import { MOST_SPACES } from '../accounts/members.js';
import { deletionOf } from '../accounts/spaces.js';
import { ApiFault, notFound, unknownId } from '../http/errors.js';
import { NoContent, operation, PageOf, type Routes } from '../http/operation.js';
import { ConflictError, type Id, isDeleted, type Page, type SpaceRow } from '../store/store.js';
import { type Access, credentialOf, needWholeSpace } from './access.js';
import type { ApiContext, Family } from './family.js';
import { needNoEnd } from './keys.js';
import { type Names, namesOf } from './names.js';
import { sendPage } from './pages.js';
import { Quota } from './quotas.js';

export const spaces: Family = (routes, context, options) => {
  const resource = spaceResource(context);
  const names = namesOf('space', context.log, options);
  addCollection(routes, context, resource, names);
  addItem(routes, context, resource, names);
};

export const TOO_MANY_SPACES = `the account already is in ${MOST_SPACES} spaces, which is the maximum`;

const COLLECTION = '/spaces';
const ITEM = '/spaces/:space_id';

/** Adds the routes that list and create spaces. */
function addCollection(routes: Routes, context: ApiContext, resource: SpaceResource, names: Names): void {
  const { store, members, clock, ids } = context;
  const quota = new Quota(context, (userId) => [indexOf(userId), null], MOST_SPACES, TOO_MANY_SPACES);
  routes.get(
    COLLECTION,
    operation({
      tag: 'Spaces',
      id: 'listSpaces',
      summary: 'List spaces',
      description: 'The space of the API key, or all spaces of which the account of the login is a member.',
      querystring: PageQuery,
      response: { 200: PageOf(Space) },
    }),
    (request, reply) => {
      const { access } = request;
      return sendPage(context, request, reply, {
        read: (page) => resource.visibleSpaces(access, page),
        views: async (visible) => {
          const views: Static<typeof Space>[] = [];
          for (const { id } of visible) {
            const role = access.userId === null ? access.role : await resource.roleIn(id, access.userId);
            // A space may have been deleted, or left, since the page was read.
            const row = role && (await store.space(id));
            if (row && !isDeleted(row)) views.push(await resource.view(row, role));
          }
          return views;
        },
      });
    },
  );

  routes.post(
    COLLECTION,
    operation({
      tag: 'Spaces',
      id: 'createSpace',
      summary: 'Create a space',
      description:
        'The account of the login becomes the owner. An API key cannot create spaces. `type` defaults to `team`.',
      body: NewSpace,
      response: { 201: Space },
      errors: { 409: 'The account already is in the maximum number of spaces (`quota`).' },
    }),
    async ({ access, body }, reply) => {
      if (access.userId === null)
        throw new ApiFault(403, 'only a login can create spaces: an API key is limited to its own space');
      if (access.boundTo !== null)
        throw new ApiFault(403, 'a login that is bound to a space cannot create spaces: log in again');
      const { name, type = 'team' } = body;
      const row = { id: ids.uuid(), name: names.read(name), type, createdAt: Math.floor(clock.wall) };
      const founded = await members.founding(row.id, access.userId);
      await quota.within(reply, access.userId, () => store.commit([{ kind: 'space.put', row }, ...founded]));
      names.note(name);
      return reply.code(201).send(await resource.view(row, 'admin'));
    },
  );
}

function addItem(routes: Routes, { store, members, clock }: ApiContext, resource: SpaceResource, names: Names): void {
  routes.get(
    ITEM,
    operation({
      tag: 'Spaces',
      id: 'getSpace',
      summary: 'Read a space',
      description: 'With its owner, and the role that the caller has in it.',
      params: SpaceParams,
      response: { 200: Space },
    }),
    async ({ spaceId, access }) => resource.view(await resource.find(spaceId), access.role),
  );

  routes.put(
    ITEM,
    operation({
      tag: 'Spaces',
      id: 'updateSpace',
      summary: 'Change a space',
      description:
        '`owner_id` transfers the space to another of its admins. Only the owner may do this, if the space has one.',
      params: SpaceParams,
      body: SpaceUpdate,
      response: { 200: Space },
    }),
    async (request) => {
      needWholeSpace(request);
      const { spaceId, access, body } = request;
      const before = await resource.find(spaceId);
      const { name, type, owner_id: ownerId } = body;
      const change = {
        ...(name !== undefined && { name: names.read(name) }),
        ...(type !== undefined && { type }),
      };
      if (typeof ownerId === 'string') {
        await needNoEnd(store, { spaceId, access });
        await resource.handOver(spaceId, access, ownerId.toLowerCase());
      }
      await store.commit([{ kind: 'space.change', id: spaceId, change }]);
      names.note(name);
      return resource.view({ ...before, ...change }, access.role);
    },
  );

  routes.delete(
    ITEM,
    operation({
      tag: 'Spaces',
      id: 'deleteSpace',
      summary: 'Delete a space',
      description:
        'Deletes its tags, connectors, variables, users and keys as well. A space with devices cannot be deleted. Only the ' +
        'owner may delete a space; any admin may delete a space without an owner. An API key cannot.',
      params: SpaceParams,
      response: { 204: NoContent },
      errors: { 409: 'The space has devices.' },
    }),
    async ({ spaceId, access }, reply) => {
      if (access.userId === null)
        throw new ApiFault(403, 'only a login can delete spaces: an API key is limited to its own space');
      const owner = await members.ownerOf(spaceId);
      if (owner !== null && owner !== access.userId) throw new ApiFault(403, 'only the owner may delete a space');
      try {
        const own = endMembership({ id: access.userId, spaceId });
        await store.commit([...own, ...deletionOf(spaceId, Math.floor(clock.wall))]);
      } catch (error) {
        if (!(error instanceof ConflictError && error.field === 'space-devices')) throw error;
        const devices = await store.countDevices(spaceId, {});
        throw new ApiFault(409, `the space still has devices (${devices}): delete them first`, 'has-devices');
      }
      return reply.code(204).send();
    },
  );
}

type SpaceResource = ReturnType<typeof spaceResource>;

/** Functions that the routes share: the spaces that a caller sees, the transfer to another owner, and the view. */
function spaceResource({ store, members }: ApiContext) {
  return { visibleSpaces, roleIn, handOver, find, view };

  /** Ids of the spaces that a caller sees. */
  async function visibleSpaces({ userId, boundTo, role }: Access, { limit, after }: Page) {
    if (boundTo !== null) {
      if (after !== undefined && after >= boundTo) return [];
      const own = userId === null ? role : await roleIn(boundTo, userId);
      return own ? [{ id: boundTo }] : [];
    }
    return userId === null ? [] : (await members.spacesOf(userId, { limit, after })).map((id) => ({ id }));
  }

  async function roleIn(spaceId: Id, userId: Id): Promise<Role | undefined> {
    const member = await members.find(spaceId, userId);
    return member?.state === 'active' ? member.role : undefined;
  }

  async function handOver(spaceId: Id, access: Access, to: Id): Promise<void> {
    const owner = await members.ownerOf(spaceId);
    if (owner === to) return;
    if (owner !== null && owner !== access.userId) throw new ApiFault(403, 'only the owner may transfer a space');
    if (!(await members.own(spaceId, to, credentialOf(access)))) {
      throw unknownId('body/owner_id', to, 'an admin');
    }
  }

  async function find(id: Id): Promise<SpaceRow> {
    const space = await store.space(id);
    if (!space) throw notFound('space');
    return space;
  }

  async function view(row: SpaceRow, role: string): Promise<Static<typeof Space>> {
    return {
      id: row.id,
      name: row.name,
      type: row.type,
      owner_id: await members.ownerOf(row.id),
      user_role: role,
      created_at: isoTime(row.createdAt),
    };
  }
}
