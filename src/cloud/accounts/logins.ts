/**
 * Logins: opaque tokens of {@link LIFETIME}. Like keys they are kept hashed. A record of the family `login` each, found by
 * its hash; those that have ended are cleared away when somebody logs in.
 *
 * A login says which password it was given for, and is good for nothing once the account has another: a password may be
 * checked here while another service changes it, and whoever does not know the new one must not be left with a token.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import { hours } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import { everyRecord } from '../store/records.js';
import type { Change, Id, RecordRow, Store } from '../store/store.js';
import { hashKey, newSecret } from './keys.js';
import { passwordOf } from './member-records.js';

/** How long a token is good for. */
export const LIFETIME = hours(24);

const CLEARED_AT_ONCE = 100;

export interface Login {
  /** The account. */
  readonly userId: Id;
  /** The one space that the token opens; null: all spaces of the account. */
  readonly spaceId: Id | null;
  /** What the password was recognised by, which knows no more of it: a hash of its hash. */
  readonly password: string;
}

/** Who has shown the password of an account. */
export type Proof = Omit<Login, 'spaceId'>;

/** @param hashed the hash of the password, as the account has it */
export function proofOf(userId: Id, hashed: string): Proof {
  return { userId, password: hashKey(hashed) };
}

export interface LoginsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}

export class Logins {
  readonly #options: LoginsOptions;

  constructor(options: LoginsOptions) {
    this.#options = options;
  }

  /** A new token. */
  async issue(login: Login): Promise<string> {
    const { store, clock, ids, random } = this.#options;
    const token = newSecret(random);
    const now = Math.floor(clock.wall);
    const ended = await store.dueRecords('login', now, CLEARED_AT_ONCE);
    const row = {
      family: 'login',
      id: ids.uuid(),
      spaceId: null,
      key: hashKey(token),
      createdAt: now,
      dueAt: now + LIFETIME,
      body: login,
    };
    await store.commit([
      ...ended.map(({ family, id }): Change => ({ kind: 'record.delete', family, id })),
      { kind: 'record.put', row },
    ]);
    return token;
  }

  /** Whose token it is; undefined when it is none, or has ended. */
  async find(token: string): Promise<Login | undefined> {
    const { store, clock } = this.#options;
    const row = await store.recordByKey('login', null, hashKey(token));
    if (row === undefined || (row.dueAt ?? 0) <= clock.wall) return undefined;
    const login = loginOf(row);
    const account = await store.record('user', null, login.userId);
    const hashed = account && passwordOf(account);
    return hashed && proofOf(login.userId, hashed).password === login.password ? login : undefined;
  }
}

/** What clears away all logins of an account, for which its new password has no use. */
export async function endLogins(store: Store, userId: Id): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for await (const row of everyRecord(store, 'login', null)) {
    if (loginOf(row).userId === userId) changes.push({ kind: 'record.delete', family: 'login', id: row.id });
  }
  return changes;
}

function loginOf({ body }: RecordRow): Login {
  // Because only `issue` writes these records.
  return body as Login;
}
