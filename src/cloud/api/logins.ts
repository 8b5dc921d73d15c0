/** Logging in, and accepting an invitation (cloud API gaps, 3.1): the requests of those who have no credential yet. */
import Type from 'typebox';
import { LIFETIME } from '../accounts/logins.js';
import { PASSWORD } from '../accounts/passwords.js';
import { ApiFault, notFound } from '../http/errors.js';
import { operation } from '../http/operation.js';
import { Email, Uuid } from '../http/schemas.js';
import type { Id } from '../store/store.js';
import { presentedSecret } from './auth.js';
import type { Family } from './family.js';
import { atMost } from './limits.js';

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
    access_token: Type.String({ description: 'opaque; for `Authorization: Bearer …`' }),
    token_type: Type.Enum(['Bearer']),
    expires_in: Type.Integer({ description: 'seconds' }),
  },
  { title: 'Token' },
);

/** Checking a password is dear on purpose. More at once than this are sent away, lest everybody else should wait for them. */
const CHECKED_AT_ONCE = 8;
/** Largest body, in bytes, of those who have no credential yet. */
const OPEN_BODY_LIMIT = 16_384;

export const login: Family = (routes, { members, logins }) => {
  const withTurn = atMost(CHECKED_AT_ONCE, 'too many logins at once');

  routes.post(
    '/auth/login',
    {
      bodyLimit: OPEN_BODY_LIMIT,
      ...operation({
        tag: 'Accounts',
        summary: 'Log in',
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
        summary: 'Accept an invitation',
        description: 'The password becomes that of the account; who has an account already gives the password it has.',
        access: 'anyone',
        body: Acceptance,
        response: { 200: Token },
        errors: { 401: 'The invitation is not valid (any more), or the password is not that of the account.' },
      }),
    },
    async ({ body }) => {
      const proof = await withTurn(() => members.accept(body.token, body.password));
      if (proof === undefined)
        throw new ApiFault(401, 'the invitation is not valid, or the password is not that of its account');
      return tokenView(await logins.issue({ ...proof, spaceId: null }));
    },
  );
};

/** Older clients bind their login to a space, and then use paths without one. */
export const spaceLogin: Family = (routes, { members, logins }) => {
  routes.post(
    '/auth/space',
    operation({
      tag: 'Accounts',
      summary: 'Bind a login to a space',
      description: 'Only with --legacy-paths. The token opens `/v2/devices` and `/v2/messages`.',
      body: Type.Object({ space_id: Uuid }, { description: 'a JSON object' }),
      response: { 200: Token },
      errors: { 404: 'There is no such space, or it is not yours.' },
      deprecated: true,
    }),
    async ({ access, body, headers }) => {
      const spaceId = body.space_id.toLowerCase();
      // What the token stands for, this one does: should the password change meanwhile, neither is good.
      const own = await logins.find(presentedSecret(headers) ?? '');
      if (access.userId === null || own === undefined)
        throw new ApiFault(403, 'an API key is bound to its space already');
      if (!(await opens(access.userId, access.boundTo, spaceId))) throw notFound('space');
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
