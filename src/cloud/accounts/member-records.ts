/**
 * Records of accounts and memberships.
 *
 * An account belongs to the service, a membership to a space. Both have the id of the account. Because an id is unique within
 * its family, there is one family of memberships per space.
 *
 *     family               space  id       key     body
 *     user                 –      account  e-mail  the password, hashed
 *     member/<space id>    space  account  e-mail  role, state, name
 *     member-of/<account>  –      space    –       – (index from an account to its spaces)
 *     owner                space  space    –       the owner's account
 *     invite               –      invite   hash    account and space; expires at `dueAt`
 *     member-turn          space  turn     number  – (number of the last change of members, see `#decide` in members.ts)
 *     password             –      claim    account – (marks that the account's first password has been set)
 */
import type { Role } from '../../contract/users.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Change, Id, RecordRow } from '../store/store.js';
import { OWNERS } from '../store/tenants.js';

/** Membership of an account in a space. */
export interface Member {
  readonly id: Id;
  readonly spaceId: Id;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** `invited`: not accepted yet, and without access. */
  readonly state: 'invited' | 'active';
  /** Id of the only valid invitation; null for an active member. An invitation from before a removal is not valid. */
  readonly invitation: Id | null;
  readonly createdAt: UnixMillis;
}

/** Record family of the members of a space. */
export const familyOf = (spaceId: Id) => `member/${spaceId}`;
/** Record family of the spaces of an account. */
export const indexOf = (userId: Id) => `member-of/${userId}`;
/** Key of an address: in lower case, so that addresses that differ only in case are the same account. */
export const keyOf = (email: string) => email.toLowerCase();

/** Hash of an account's password; null until it has a password. */
export function passwordOf({ body }: RecordRow): string | null {
  return (body as { readonly password: string | null }).password;
}

export function toMember(row: RecordRow): Member {
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
  const row = { family: OWNERS, id: spaceId, spaceId, key: null, createdAt, dueAt: null, body: { userId } };
  return { kind: 'record.put', row };
}

/** Changes that store an active member, and the index entry from the account to the space. */
export function activate(member: Member, now: UnixMillis): readonly Change[] {
  const index = { id: member.spaceId, spaceId: null, key: null, createdAt: now, dueAt: null, body: null };
  return [putMember(member), { kind: 'record.put', row: { family: indexOf(member.id), ...index } }];
}

export function endMembership({ id, spaceId }: Pick<Member, 'id' | 'spaceId'>): readonly Change[] {
  return [
    { kind: 'record.delete', family: familyOf(spaceId), id },
    { kind: 'record.delete', family: indexOf(id), id: spaceId },
  ];
}
