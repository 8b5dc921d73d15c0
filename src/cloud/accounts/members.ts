/**
 * People: who has an account, and who is a member of which space (cloud API gaps, 3.2 and 3.10).
 *
 * The service sends no mail. An invitation is a token for whoever invites to hand over. It becomes a membership only together
 * with the account's password: somebody who made up an account with a stranger's address gets into no space by it.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import { days, type UnixMillis } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import { everyRecord } from '../store/records.js';
import { type Change, ConflictError, type Id, type Page, type Store } from '../store/store.js';
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
  type Role,
  toMember,
} from './member-records.js';
import { hashPassword, verifyPassword } from './passwords.js';

export interface NewMember {
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
}

/** How long an invitation is good for. */
export const INVITATION = days(7);

const EXPIRED_AT_ONCE = 10;
/** How often a decision is tried when others keep deciding: of those that try at once, one succeeds each time. */
const PATIENCE = 100;

export interface MembersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}

export class Members {
  readonly #options: MembersOptions;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  async list(spaceId: Id, page: Page): Promise<readonly Member[]> {
    const rows = await this.#options.store.records(familyOf(spaceId), spaceId, page);
    return rows.map(toMember);
  }

  async find(spaceId: Id, id: Id): Promise<Member | undefined> {
    const row = await this.#options.store.record(familyOf(spaceId), spaceId, id);
    return row && toMember(row);
  }

  /** Ids of the spaces that the account is an active member of, oldest first. */
  async spacesOf(id: Id, page: Page): Promise<readonly Id[]> {
    const rows = await this.#options.store.records(indexOf(id), null, page);
    return rows.map((row) => row.id);
  }

  async ownerOf(spaceId: Id): Promise<Id | null> {
    const row = await this.#options.store.record('owner', spaceId, spaceId);
    return row === undefined ? null : (row.body as { readonly userId: Id }).userId;
  }

  /** Invites somebody; the token is good for {@link INVITATION}. `known` when the address is a member's already. */
  invite(spaceId: Id, { email, name, role }: NewMember): Promise<{ member: Member; token: string } | 'known'> {
    const { store, ids, random } = this.#options;
    const token = newSecret(random);
    return this.#decide<{ member: Member; token: string } | 'known'>(spaceId, async () => {
      if (await store.recordByKey(familyOf(spaceId), spaceId, keyOf(email))) return { outcome: 'known' };
      const { id, changes } = await this.#account(email, null);
      const now = this.#now();
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
        outcome: { member, token },
        changes: [...expired.map(deletion), ...changes, putMember(member), { kind: 'record.put', row: invite }],
      };
    });
  }

  /**
   * Turns an invitation into a membership. The password becomes that of the account; one that has a password already must
   * be given it. Undefined when the token or the password is not right.
   */
  async accept(token: string, password: string): Promise<Proof | undefined> {
    const { store, random } = this.#options;
    const invite = await store.recordByKey('invite', null, hashKey(token));
    if (invite === undefined || (invite.dueAt ?? 0) <= this.#now()) return undefined;
    const { userId, spaceId } = invite.body as { readonly userId: Id; readonly spaceId: Id };
    return this.#decide(spaceId, async () => {
      const account = await store.record('user', null, userId);
      const invited = await this.find(spaceId, userId);
      if (!account || invited?.state !== 'invited' || invited.invitation !== invite.id) return { outcome: undefined };
      const before = passwordOf(account);
      if (before !== null && !(await verifyPassword(password, before))) return { outcome: undefined };
      const member: Member = { ...invited, state: 'active', invitation: null };
      const changes = [...activate(member, this.#now()), deletion(invite)];
      const hashed = before ?? (await hashPassword(password, random));
      if (before === null) {
        changes.push(this.#claimPassword(userId), putAccount({ ...account, body: { password: hashed } }));
      }
      return { outcome: proofOf(userId, hashed), changes };
    });
  }

  /** Changes a member. `last-admin` and `owner` are why it cannot be done. */
  change(
    { spaceId, id }: Member,
    change: Partial<Pick<Member, 'role' | 'name'>>,
  ): Promise<Member | 'last-admin' | 'owner' | 'gone'> {
    return this.#decide<Member | 'last-admin' | 'owner' | 'gone'>(spaceId, async () => {
      const before = await this.find(spaceId, id);
      if (!before) return { outcome: 'gone' };
      const after = { ...before, ...change };
      const hindrance = after.role === 'admin' ? undefined : await this.#hindrance(before);
      return hindrance ? { outcome: hindrance } : { outcome: after, changes: [putMember(after)] };
    });
  }

  /** Ends a membership at once; the account stays. `last-admin` and `owner` are why it cannot be done. */
  remove({ spaceId, id }: Member): Promise<'removed' | 'last-admin' | 'owner' | 'gone'> {
    return this.#decide<'removed' | 'last-admin' | 'owner' | 'gone'>(spaceId, async () => {
      const member = await this.find(spaceId, id);
      if (!member) return { outcome: 'gone' };
      const hindrance = await this.#hindrance(member);
      return hindrance ? { outcome: hindrance } : { outcome: 'removed', changes: endMembership(member) };
    });
  }

  /** Makes an active admin the owner; false when it is none. */
  own(spaceId: Id, id: Id): Promise<boolean> {
    return this.#decide(spaceId, async () => {
      const member = await this.find(spaceId, id);
      const may = member?.role === 'admin' && member.state === 'active';
      return may ? { outcome: true, changes: [putOwner(spaceId, id, this.#now())] } : { outcome: false };
    });
  }

  /** What makes the account the owner and admin of a space that is made in the same commit. */
  async founding(spaceId: Id, userId: Id): Promise<readonly Change[]> {
    const account = await this.#options.store.record('user', null, userId);
    if (account === undefined) throw new Error(`there is no account ${userId}`);
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
   * Ends all memberships of a space, with what deletes it. A decision like the others, so that nobody is let in meanwhile.
   * @throws ConflictError when the space cannot be deleted, or is already
   */
  dissolve(spaceId: Id, deletion: Change): Promise<void> {
    return this.#decide(spaceId, async () => {
      const changes: Change[] = [];
      for await (const member of this.#all(spaceId)) changes.push(...endMembership(member));
      return { outcome: undefined, changes: [...changes, deletion] };
    });
  }

  /**
   * Makes sure that there is an admin with this address and password. One that is there keeps its name and gets the
   * password, which ends all its logins if it is another one; a space without an owner gets this one.
   */
  async ensureAdmin(spaceId: Id, email: string, password: string): Promise<void> {
    const { store, random } = this.#options;
    const known = await store.recordByKey('user', null, keyOf(email));
    const keep = known !== undefined && (await verifyPassword(password, passwordOf(known)));
    const hashed = keep ? passwordOf(known) : await hashPassword(password, random);
    const { id, changes } = await this.#account(email, hashed);
    const before = await this.find(spaceId, id);
    if (keep && before?.role === 'admin' && before.state === 'active') return;
    const now = this.#now();
    const base = before ?? { id, spaceId, email, name: null, createdAt: now };
    const member: Member = { ...base, role: 'admin', state: 'active', invitation: null };
    const owner = (await this.ownerOf(spaceId)) === null ? [putOwner(spaceId, id, now)] : [];
    const ended = keep || !known ? [] : await endLogins(store, id);
    await store.commit([...changes, ...ended, ...activate(member, now), ...owner]);
  }

  /** The account with this address and password; undefined when there is none. */
  async login(email: string, password: string): Promise<Proof | undefined> {
    const account = await this.#options.store.recordByKey('user', null, keyOf(email));
    const hashed = account ? passwordOf(account) : null;
    const isRight = await verifyPassword(password, hashed);
    return account && hashed !== null && isRight ? proofOf(account.id, hashed) : undefined;
  }

  /** The account with this address, and what has to be written for it: nothing, when it is there and keeps its password. */
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

  async #hindrance(member: Member): Promise<'last-admin' | 'owner' | undefined> {
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
   * Commits what was decided about the members of a space, unless somebody has decided something else meanwhile: then the
   * question is put again. Every decision takes the next number, and a number is given once, on whichever node; or two admins
   * could demote each other at the same moment.
   */
  async #decide<T>(
    spaceId: Id,
    decide: () => Promise<{ readonly outcome: T; readonly changes?: readonly Change[] }>,
  ): Promise<T> {
    const { store, ids } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const [last] = await store.records('member-turn', spaceId, { limit: 1 });
      const { outcome, changes } = await decide();
      if (changes === undefined) return outcome;
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
      try {
        await store.commit([...(last ? [deletion(last)] : []), { kind: 'record.put', row: turn }, ...changes]);
        return outcome;
      } catch (error) {
        // The turn is taken; or, which the next look will show, the account was made or got its password meanwhile.
        if (!(error instanceof ConflictError && error.field === 'record-key')) throw error;
        if (attempt === PATIENCE) throw new ConflictError('record-body');
      }
    }
  }

  /** Of two first passwords for one account, one is refused. */
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
