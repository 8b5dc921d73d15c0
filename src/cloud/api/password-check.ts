/** The one way in which a request checks the password of an account: with its limits, and with a record of every failure. */

import type { FastifyReply } from 'fastify';
import { messageOf } from '../../kernel/errors.js';
import type { Proof } from '../accounts/logins.js';
import { networkOf } from '../http/addresses.js';
import { ApiFault } from '../http/errors.js';
import type { Id } from '../store/store.js';
import { spacesOf } from './audit.js';
import type { ApiContext } from './family.js';

/** For the description of a route that checks a password. */
export const TOO_MANY = 'Too many wrong passwords for this account; retry after the seconds in `Retry-After`.';

interface Attempt<P extends Proof> {
  readonly email: string;
  /** Address of the caller. */
  readonly ip: string;
  /** Computes hashes, so it waits for its turn. Resolves with undefined if the address or the password is wrong. */
  readonly prove: () => Promise<P | undefined>;
}

interface PasswordCheck {
  /** Undefined if the address or the password is wrong. @throws ApiFault 429 after too many wrong passwords */
  check<P extends Proof>(reply: FastifyReply, attempt: Attempt<P>): Promise<P | undefined>;
  /** @param actor null if the caller has not proved to be the user */
  record(userId: Id, action: string, actor: Id | null, from: string): Promise<void>;
}

export function passwordCheck({ members, signIn, withPasswordTurn, audit, log }: ApiContext): PasswordCheck {
  return { check, record };

  async function check<P extends Proof>(reply: FastifyReply, { email, ip, prove }: Attempt<P>): Promise<P | undefined> {
    const network = networkOf(ip);
    const checked = await withPasswordTurn(network, () => signIn.check(email, network, prove));
    if (checked.kind === 'right') return checked.proof;
    if (checked.kind === 'wait') {
      reply.header('retry-after', Math.ceil(checked.wait / 1000));
      throw new ApiFault(429, 'too many wrong passwords; retry later', 'login-limit');
    }
    if (checked.userId === null) {
      // No audit log names it. The log does not name the address that was entered: it may be a password.
      log.warn({ security: 'login', from: ip }, 'a login failed: unknown account');
      return undefined;
    }
    // Not awaited: the response time must not reveal whether the account exists.
    record(checked.userId, 'loginFailed', null, ip).catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'a failed login was not recorded');
    });
    return undefined;
  }

  async function record(userId: Id, action: string, actor: Id | null, from: string): Promise<void> {
    if (!audit) return;
    const who = actor === null ? null : ({ kind: 'user', id: actor } as const);
    await audit.add(await spacesOf(members, userId), { actor: who, action, target: userId, from });
  }
}
