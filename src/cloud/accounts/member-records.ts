/**
 * What is kept of people.
 *
 * An account belongs to the service, a membership to a space; both have the account's id. Because an id is unique within its
 * family, memberships have a family for every space.
 *
 *     family               space  id       key     body
 *     user                 –      account  e-mail  the password, hashed
 *     member/<space id>    space  account  e-mail  role, state, name
 *     member-of/<account>  –      space    –       – (the index from an account to its spaces)
 *     owner                space  space    –       the owner's account
 *     invite               –      invite   hash    whom to which space; ends at `dueAt`
 *     member-turn          space  turn     number  – (the last decision about members, see `#decide`)
 *     password             –      claim    account – (somebody has set the account's first password)
 */
import type { UnixMillis } from '../../kernel/time.js';
import type { Change, Id, RecordRow } from '../store/store.js';

export type Role = 'admin' | 'user';

/** An account's place in a space. */
export interface Member {
  /** Of the account. */
  readonly id: Id;
  readonly spaceId: Id;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** `invited` until the invitation is accepted: no access yet. */
  readonly state: 'invited' | 'active';
  /** The invitation that counts: an earlier one, of somebody who was removed since, does not. */
  readonly invitation: Id | null;
  readonly createdAt: UnixMillis;
}

/** Family of the members of a space. */
export const familyOf = (spaceId: Id) => `member/${spaceId}`;
/** Family of the spaces of an account. */
export const indexOf = (userId: Id) => `member-of/${userId}`;
/** Nobody has two accounts because of a capital letter. */
export const keyOf = (email: string) => email.toLowerCase();

/** The hash of an account's password; null until it has one. */
export function passwordOf({ body }: RecordRow): string | null {
  // Because only `putAccount` writes accounts.
  return (body as { readonly password: string | null }).password;
}

export function toMember(row: RecordRow): Member {
  // Because only `putMember` writes memberships.
  const body = row.body as Pick<Member, 'email' | 'name' | 'role' | 'state' | 'spaceId' | 'invitation'>;
  return { id: row.id, createdAt: row.createdAt, ...body };
}

export function deletion({ family, id }: RecordRow): Change {
  return { kind: 'record.delete', family, id };
}

export function putAccount(
  row: Omit<RecordRow, 'body'> & { readonly body: { readonly password: string | null } },
): Change {
  return { kind: 'record.put', row };
}

export function putMember({ id, createdAt, ...body }: Member): Change {
  const { spaceId, email } = body;
  const row = { family: familyOf(spaceId), id, spaceId, key: keyOf(email), createdAt, dueAt: null, body };
  return { kind: 'record.put', row };
}

export function putOwner(spaceId: Id, userId: Id, createdAt: UnixMillis): Change {
  const row = { family: 'owner', id: spaceId, spaceId, key: null, createdAt, dueAt: null, body: { userId } };
  return { kind: 'record.put', row };
}

/** Makes somebody an active member, with the index by which the account finds the space. */
export function activate(member: Member, now: UnixMillis): readonly Change[] {
  const index = { id: member.spaceId, spaceId: null, key: null, createdAt: now, dueAt: null, body: null };
  return [putMember(member), { kind: 'record.put', row: { family: indexOf(member.id), ...index } }];
}

export function endMembership({ id, spaceId }: Member): readonly Change[] {
  return [
    { kind: 'record.delete', family: familyOf(spaceId), id },
    { kind: 'record.delete', family: indexOf(id), id: spaceId },
  ];
}
