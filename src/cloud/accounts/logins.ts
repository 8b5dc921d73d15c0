/**
 * Logins: opaque tokens, valid for {@link LIFETIME}. Each is a record of the family `login`, found by the hash of its token, with
 * a copy in a family of its account, so that no work for an account reads the logins of others. Each new login deletes up to
 * {@link CLEARED_AT_ONCE} expired logins. An account has at most {@link MOST} logins: a further one ends the oldest.
 *
 * A login for one space can be made with the token of another login, its origin (`POST /v2/auth/space`). It expires together
 * with its origin, and ends when its origin ends. To ensure this, a login is valid only while its origin is stored. This also
 * holds if another service stores the login while the origin ends, and for any order of the records: ids are sorted by the
 * clocks of the services, which may differ. In earlier versions, a login with an origin could itself be the origin of others.
 * Such a login is valid only while all logins of its chain are stored, up to the first login, which has no origin.
 *
 * A login contains a hash that identifies the password for which it was issued. It becomes invalid when the account's password
 * changes, even if another service changes the password while this service issues a token for the old one.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import { hours, type UnixMillis } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import { everyRecord } from '../store/records.js';
import type { Change, Id, RecordRow, Store } from '../store/store.js';
import { hashKey, newSecret } from './keys.js';
import { passwordOf } from './member-records.js';

/** Lifetime of a token. */
const LIFETIME = hours(24);

/** Maximum number of expired logins that are deleted in the commit of a new login. */
const CLEARED_AT_ONCE = 100;

/** Maximum number of logins of an account. */
const MOST = 500;

/** Record family of the copies: the logins of an account. */
const copiesOf = (userId: Id) => `login-of/${userId}`;

/** Maximum number of logins in a valid chain. Limits the reads for a request; only earlier versions stored more than two. */
const LONGEST_CHAIN = 100;

interface Login {
  readonly userId: Id;
  /** The only space that the token opens; null: all spaces of the account. */
  readonly spaceId: Id | null;
  /** Identifies the password: a hash of its stored hash. */
  readonly password: string;
  /** Id of the login with whose token this login was made. Absent: it was made with the password. */
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

/** Logins that were read, by their id; undefined if a login has ended. */
type Origins = Map<Id, Session | undefined>;

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

  /**
   * A token for one space, made with the token of `session`. It expires together with that token. If `session` opens only this
   * space, returns the same token, so that no new chains have more than two logins.
   */
  async issueFor(spaceId: Id, token: string, session: Session): Promise<Issued> {
    const { id, createdAt: _, expiresAt, ...login } = session;
    if (login.spaceId === spaceId) return { token, expiresAt };
    return this.#store({ ...login, spaceId, origin: id }, expiresAt);
  }

  async #store(login: Login, expiresAt: UnixMillis): Promise<Issued> {
    const { store, clock, ids, random } = this.#options;
    const token = newSecret(random);
    const now = Math.floor(clock.wall);
    const expired = await store.dueRecords('login', now, CLEARED_AT_ONCE);
    const copies = copiesOf(login.userId);
    const isFull = (await store.countRecords(copies, null, MOST)) === MOST;
    const oldest = isFull ? await store.records(copies, null, { limit: 1 }) : [];
    const id = ids.uuid();
    const row = {
      family: 'login',
      id,
      spaceId: null,
      key: hashKey(token),
      createdAt: now,
      dueAt: expiresAt,
      body: login,
    };
    await store.commit([
      ...[...expired, ...oldest].map(loginOf).flatMap(deletionOf),
      { kind: 'record.put', row },
      { kind: 'record.put', row: { ...row, family: copies, key: null } },
    ]);
    return { token, expiresAt };
  }

  /** The login of a token; undefined if unknown, expired, with an old password, or if a login of its chain has ended. */
  async find(token: string): Promise<Session | undefined> {
    const row = await this.#options.store.recordByKey('login', null, hashKey(token));
    if (row === undefined) return undefined;
    const login = loginOf(row);
    return (await this.#firstOf(login)) && (await this.#password(login.userId)) === login.password ? login : undefined;
  }

  /** Valid logins of an account, oldest first. */
  async list(userId: Id): Promise<readonly Session[]> {
    const password = await this.#password(userId);
    const all = await this.#all(userId);
    const origins: Origins = new Map(all.map((login) => [login.id, login]));
    const found: Session[] = [];
    for (const login of all) {
      if (login.password === password && (await this.#firstOf(login, origins))) found.push(login);
    }
    return found;
  }

  /** All stored logins of an account, oldest first: at most {@link MOST}, or a few more of services that share a database. */
  async #all(userId: Id): Promise<readonly Session[]> {
    const all: Session[] = [];
    for await (const row of everyRecord(this.#options.store, copiesOf(userId), null)) all.push(loginOf(row));
    return all;
  }

  /**
   * Ends a login of an account, and with it all logins that have it in their chain. Deletes their records, and those of other
   * logins of the account whose chain has ended. Returns false if the account has no valid login with this id.
   */
  async end(userId: Id, id: Id): Promise<boolean> {
    const { store } = this.#options;
    const row = await store.record('login', null, id);
    const login = row && loginOf(row);
    if (login?.userId !== userId || !(await this.#firstOf(login))) return false;
    const ended = [login];
    const all = await this.#all(userId);
    const origins: Origins = new Map(all.map((other) => [other.id, other.id === id ? undefined : other]));
    for (const made of all) {
      if (made.origin !== undefined && !(await this.#firstOf(made, origins))) ended.push(made);
    }
    await store.commit(ended.flatMap(deletionOf));
    return true;
  }

  /** Ends the first login of the chain of `session`, and so all logins of the chain. */
  async endChain(session: Session): Promise<void> {
    const first = await this.#firstOf(session);
    if (first) await this.end(first.userId, first.id);
  }

  /**
   * The first login of the chain of `login`, which was made with the password. Undefined if a login of the chain is expired or
   * not stored, or if the chain is too long.
   * @param origins origins that were read before
   */
  async #firstOf(login: Session, origins: Origins = new Map()): Promise<Session | undefined> {
    let first: Session | undefined = login;
    for (let length = 1; length <= LONGEST_CHAIN; length++) {
      if (first === undefined || first.expiresAt <= this.#options.clock.wall) return undefined;
      if (first.origin === undefined) return first;
      first = await this.#origin(first.origin, origins);
    }
    return undefined;
  }

  async #origin(id: Id, origins: Origins): Promise<Session | undefined> {
    if (origins.has(id)) return origins.get(id);
    const row = await this.#options.store.record('login', null, id);
    const login = row && loginOf(row);
    origins.set(id, login);
    return login;
  }

  /** Identifies the current password of an account, as in {@link Login}. Undefined if the account has no password. */
  async #password(userId: Id): Promise<string | undefined> {
    const account = await this.#options.store.record('user', null, userId);
    const hashed = account && passwordOf(account);
    return hashed ? proofOf(userId, hashed).password : undefined;
  }
}

/** Changes that end all logins of an account. */
export async function endLogins(store: Store, userId: Id): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for await (const row of everyRecord(store, copiesOf(userId), null)) changes.push(...deletionOf(loginOf(row)));
  return changes;
}

function deletionOf({ id, userId }: Session): readonly Change[] {
  return ['login', copiesOf(userId)].map((family) => ({ kind: 'record.delete', family, id }));
}

function loginOf({ id, createdAt, dueAt, body }: RecordRow): Session {
  return { ...(body as Login), id, createdAt, expiresAt: dueAt ?? createdAt };
}
