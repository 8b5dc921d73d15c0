/**
 * Logins: opaque tokens, valid for {@link LIFETIME}. Each is a record of the family `login`, found by the hash of its token.
 * Each new login deletes up to {@link CLEARED_AT_ONCE} expired records. A login can also be made with the token of another
 * login (`POST /v2/auth/space`). It expires together with that login, and ends when that login ends.
 *
 * A login contains a hash that identifies the password for which it was issued. It becomes invalid when the account's password
 * changes, even if another service changes the password while this service issues a token for the old one.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import { hours, type UnixMillis } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import { everyRecord } from '../store/records.js';
import type { Change, Id, Page, RecordRow, Store } from '../store/store.js';
import { hashKey, newSecret } from './keys.js';
import { passwordOf } from './member-records.js';

/** Lifetime of a token. */
const LIFETIME = hours(24);

/** Maximum number of expired logins that are deleted in the commit of a new login. */
const CLEARED_AT_ONCE = 100;

interface Login {
  /** Id of the account. */
  readonly userId: Id;
  /** The only space that the token opens; null: all spaces of the account. */
  readonly spaceId: Id | null;
  /** Identifies the password: a hash of its stored hash. */
  readonly password: string;
  /** Id of the login whose token made this login. Absent: this login was made with the password. */
  readonly origin?: Id;
  /** IP address from which the login was made. Absent in logins of earlier versions. */
  readonly from?: string;
}

/** A stored login. */
export interface Session extends Login {
  readonly id: Id;
  readonly createdAt: UnixMillis;
  readonly expiresAt: UnixMillis;
}

/** A new token, which is shown once. */
export interface Issued {
  readonly token: string;
  readonly expiresAt: UnixMillis;
}

/** Proof that a caller knows the password of an account. */
export type Proof = Pick<Login, 'userId' | 'password'>;

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
  issue(login: Login): Promise<Issued> {
    return this.#store(login, Math.floor(this.#options.clock.wall) + LIFETIME);
  }

  /** A token for one space, made with another token. It expires together with that token. */
  issueFor(spaceId: Id, { id, createdAt: _, expiresAt, ...login }: Session): Promise<Issued> {
    return this.#store({ ...login, spaceId, origin: id }, expiresAt);
  }

  async #store(login: Login, expiresAt: UnixMillis): Promise<Issued> {
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
      dueAt: expiresAt,
      body: login,
    };
    await store.commit([
      ...ended.map(({ family, id }): Change => ({ kind: 'record.delete', family, id })),
      { kind: 'record.put', row },
    ]);
    return { token, expiresAt };
  }

  /**
   * The login of a token. Undefined if the token is unknown or expired, if the account's password has changed, or if the login
   * with whose token this one was made has ended.
   */
  async find(token: string): Promise<Session | undefined> {
    const { store, clock } = this.#options;
    const row = await store.recordByKey('login', null, hashKey(token));
    if (row === undefined || (row.dueAt ?? 0) <= clock.wall) return undefined;
    const login = loginOf(row);
    if (login.origin !== undefined && !(await store.record('login', null, login.origin))) return undefined;
    const account = await store.record('user', null, login.userId);
    const hashed = account && passwordOf(account);
    return hashed && proofOf(login.userId, hashed).password === login.password ? login : undefined;
  }

  /** Stored logins of an account that have not expired, oldest first. */
  async list(userId: Id, { limit, after }: Page): Promise<readonly Session[]> {
    const found: Session[] = [];
    for await (const row of everyRecord(this.#options.store, 'login', null, after)) {
      const session = loginOf(row);
      if (session.userId === userId && session.expiresAt > this.#options.clock.wall) found.push(session);
      if (found.length === limit) break;
    }
    return found;
  }

  /**
   * Ends a login of an account and its descendants: the logins made with its token, the logins made with their tokens, and so
   * on. Returns false if the account has no login with this id, or if the login has expired.
   */
  async end(userId: Id, id: Id): Promise<boolean> {
    const sessions = await this.list(userId, { limit: Number.POSITIVE_INFINITY });
    if (!sessions.some((session) => session.id === id)) return false;
    const ended = new Set([id]);
    // A login comes after its origin in the list, so one pass finds all descendants. If the clocks of services differ, a login
    // may come before its origin. It then stays stored, but `find` rejects it because its origin is missing.
    for (const { id: made, origin } of sessions) if (origin !== undefined && ended.has(origin)) ended.add(made);
    await this.#options.store.commit([...ended].map((each) => ({ kind: 'record.delete', family: 'login', id: each })));
    return true;
  }

  /** Follows `session` back to the login that was made with the password, and ends that login with all its descendants. */
  async endChain(session: Session): Promise<void> {
    let first = session;
    while (first.origin !== undefined) {
      const row = await this.#options.store.record('login', null, first.origin);
      if (row === undefined) break;
      first = loginOf(row);
    }
    await this.end(first.userId, first.id);
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

function loginOf({ id, createdAt, dueAt, body }: RecordRow): Session {
  // The cast is safe because only `Logins` writes these records.
  return { ...(body as Login), id, createdAt, expiresAt: dueAt ?? createdAt };
}
