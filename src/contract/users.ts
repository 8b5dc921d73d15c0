/** Users of a space (cloud C-38). */
import Type from 'typebox';
import { Answer, Body, CreatedAt, Email, EXAMPLE, Field, ItemParams, Name, Nullable, OwnId, Time } from './values.js';

const ROLES = ['admin', 'user'] as const;
export type Role = (typeof ROLES)[number];

const EMAIL = 'Address that identifies the account.';
const NAME = 'Name of the resource.';
const ROLE = '`admin` may read and write, `user` may read. Default: `user`.';

const UserFields = {
  id: OwnId,
  email: Field(EMAIL, Type.String()),
  name: Field(NAME, Nullable(Type.String())),
  role: Field(ROLE, Type.Enum([...ROLES], { description: '`admin` (read and write) or `user` (read)' })),
  state: Type.Enum(['invited', 'active'], { description: '`invited` until the invitation is accepted' }),
  created_at: CreatedAt,
};
const USER_EXAMPLE = {
  id: EXAMPLE.account,
  email: 'eva@example.com',
  name: 'Eva',
  role: 'user' as const,
  state: 'invited' as const,
  created_at: EXAMPLE.created,
};
export const User = Answer('User', UserFields, USER_EXAMPLE);

export const Invitation = Answer(
  'Invitation',
  {
    ...UserFields,
    invite_token: Type.String({
      description: 'token for `POST /v2/auth/accept`; it is shown only in this answer, and no mail is sent',
    }),
    invite_expires_at: Field('Time at which the invitation expires.', Time),
  },
  { ...USER_EXAMPLE, invite_token: 'q3JX0vWnR8y1', invite_expires_at: '2026-01-08T08:00:00.000Z' },
);

const Changeable = {
  role: Type.Optional(Field(ROLE, Type.Enum([...ROLES], { description: '"admin" or "user"' }))),
  name: Type.Optional(Field(NAME, Nullable(Name))),
};
export const NewUser = Body(
  { email: Field(`${EMAIL} Its form is that of \`<input type="email">\` in browsers.`, Email), ...Changeable },
  { email: 'eva@example.com', role: 'user', name: 'Eva' },
);
export const UserUpdate = Body(Changeable, { role: 'admin' });

export const UserParams = ItemParams('Id of the user, which is the id of the account.', EXAMPLE.account);
