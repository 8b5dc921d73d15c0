/** Login and acceptance of invitations (cloud API gaps, 3.1). Both requests need no credential. */
import Type from 'typebox';
import { LIFETIME } from '../accounts/logins.js';
import { PASSWORD } from '../accounts/passwords.js';
import { ApiFault } from '../http/errors.js';
import { operation } from '../http/operation.js';
import { Email, Uuid } from '../http/schemas.js';
import type { Id } from '../store/store.js';
import { atMost } from './at-most.js';
import { presentedSecret } from './auth.js';
import type { Family } from './family.js';

const Password = Type.String({ minLength: 1, maxLength: PASSWORD.max, description: 'a password', writeOnly: true });

const Credentials = Type.Object({ email: Email, password: Password }, { description: 'a JSON object' });

const Acceptance = Type.Object(
  {
    token: Type.String({ description: 'the token of an invitation', writeOnly: true }),
    password: Type.String({
      minLength: PASSWORD.min,
      maxLength: PASSWORD.max,
      description: `a password of ${PASSWORD.min} to ${PASSWORD.max} characters`,
      writeOnly: true,
    }),
  },
  { description: 'a JSON object' },
);

const Token = Type.Object(
  {
    access_token: Type.String({ description: 'opaque token for `Authorization: Bearer …`' }),
    token_type: Type.Enum(['Bearer']),
    expires_in: Type.Integer({ description: 'lifetime of the token in seconds' }),
  },
  { title: 'Token' },
);

/**
 * Most password checks at a time; further ones get 503. A check is expensive on purpose, and without this limit many logins
 * would slow down all other requests.
 */
const CHECKED_AT_ONCE = 8;
/** Largest body, in bytes, of a request without a credential. */
const OPEN_BODY_LIMIT = 16_384;

export const login: Family = (routes, { members, logins }) => {
  const withTurn = atMost(CHECKED_AT_ONCE, 'too many concurrent logins');

  routes.post(
    '/auth/login',
    {
      bodyLimit: OPEN_BODY_LIMIT,
      ...operation({
        tag: 'Accounts',
        id: 'login',
        summary: 'Log in',
        description: 'Returns a token that opens all spaces of the account.',
        access: 'anyone',
        body: Credentials,
        response: { 200: Token },
        errors: { 401: 'The address or the password is wrong.' },
      }),
    },
    async ({ body }) => {
      const proof = await withTurn(() => members.login(body.email, body.password));
      if (proof === undefined) throw new ApiFault(401, 'the email address or the password is wrong');
      return tokenView(await logins.issue({ ...proof, spaceId: null }));
    },
  );

  routes.post(
    '/auth/accept',
    {
      bodyLimit: OPEN_BODY_LIMIT,
      ...operation({
        tag: 'Accounts',
        id: 'acceptInvitation',
        summary: 'Accept an invitation',
        description:
          'The password becomes the password of a new account. For an existing account, give its current password.',
        access: 'anyone',
        body: Acceptance,
        response: { 200: Token },
        errors: { 401: 'The invitation is not valid or has expired, or the password is wrong.' },
      }),
    },
    async ({ body }) => {
      const proof = await withTurn(() => members.accept(body.token, body.password));
      if (proof === undefined)
        throw new ApiFault(401, 'the invitation is not valid or has expired, or the password is wrong');
      return tokenView(await logins.issue({ ...proof, spaceId: null }));
    },
  );
};

/** Older clients bind their login to a space, and then use paths that contain no space. */
export const spaceLogin: Family = (routes, { members, logins }) => {
  routes.post(
    '/auth/space',
    operation({
      tag: 'Accounts',
      id: 'bindLogin',
      summary: 'Bind a login to a space',
      description: 'Only with `--legacy-paths`. The token opens the paths `/v2/devices` and `/v2/messages`.',
      body: Type.Object({ space_id: Uuid }, { description: 'a JSON object' }),
      response: { 200: Token },
      deprecated: true,
    }),
    async ({ access, body, headers }) => {
      const spaceId = body.space_id.toLowerCase();
      // The new token carries the same proof of the password: after a change of the password, both tokens are invalid.
      const own = await logins.find(presentedSecret(headers) ?? '');
      if (access.userId === null || own === undefined)
        throw new ApiFault(403, 'only a login can be bound to a space: an API key already is');
      if (!(await opens(access.userId, access.boundTo, spaceId)))
        throw new ApiFault(400, `body/space_id "${spaceId}" is not a space of this login`, 'unknown-id');
      return tokenView(await logins.issue({ ...own, spaceId }));
    },
  );

  async function opens(userId: Id, boundTo: Id | null, spaceId: Id): Promise<boolean> {
    if (boundTo !== null && boundTo !== spaceId) return false;
    return (await members.find(spaceId, userId))?.state === 'active';
  }
};

function tokenView(token: string) {
  return { access_token: token, token_type: 'Bearer' as const, expires_in: LIFETIME / 1000 };
}
