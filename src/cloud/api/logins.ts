/** Login and acceptance of invitations, which need no credential (cloud C-20). See also sessions.ts. */
import { Acceptance, Credentials, LoginBinding, Token } from '../../contract/accounts.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Issued, Proof } from '../accounts/logins.js';
import { ApiFault } from '../http/errors.js';
import { operation } from '../http/operation.js';
import type { Id } from '../store/store.js';
import { presentedSecret } from './auth.js';
import type { Family } from './family.js';
import { passwordCheck, TOO_MANY } from './password-check.js';
import { TOO_MANY_SPACES } from './spaces.js';

/** Largest body, in bytes, of a request without a credential. */
const OPEN_BODY_LIMIT = 16_384;

export const login: Family = (routes, context) => {
  const { members, logins, clock } = context;
  const passwords = passwordCheck(context);
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
        errors: { 401: 'The address or the password is wrong.', 429: TOO_MANY },
      }),
    },
    async ({ body, ip }, reply) => {
      const { email, password } = body;
      const proof = await passwords.check(reply, { email, ip, prove: () => members.login(email, password) });
      if (!proof) throw new ApiFault(401, 'the email address or the password is wrong');
      return signedIn(proof, 'login', ip);
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
          'The address must be the one that was invited. The password becomes the password of a new account. For an existing ' +
          'account, give its current password.',
        access: 'anyone',
        body: Acceptance,
        response: { 200: Token },
        errors: {
          401: 'The invitation is not valid or has expired, it is for another address, or the password is wrong.',
          409: 'The account already is in the maximum number of spaces (`quota`).',
          429: TOO_MANY,
        },
      }),
    },
    async ({ body, ip }, reply) => {
      const attempt = { email: body.email, ip, prove: () => members.proveInvited(body) };
      let proof: Awaited<ReturnType<typeof attempt.prove>>;
      let outcome: Awaited<ReturnType<typeof members.enter>> | undefined;
      do {
        // Many may wait to enter the space, but the places for checks of passwords are few: only the check has one.
        proof = await passwords.check(reply, attempt);
        outcome = proof && (await members.enter(proof));
      } while (outcome === 'changed');
      // Only a caller with the right password gets this answer.
      if (outcome === 'too-many-spaces') throw new ApiFault(409, TOO_MANY_SPACES, 'quota');
      if (proof === undefined || outcome === 'gone')
        throw new ApiFault(
          401,
          'the invitation is not valid or has expired, it is for another address, or the password is wrong',
        );
      return signedIn(proof, 'acceptInvitation', ip);
    },
  );

  async function signedIn(proof: Proof, action: string, from: string) {
    const issued = await logins.issue({ ...proof, spaceId: null, from });
    await passwords.record(proof.userId, action, proof.userId, from);
    return tokenView(issued, clock.wall);
  }
};

/** Older clients bind their login to a space, and then use paths that contain no space. */
export const spaceLogin: Family = (routes, { members, logins, clock }) => {
  routes.post(
    '/auth/space',
    operation({
      tag: 'Accounts',
      id: 'bindLogin',
      summary: 'Bind a login to a space',
      description:
        'Only with `--legacy-paths`. The new token opens the paths `/v2/devices` and `/v2/messages`, until the login ends. ' +
        'If the login is bound to this space already, the answer has the same token.',
      body: LoginBinding,
      response: { 200: Token },
      deprecated: true,
    }),
    async ({ access, body, headers }) => {
      const spaceId = body.space_id.toLowerCase();
      // The new token carries the same proof of the password: after a change of the password, both tokens are invalid.
      const secret = presentedSecret(headers) ?? '';
      const own = await logins.find(secret);
      if (access.userId === null || own === undefined)
        throw new ApiFault(403, 'only a login can be bound to a space: an API key already is');
      if (!(await opens(access.userId, access.boundTo, spaceId)))
        throw new ApiFault(400, `body/space_id "${spaceId}" is not a space of this login`, 'unknown-id');
      return tokenView(await logins.issueFor(spaceId, secret, own), clock.wall);
    },
  );

  async function opens(userId: Id, boundTo: Id | null, spaceId: Id): Promise<boolean> {
    if (boundTo !== null && boundTo !== spaceId) return false;
    return (await members.find(spaceId, userId))?.state === 'active';
  }
};

export function tokenView({ token, expiresAt }: Issued, now: UnixMillis) {
  const expiresIn = Math.max(0, Math.floor((expiresAt - now) / 1000));
  return { access_token: token, token_type: 'Bearer' as const, expires_in: expiresIn };
}
