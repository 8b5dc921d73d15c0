/**
 * Users of a space (cloud C-38). The id of a user is the id of the account, and so is the same in every space. The owner and
 * the last active admin of a space can be neither removed nor demoted.
 */

import type { Static } from 'typebox';
import { Invitation, NewUser, User, UserParams, UserUpdate } from '../../contract/users.js';
import { PageQuery, SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import type { Member } from '../accounts/member-records.js';
import { INVITATION } from '../accounts/members.js';
import { ApiFault, notFound } from '../http/errors.js';
import { NoContent, operation, PageOf, type Routes } from '../http/operation.js';
import type { Id } from '../store/store.js';
import { credentialOf } from './access.js';
import type { ApiContext, Family } from './family.js';
import { needSame } from './fixed-fields.js';
import { needNoEnd } from './keys.js';
import { sendPage } from './pages.js';

const LAST = { 409: 'The user is the last admin, or the owner, who must transfer the space first.' };

export const users: Family = (routes, context) => {
  addCollection(routes, context);
  addItem(routes, context);
};

const COLLECTION = '/spaces/:space_id/users';
const ITEM = '/spaces/:space_id/users/:id';

/** Adds the routes that list and invite users. */
function addCollection(routes: Routes, context: ApiContext): void {
  const { store, members, clock } = context;
  routes.get(
    COLLECTION,
    operation({
      tag: 'Users',
      id: 'listUsers',
      summary: 'List users',
      description: 'The members of the space, and those who are invited.',
      params: SpaceParams,
      querystring: PageQuery,
      response: { 200: PageOf(User) },
    }),
    (request, reply) =>
      sendPage(context, request, reply, {
        read: (page) => members.list(request.spaceId, page),
        views: (listed) => listed.map(userView),
      }),
  );

  routes.post(
    `${COLLECTION}/invite`,
    operation({
      tag: 'Users',
      id: 'inviteUser',
      summary: 'Invite a user',
      description:
        '`role` defaults to `user`. The service sends no mail: hand the `invite_token` of the answer to the owner of the ' +
        'address. It is valid once, for 7 days, and only together with the address and the password of its account. A key ' +
        'with an end cannot invite: the membership would outlive it.',
      params: SpaceParams,
      body: NewUser,
      response: { 201: Invitation },
      errors: { 409: 'The address already belongs to a user of the space, or has an invitation that has not expired.' },
    }),
    async ({ spaceId, body, access }, reply) => {
      const { email, role = 'user', name = null } = body;
      await needNoEnd(store, { spaceId, access });
      const invited = await members.invite(spaceId, { email, role, name: name?.trim() ?? null }, credentialOf(access));
      if (invited === 'known')
        throw new ApiFault(
          409,
          `"${email}" is already a user of this space, or has a valid invitation; to replace this, remove the user first`,
          'user-known',
        );
      const { member, token } = invited;
      const expiry = isoTime(Math.floor(clock.wall) + INVITATION);
      return reply.code(201).send({ ...userView(member), invite_token: token, invite_expires_at: expiry });
    },
  );
}

/** Adds the routes that read, change and remove one user. */
function addItem(routes: Routes, { store, members }: ApiContext): void {
  routes.get(
    ITEM,
    operation({
      tag: 'Users',
      id: 'getUser',
      summary: 'Read a user',
      description: 'The id of a user is the same in every space.',
      params: UserParams,
      response: { 200: User },
    }),
    async ({ spaceId, params }) => userView(await find(spaceId, params.id)),
  );

  routes.put(
    ITEM,
    operation({
      tag: 'Users',
      id: 'updateUser',
      summary: 'Change a user',
      description:
        'Changes the role and the name in this space. The new role takes effect immediately. The address cannot be changed.',
      params: UserParams,
      body: UserUpdate,
      response: { 200: User },
      errors: LAST,
    }),
    async ({ spaceId, params, body, access }) => {
      const { role, name } = body;
      const before = await find(spaceId, params.id);
      const why = 'the address of a user cannot be changed: invite the new one';
      needSame(body, { field: 'email', is: before.email, why, code: 'email-fixed' });
      if (role === 'admin') await needNoEnd(store, { spaceId, access });
      const change = {
        ...(role !== undefined && { role }),
        ...(name !== undefined && { name: name?.trim() ?? null }),
      };
      return userView(allowed(await members.change(before, change, credentialOf(access))));
    },
  );

  routes.delete(
    ITEM,
    operation({
      tag: 'Users',
      id: 'deleteUser',
      summary: 'Remove a user from the space',
      description: 'Takes effect immediately. The account itself is not deleted.',
      params: UserParams,
      response: { 204: NoContent },
      errors: LAST,
    }),
    async ({ spaceId, params, access }, reply) => {
      allowed(await members.remove(await find(spaceId, params.id), credentialOf(access)));
      return reply.code(204).send();
    },
  );

  async function find(spaceId: Id, id: Id): Promise<Member> {
    const member = await members.find(spaceId, id);
    if (!member) throw notFound('user');
    return member;
  }
}

/** Returns the result of a change of a member, or throws the error for the reason why it was not made. */
function allowed<T>(result: T | 'last-admin' | 'owner' | 'gone'): T {
  if (result === 'last-admin') throw new ApiFault(409, 'this is the last admin of the space', 'last-admin');
  if (result === 'owner')
    throw new ApiFault(409, 'this is the owner of the space: transfer the space first', 'space-owner');
  if (result === 'gone') throw notFound('user');
  return result;
}

function userView({ id, email, name, role, state, createdAt }: Member): Static<typeof User> {
  return { id, email, name, role, state, created_at: isoTime(createdAt) };
}
