/** Operations of a login on its account: log out, list and end logins, change the password. An API key has no account. */

import type { Static } from 'typebox';
import { Login, LoginParams, PasswordChange, Token } from '../../contract/accounts.js';
import { PageQuery } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import type { Session } from '../accounts/logins.js';
import { networkOf } from '../http/addresses.js';
import { ApiFault, notFound } from '../http/errors.js';
import { NoContent, operation, PageOf } from '../http/operation.js';
import type { Id } from '../store/store.js';
import type { Caller } from './access.js';
import { presentedSecret } from './auth.js';
import type { Family } from './family.js';
import { tokenView } from './logins.js';
import { sendPage } from './pages.js';
import { passwordCheck, TOO_MANY } from './password-check.js';

export const sessions: Family = (routes, context) => {
  const { members, logins, withPasswordTurn, clock } = context;
  const passwords = passwordCheck(context);
  routes.post(
    '/auth/logout',
    operation({
      tag: 'Accounts',
      id: 'logout',
      summary: 'Log out',
      description: 'The token of the request becomes invalid immediately, and so do tokens that were made with it.',
      response: { 204: NoContent },
    }),
    async ({ access, headers }, reply) => {
      needAccount(access);
      const own = await logins.find(presentedSecret(headers) ?? '');
      if (own) await logins.endChain(own);
      return reply.code(204).send();
    },
  );

  routes.post(
    '/auth/password',
    operation({
      tag: 'Accounts',
      id: 'changePassword',
      summary: 'Change the password of the account',
      description: 'All logins of the account end, also that of the request. The answer has a new token.',
      body: PasswordChange,
      response: { 200: Token },
      errors: {
        403: 'The credential is an API key, or the present password is wrong (`wrong-password`).',
        429: TOO_MANY,
      },
    }),
    async ({ access, body, ip }, reply) => {
      const userId = needAccount(access);
      const email = await members.addressOf(userId);
      const present = await passwords.check(reply, { email, ip, prove: () => members.login(email, body.password) });
      if (!present) throw new ApiFault(403, 'the present password is wrong', 'wrong-password');
      const proof = await withPasswordTurn(networkOf(ip), () => members.changePassword(present, body.new_password));
      return tokenView(await logins.issue({ ...proof, spaceId: access.boundTo, from: ip }), clock.wall);
    },
  );

  routes.get(
    '/auth/logins',
    operation({
      tag: 'Accounts',
      id: 'listLogins',
      summary: 'List the logins of the account',
      description: 'The valid logins, oldest first, without their tokens.',
      querystring: PageQuery,
      response: { 200: PageOf(Login) },
    }),
    async (request, reply) => {
      const userId = needAccount(request.access);
      const own = await logins.find(presentedSecret(request.headers) ?? '');
      let all: ReturnType<typeof logins.list> | undefined;
      return sendPage(context, request, reply, {
        // Read once, because the chains of the logins are in all of them.
        read: async ({ limit, after = '' }) => {
          all ??= logins.list(userId);
          return (await all).filter(({ id }) => id > after).slice(0, limit);
        },
        views: (listed) => listed.map((each) => view(each, own?.id)),
      });
    },
  );

  routes.delete(
    '/auth/logins/:id',
    operation({
      tag: 'Accounts',
      id: 'deleteLogin',
      summary: 'End a login of the account',
      description: 'Its token becomes invalid immediately, and so do tokens that were made with it.',
      params: LoginParams,
      response: { 204: NoContent },
    }),
    async ({ access, params }, reply) => {
      if (!(await logins.end(needAccount(access), params.id.toLowerCase()))) throw notFound('login');
      return reply.code(204).send();
    },
  );
};

/** The account of a caller. @throws ApiFault 403 for a key */
function needAccount({ userId }: Caller['access']): Id {
  if (userId === null) throw new ApiFault(403, 'only a login has an account: this is an API key');
  return userId;
}

function view({ id, spaceId, createdAt, expiresAt, from }: Session, own: Id | undefined): Static<typeof Login> {
  const times = { created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) };
  return { id, space_id: spaceId, ...times, from: from ?? null, current: id === own };
}
