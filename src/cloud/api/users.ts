/**
 * Users of a space (cloud API gaps, 3.10). An id is that of the account: the same person has the same id in every space.
 * There is always an admin, and the owner is one.
 */
import Type, { type Static } from 'typebox';
import type { Member } from '../accounts/member-records.js';
import { INVITATION } from '../accounts/members.js';
import { ApiFault, notFound } from '../http/errors.js';
import { NoContent, operation, PageOf } from '../http/operation.js';
import { Email, ItemParams, Name, Nullable, PageQuery, SpaceParams, Time, Uuid } from '../http/schemas.js';
import { isoTime } from '../http/time.js';
import type { Id } from '../store/store.js';
import type { Family } from './family.js';

const Role = Type.Enum(['admin', 'user'], { description: '"admin" or "user"' });

const UserFields = {
  id: Uuid,
  email: Type.String(),
  name: Nullable(Type.String()),
  role: Type.Enum(['admin', 'user'], { description: '`admin` (everything) or `user` (reads)' }),
  state: Type.Enum(['invited', 'active'], { description: '`invited` until the invitation is accepted' }),
  created_at: Time,
};
const User = Type.Object(UserFields, { title: 'User' });

const Invitation = Type.Object(
  {
    ...UserFields,
    invite_token: Type.String({ description: 'for `POST /v2/auth/accept`; shown only now. No mail is sent.' }),
    invite_expires_at: Time,
  },
  { title: 'Invitation' },
);

const NewUser = Type.Object(
  { email: Email, role: Type.Optional(Role), name: Type.Optional(Nullable(Name)) },
  { description: 'a JSON object' },
);
const UserUpdate = Type.Object(
  { role: Type.Optional(Role), name: Type.Optional(Nullable(Name)) },
  { description: 'a JSON object' },
);

const LAST = { 409: 'It is the last admin, or the owner, who has to hand over the space first.' };

export const users: Family = (routes, { members, clock }) => {
  const collection = '/spaces/:space_id/users';
  const item = '/spaces/:space_id/users/:id';

  routes.get(
    collection,
    operation({
      tag: 'Users',
      summary: 'List users',
      params: SpaceParams,
      querystring: Type.Object(PageQuery),
      response: { 200: PageOf(User) },
    }),
    async ({ spaceId, query: { limit = 100, offset } }, reply) => {
      const page = await members.list(spaceId, { limit, after: offset });
      if (offset === undefined && page.length < limit) reply.header('x-total', page.length);
      return page.map(userView);
    },
  );

  routes.post(
    `${collection}/invite`,
    operation({
      tag: 'Users',
      summary: 'Invite a user',
      description: 'The role is `user` unless it is given.',
      params: SpaceParams,
      body: NewUser,
      response: { 201: Invitation },
      errors: { 409: 'The address belongs to a user of the space, or to somebody who is invited already.' },
    }),
    async ({ spaceId, body }, reply) => {
      const { email, role = 'user', name = null } = body;
      const invited = await members.invite(spaceId, { email, role, name: name?.trim() ?? null });
      if (invited === 'known') throw new ApiFault(409, `"${email}" is a user of this space, or invited already`);
      const { member, token } = invited;
      const expiry = isoTime(Math.floor(clock.wall) + INVITATION);
      return reply.code(201).send({ ...userView(member), invite_token: token, invite_expires_at: expiry });
    },
  );

  routes.get(
    item,
    operation({ tag: 'Users', summary: 'Read a user', params: ItemParams, response: { 200: User } }),
    async ({ spaceId, params }) => userView(await find(spaceId, params.id)),
  );

  routes.put(
    item,
    operation({
      tag: 'Users',
      summary: 'Change a user',
      params: ItemParams,
      body: UserUpdate,
      response: { 200: User },
      errors: LAST,
    }),
    async ({ spaceId, params, body }) => {
      const { role, name } = body;
      const change = {
        ...(role !== undefined && { role }),
        ...(name !== undefined && { name: name?.trim() ?? null }),
      };
      return userView(allowed(await members.change(await find(spaceId, params.id), change)));
    },
  );

  routes.delete(
    item,
    operation({
      tag: 'Users',
      summary: 'Remove a user from the space',
      description: 'At once. The account stays.',
      params: ItemParams,
      response: { 204: NoContent },
      errors: LAST,
    }),
    async ({ spaceId, params }, reply) => {
      allowed(await members.remove(await find(spaceId, params.id)));
      return reply.code(204).send();
    },
  );

  async function find(spaceId: Id, id: Id): Promise<Member> {
    const member = await members.find(spaceId, id);
    if (!member) throw notFound('user');
    return member;
  }
};

function allowed<T>(outcome: T | 'last-admin' | 'owner' | 'gone'): T {
  if (outcome === 'last-admin') throw new ApiFault(409, 'this is the last admin of the space');
  if (outcome === 'owner') throw new ApiFault(409, 'this is the owner of the space: hand it over first');
  if (outcome === 'gone') throw notFound('user');
  return outcome;
}

function userView({ id, email, name, role, state, createdAt }: Member): Static<typeof User> {
  return { id, email, name, role, state, created_at: isoTime(createdAt) };
}
