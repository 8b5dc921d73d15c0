/**
 * Logins: opaque tokens, valid for {@link LIFETIME}. Each is a record of the family `login`, found by the hash of its token.
 * Expired records are deleted at the next login.
 *
 * A login records the password for which it was issued and becomes invalid when the account's password changes. The rule also
 * holds if another service changes the password while this one checks it: the old password then leaves no valid token.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import { hours } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import { everyRecord } from '../store/records.js';
import type { Change, Id, RecordRow, Store } from '../store/store.js';
import { hashKey, newSecret } from './keys.js';
import { passwordOf } from './member-records.js';

/** Lifetime of a token. */
export const LIFETIME = hours(24);

/** Expired logins that are deleted together with a new one. */
const CLEARED_AT_ONCE = 100;

interface Login {
  /** Id of the account. */
  readonly userId: Id;
  /** The only space that the token opens; null: all spaces of the account. */
  readonly spaceId: Id | null;
  /** Identifies the password: a hash of its stored hash. */
  readonly password: string;
}

/** Proof that a caller knows the password of an account. */
export type Proof = Omit<Login, 'spaceId'>;

/** @param hashed hash of the password, as stored in the account */
export function proofOf(userId: Id, hashed: string): Proof {
  return { userId, password: hashKey(hashed) };
}

interface LoginsOptions {
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

  /** Stores a login and returns its new token. */
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

  /** The login of a token; undefined if the token is unknown or expired, or the account's password has changed. */
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

/** Changes that delete all logins of an account. */
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
