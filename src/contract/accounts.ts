/** Logins, invitations, passwords and the audit log (cloud C-20). */
import Type from 'typebox';
import { Answer, Body, CreatedAt, EXAMPLE, Field, KnownEmail, Nullable, OwnId, SpaceId, Time, Uuid } from './values.js';

/** Limits of a password's length in characters: the minimum makes guessing harder, the maximum keeps hashing cheap. */
export const PASSWORD = { min: 8, max: 256 } as const;

const Password = Type.String({
  minLength: 1,
  maxLength: PASSWORD.max,
  description: 'a password',
  writeOnly: true,
});
/** A new password. Its minimum length does not apply to a password that is only compared. */
const NewPassword = Type.String({
  minLength: PASSWORD.min,
  maxLength: PASSWORD.max,
  description: `a password of ${PASSWORD.min} to ${PASSWORD.max} characters`,
  writeOnly: true,
});
const PASSWORD_EXAMPLE = 'correct horse battery staple';

export const Credentials = Body(
  {
    email: Field('Address that identifies the account.', KnownEmail),
    password: Field('Password of the account.', Password),
  },
  { email: 'eva@example.com', password: PASSWORD_EXAMPLE },
);

export const Acceptance = Body(
  {
    token: Field(
      'Token of the invitation.',
      Type.String({ description: 'the token of an invitation', writeOnly: true }),
    ),
    email: Field('Address to which the invitation was sent.', KnownEmail),
    password: Field('Password of the account.', NewPassword),
  },
  { token: 'q3JX0vWnR8y1', email: 'eva@example.com', password: PASSWORD_EXAMPLE },
);

export const PasswordChange = Body(
  {
    password: Field('Present password of the account.', Password),
    new_password: Field('Password that replaces the present one.', NewPassword),
  },
  { password: PASSWORD_EXAMPLE, new_password: 'another correct battery' },
);

export const LoginBinding = Body({ space_id: SpaceId }, { space_id: EXAMPLE.space });

export const Token = Answer(
  'Token',
  {
    access_token: Type.String({ description: 'opaque token for `Authorization: Bearer …`' }),
    token_type: Field('Scheme of the header `Authorization`.', Type.Enum(['Bearer'])),
    expires_in: Type.Integer({ description: 'lifetime of the token in seconds' }),
  },
  { access_token: 'GQ2kpYlDNVyh0WzPm7c4', token_type: 'Bearer', expires_in: 86_400 },
);

export const Login = Answer(
  'Login',
  {
    id: OwnId,
    space_id: Field('The only space that the token opens; null: all spaces of the account.', Nullable(Uuid)),
    created_at: CreatedAt,
    expires_at: Field('Time at which the token becomes invalid.', Time),
    from: Field(
      'IP address of the caller.',
      Nullable(Type.String({ description: 'IP address from which the login was made' })),
    ),
    current: Type.Boolean({ description: 'whether this request uses the login' }),
  },
  {
    id: EXAMPLE.login,
    space_id: null,
    created_at: EXAMPLE.created,
    expires_at: '2026-01-02T08:00:00.000Z',
    from: '203.0.113.7',
    current: true,
  },
);

export const LoginParams = Type.Object({ id: Field('Id of the login.', Uuid, EXAMPLE.login) });

export const AuditEntry = Answer(
  'AuditEntry',
  {
    id: OwnId,
    at: Field('Time of the event.', Time),
    actor_type: Field(
      'Whether a user or an API key did it; null for a failed login.',
      Nullable(Type.Enum(['user', 'key'])),
    ),
    actor_id: Field('Id of the user or the API key; null for a failed login.', Nullable(Uuid)),
    action: Field(
      'Name of the operation, such as `createKey`; or `loginFailed`; or `beginSession` or `endSession` of the web page.',
      Type.String(),
    ),
    target_id: Field('Id of the resource that was created, changed or deleted, or of the account.', Nullable(Uuid)),
    from: Field('IP address of the caller.', Type.String()),
  },
  {
    id: EXAMPLE.event,
    at: EXAMPLE.later,
    actor_type: 'user',
    actor_id: EXAMPLE.account,
    action: 'createKey',
    target_id: EXAMPLE.key,
    from: '203.0.113.7',
  },
);
