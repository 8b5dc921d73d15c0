/**
 * Accounts and their memberships in spaces (cloud C-21, C-38).
 *
 * The service sends no mail: an invitation is a token that the inviting user passes on. It becomes a membership only together
 * with the account's password. So an attacker gains nothing by creating an account with the address of another person. If that
 * address is invited to a space later, the attacker has the password, but not the token.
 */
import type { Role } from '../../contract/users.js';
import type { Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import { days, type UnixMillis } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import { OneByOne } from '../store/one-by-one.js';
import { everyRecord, untilUndisturbed } from '../store/records.js';
import { type Change, ConflictError, type Id, type Page, type RecordRow, type Store } from '../store/store.js';
import { ownerOf } from '../store/tenants.js';
import { hashKey, newSecret } from './keys.js';
import { endLogins, type Proof, proofOf } from './logins.js';
import {
  activate,
  deletion,
  endMembership,
  familyOf,
  indexOf,
  keyOf,
  type Member,
  passwordOf,
  putAccount,
  putMember,
  putOwner,
  toMember,
} from './member-records.js';
import { hashPassword, type PasswordCost, verifyPassword } from './passwords.js';
import { isOpen } from './spaces.js';

/** Acceptance of an invitation. It has the invited address: a token from a log or a chat is not enough. */
interface Acceptance {
  readonly token: string;
  readonly email: string;
  readonly password: string;
}

/** Proof that the invited user has given the password. */
interface Entry extends Proof {
  readonly spaceId: Id;
  readonly invite: RecordRow;
  /** Hash of the password of the account; null if it has none yet. */
  readonly before: string | null;
  /** Hash of the given password. */
  readonly hashed: string;
}

interface NewMember {
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
}

/** Lifetime of an invitation. */
export const INVITATION = days(7);

/** Maximum number of spaces of an account. What an account does is recorded in the audit log of each. */
export const MOST_SPACES = 200;

/** Maximum number of expired invitations that are deleted in the commit of a new invitation. */
const EXPIRED_AT_ONCE = 10;

interface MembersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  /** Cost of a password hash. Default: the cost in passwords.ts. */
  readonly passwordCost?: PasswordCost | undefined;
}

export class Members {
  readonly #options: MembersOptions;
  /** Changes of members, by space. */
  readonly #changes = new OneByOne();

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  async list(spaceId: Id, page: Page): Promise<readonly Member[]> {
    const rows = await this.#options.store.records(familyOf(spaceId), spaceId, page);
    return rows.map(toMember);
  }

  /** Undefined also for a member of a deleted space. */
  async find(spaceId: Id, id: Id): Promise<Member | undefined> {
    if (!(await isOpen(this.#options.store, spaceId))) return undefined;
    const row = await this.#options.store.record(familyOf(spaceId), spaceId, id);
    return row && toMember(row);
  }

  /** Ids of the spaces that the account is an active member of, oldest first. */
  async spacesOf(id: Id, page: Page): Promise<readonly Id[]> {
    const rows = await this.#options.store.records(indexOf(id), null, page);
    return rows.map((row) => row.id);
  }

  ownerOf(spaceId: Id): Promise<Id | null> {
    return ownerOf(this.#options.store, spaceId);
  }

  /**
   * Invites an address; the token lasts {@link INVITATION}. Returns `known` for a member, and for an invited user whose
   * invitation has not expired.
   */
  invite(spaceId: Id, { email, name, role }: NewMember, by = ''): Promise<{ member: Member; token: string } | 'known'> {
    const { store, ids, random } = this.#options;
    const token = newSecret(random);
    return this.#decide<{ member: Member; token: string } | 'known'>(spaceId, by, async () => {
      const now = this.#now();
      const before = await store.recordByKey(familyOf(spaceId), spaceId, keyOf(email));
      if (before && !(await this.#hasExpired(toMember(before), now))) return { result: 'known' };
      const { id, changes } = await this.#account(email, null);
      const invitation = ids.uuid();
      const member: Member = { id, spaceId, email, name, role, state: 'invited', invitation, createdAt: now };
      const invite = {
        family: 'invite',
        id: invitation,
        spaceId: null,
        key: hashKey(token),
        createdAt: now,
        dueAt: now + INVITATION,
        body: { userId: id, spaceId },
      };
      const expired = await store.dueRecords('invite', now, EXPIRED_AT_ONCE);
      return {
        result: { member, token },
        changes: [...expired.map(deletion), ...changes, putMember(member), { kind: 'record.put', row: invite }],
      };
    });
  }

  async #hasExpired({ invitation }: Member, now: UnixMillis): Promise<boolean> {
    if (invitation === null) return false;
    const invite = await this.#options.store.record('invite', null, invitation);
    return (invite?.dueAt ?? 0) <= now;
  }

  /**
   * Checks the password for an invitation. An account without a password gets the given one, when it {@link enter}s the space.
   * Returns undefined if the token, the address or the password is not valid.
   */
  async proveInvited({ token, email, password }: Acceptance): Promise<Entry | undefined> {
    const { store, random, passwordCost } = this.#options;
    const invite = await store.recordByKey('invite', null, hashKey(token));
    if (invite === undefined || (invite.dueAt ?? 0) <= this.#now()) return undefined;
    const { userId, spaceId } = invite.body as { readonly userId: Id; readonly spaceId: Id };
    const account = await store.record('user', null, userId);
    if (account?.key !== keyOf(email)) return undefined;
    const before = passwordOf(account);
    if (before !== null && !(await verifyPassword(password, before, passwordCost))) return undefined;
    const hashed = before ?? (await hashPassword(password, random, passwordCost));
    return { ...proofOf(userId, hashed), spaceId, invite, before, hashed };
  }

  /**
   * Turns an invitation into a membership. An account has at most {@link MOST_SPACES}. Otherwise `too-many-spaces`, `changed`
   * (the password is another one than was checked), or `gone` (the invitation) are reasons why it was not done.
   */
  enter({
    userId,
    spaceId,
    invite,
    before,
    hashed,
  }: Entry): Promise<'entered' | 'too-many-spaces' | 'changed' | 'gone'> {
    return this.#decide<'entered' | 'too-many-spaces' | 'changed' | 'gone'>(spaceId, userId, async () => {
      const account = await this.#options.store.record('user', null, userId);
      const invited = await this.find(spaceId, userId);
      if (!account || invited?.state !== 'invited' || invited.invitation !== invite.id) return { result: 'gone' };
      if (passwordOf(account) !== before) return { result: 'changed' };
      if ((await this.spacesOf(userId, { limit: MOST_SPACES })).length === MOST_SPACES)
        return { result: 'too-many-spaces' };
      const member: Member = { ...invited, state: 'active', invitation: null };
      const changes = [...activate(member, this.#now()), deletion(invite)];
      if (before === null) {
        changes.push(this.#claimPassword(userId), putAccount({ ...account, body: { password: hashed } }));
      }
      return { result: 'entered', changes };
    });
  }

  /** Changes a member. `last-admin`, `owner` and `gone` (no longer a member) are reasons why the change was not made. */
  change(
    { spaceId, id }: Member,
    change: Partial<Pick<Member, 'role' | 'name'>>,
    by = '',
  ): Promise<Member | 'last-admin' | 'owner' | 'gone'> {
    return this.#decide<Member | 'last-admin' | 'owner' | 'gone'>(spaceId, by, async () => {
      const before = await this.find(spaceId, id);
      if (!before) return { result: 'gone' };
      const after = { ...before, ...change };
      const obstacle = after.role === 'admin' ? undefined : await this.#obstacle(before);
      return obstacle ? { result: obstacle } : { result: after, changes: [putMember(after)] };
    });
  }

  /** Ends a membership; the account is kept. `last-admin`, `owner` and `gone` are reasons why the membership was not ended. */
  remove({ spaceId, id }: Member, by = ''): Promise<'removed' | 'last-admin' | 'owner' | 'gone'> {
    return this.#decide<'removed' | 'last-admin' | 'owner' | 'gone'>(spaceId, by, async () => {
      const member = await this.find(spaceId, id);
      if (!member) return { result: 'gone' };
      const obstacle = await this.#obstacle(member);
      return obstacle ? { result: obstacle } : { result: 'removed', changes: endMembership(member) };
    });
  }

  /** Makes an active admin the owner; false if the account is not an active admin of the space. */
  own(spaceId: Id, id: Id, by = ''): Promise<boolean> {
    return this.#decide(spaceId, by, async () => {
      const member = await this.find(spaceId, id);
      const may = member?.role === 'admin' && member.state === 'active';
      return may ? { result: true, changes: [putOwner(spaceId, id, this.#now())] } : { result: false };
    });
  }

  /** Changes that make an account the admin and owner of a space that is created in the same commit. */
  async founding(spaceId: Id, userId: Id): Promise<readonly Change[]> {
    const account = await this.#options.store.record('user', null, userId);
    if (account === undefined) throw new Error(`account "${userId}" does not exist`);
    const now = this.#now();
    const email = account.key ?? '';
    const member: Member = {
      id: userId,
      spaceId,
      email,
      name: null,
      role: 'admin',
      state: 'active',
      invitation: null,
      createdAt: now,
    };
    return [...activate(member, now), putOwner(spaceId, userId, now)];
  }

  /**
   * Ensures that the space has an owner, and an active admin with this address and password. The account becomes the owner if
   * the space has none. An existing member keeps the name. If the password replaces another one, all logins of the account end.
   * If nothing is to change, nothing is written.
   * @returns whether the password has replaced another one
   */
  async ensureAdmin(spaceId: Id, email: string, password: string): Promise<boolean> {
    const { store, random, passwordCost } = this.#options;
    const known = await store.recordByKey('user', null, keyOf(email));
    const keep = known !== undefined && (await verifyPassword(password, passwordOf(known), passwordCost));
    const hashed = keep ? passwordOf(known) : await hashPassword(password, random, passwordCost);
    const { id, changes } = await this.#account(email, hashed);
    const before = await this.find(spaceId, id);
    const now = this.#now();
    const owner = (await this.ownerOf(spaceId)) === null ? [putOwner(spaceId, id, now)] : [];
    if (keep && before?.role === 'admin' && before.state === 'active' && owner.length === 0) return false;
    const base = before ?? { id, spaceId, email, name: null, createdAt: now };
    const member: Member = { ...base, role: 'admin', state: 'active', invitation: null };
    const replaces = known !== undefined && !keep;
    const ended = replaces ? await endLogins(store, id) : [];
    await store.commit([...changes, ...ended, ...activate(member, now), ...owner]);
    return replaces;
  }

  /** Proof for the account with this address and password; undefined if the address or the password is wrong. */
  async login(email: string, password: string): Promise<Proof | undefined> {
    const account = await this.#options.store.recordByKey('user', null, keyOf(email));
    const hashed = account ? passwordOf(account) : null;
    const isRight = await verifyPassword(password, hashed, this.#options.passwordCost);
    return account && hashed !== null && isRight ? proofOf(account.id, hashed) : undefined;
  }

  /** Id of the account with this address; null if no account has it. */
  async accountOf(email: string): Promise<Id | null> {
    return (await this.#options.store.recordByKey('user', null, keyOf(email)))?.id ?? null;
  }

  /** The e-mail address of an account, in lower case; empty if the account does not exist. */
  async addressOf(userId: Id): Promise<string> {
    return (await this.#options.store.record('user', null, userId))?.key ?? '';
  }

  /**
   * Replaces the password of an account and ends all its logins.
   * @param known proof of the present password
   * @throws ConflictError `record-body` if the password has been changed since it was checked
   */
  async changePassword({ userId, password: known }: Proof, password: string): Promise<Proof> {
    const { store, random, passwordCost } = this.#options;
    const account = await store.record('user', null, userId);
    const before = account && passwordOf(account);
    if (!before || proofOf(userId, before).password !== known) throw new ConflictError('record-body');
    const hashed = await hashPassword(password, random, passwordCost);
    const row = { ...account, body: { password: hashed } };
    const ended = await endLogins(store, userId);
    await store.commit([{ kind: 'record.change', row, was: account.body }, ...ended]);
    return proofOf(userId, hashed);
  }

  /** Id of the account with this address, and the changes that store it. No changes if it exists and keeps its password. */
  async #account(email: string, password: string | null): Promise<{ id: Id; changes: readonly Change[] }> {
    const key = keyOf(email);
    const known = await this.#options.store.recordByKey('user', null, key);
    if (known && (password === null || password === passwordOf(known))) return { id: known.id, changes: [] };
    const fresh = {
      family: 'user',
      id: this.#options.ids.uuid(),
      spaceId: null,
      key,
      createdAt: this.#now(),
      dueAt: null,
    };
    const row = { ...(known ?? fresh), body: { password } };
    return { id: row.id, changes: [putAccount(row)] };
  }

  async #obstacle(member: Member): Promise<'last-admin' | 'owner' | undefined> {
    if (member.role !== 'admin' || member.state !== 'active') return undefined;
    if ((await this.ownerOf(member.spaceId)) === member.id) return 'owner';
    for await (const other of this.#all(member.spaceId)) {
      if (other.role === 'admin' && other.state === 'active' && other.id !== member.id) return undefined;
    }
    return 'last-admin';
  }

  async *#all(spaceId: Id): AsyncGenerator<Member> {
    for await (const row of everyRecord(this.#options.store, familyOf(spaceId), spaceId)) yield toMember(row);
  }

  /**
   * Serialises the changes of the members of a space: the changes have numbers, and each commit stores the next number (family
   * `member-turn`). If another commit, possibly of another service, has already stored this number, `decide` runs again on the
   * new state. Without this rule, two admins could demote each other at the same time.
   * @param by the account or key that makes the change; all take turns
   * @param decide reads the state and returns the result with its changes; without `changes`, nothing is committed
   */
  async #decide<T>(
    spaceId: Id,
    by: Id,
    decide: () => Promise<{ readonly result: T; readonly changes?: readonly Change[] }>,
  ): Promise<T> {
    const { store, ids } = this.#options;
    const change = async () => {
      const [last] = await store.records('member-turn', spaceId, { limit: 1 });
      const { result, changes } = await decide();
      if (changes === undefined) return result;
      const key = String(Number(last?.key ?? 0) + 1);
      const turn = {
        family: 'member-turn',
        id: ids.uuid(),
        spaceId,
        key,
        createdAt: this.#now(),
        dueAt: null,
        body: null,
      };
      await store.commit([...(last ? [deletion(last)] : []), { kind: 'record.put', row: turn }, ...changes]);
      return result;
    };
    // Another commit took the number, created the account or set its password. The next attempt reads the result of that commit.
    const taken = { 'record-key': async () => {} };
    return this.#changes.run(spaceId, () => untilUndisturbed(change, taken), by);
  }

  /** Stores that the account has its first password. If two requests set a first password concurrently, one commit fails. */
  #claimPassword(userId: Id): Change {
    const id = this.#options.ids.uuid();
    const createdAt = this.#now();
    return {
      kind: 'record.put',
      row: { family: 'password', id, spaceId: null, key: userId, createdAt, dueAt: null, body: null },
    };
  }

  #now(): UnixMillis {
    return Math.floor(this.#options.clock.wall);
  }
}
