/**
 * Whose turn a read takes (fair-queue.ts). A read about a space takes a turn of its tenant (tenants.ts). Other reads ask for a
 * credential, an account, a device or a message. Whose it is, is known after the first read. Before, such reads take the turns of
 * two tenants of their own, so that all datagrams with invented serial numbers have one share together, and all requests with
 * invented credentials another.
 */
import type { Owner } from '../fair-queue.js';
import type { Id, RecordRow, Store } from '../store.js';
import { OWNERS, tenantOf } from '../tenants.js';

/** Maximum number of things whose space or account is remembered: some 20 MB. */
const MOST = 100_000;

/** Not an id, so that it differs from all tenants. */
const UNKNOWN = { credential: 'unknown credential', serial: 'unknown serial number' };
/** Parts of each of these tenants, and how many reads of a part may wait: anybody can cause any number of them. */
const STRANGERS = { parts: 64, mostWaiting: 64 };
const SERVICE = 'service';

/** For a read for the service itself. Reads with other texts have turns of their own. */
export function ofService(text: string): Owner {
  return { tenant: SERVICE, part: text };
}

type Belonging = { readonly spaceId: Id } | { readonly userId: Id };

export class ReadOwners {
  readonly #store: Pick<Store, 'record'>;
  /** By hash of a credential, or by id; least recently read first. A space belongs to its owner. */
  readonly #known = new Map<string, Belonging>();

  constructor(store: Pick<Store, 'record'>) {
    this.#store = store;
  }

  /** @param subject what the read asks for: the hash of a credential, an id, or a serial number */
  of(subject: string, kind: keyof typeof UNKNOWN = 'credential'): Owner | Promise<Owner> {
    const belonging = this.#known.get(subject);
    if (belonging === undefined) {
      const { parts, mostWaiting } = STRANGERS;
      return { tenant: UNKNOWN[kind], part: String(hashOf(subject) % parts), mostWaiting };
    }
    return 'spaceId' in belonging ? this.ofSpace(belonging.spaceId) : { tenant: belonging.userId, part: '' };
  }

  async ofSpace(spaceId: Id): Promise<Owner> {
    const belonging = this.#known.get(spaceId);
    if (belonging && 'userId' in belonging) return { tenant: belonging.userId, part: spaceId };
    const tenant = await tenantOf(this.#store, spaceId);
    this.#note(spaceId, { userId: tenant });
    return { tenant, part: spaceId };
  }

  /**
   * For a record of a space. Each takes turns with others: the memberships of accounts that ask for a space of others, which are
   * read in turns of this space, delay its requests little.
   */
  async ofRecord(family: string, spaceId: Id, id: Id): Promise<Owner> {
    // This record names the tenant of the space, so its turn is one of the space itself.
    if (family === OWNERS) return { tenant: spaceId, part: '' };
    return { ...(await this.ofSpace(spaceId)), part: id };
  }

  /** Remembers to which space something belongs that reads may name without the space. */
  note(subject: string, spaceId: Id): void {
    this.#note(subject, { spaceId });
  }

  /** Remembers the account of a login or an invitation, and the owner of a space. */
  noteRecord({ family, id, spaceId, key, body }: RecordRow): void {
    const { userId } = (body ?? {}) as { readonly userId?: Id };
    if (userId === undefined) return;
    if (family === OWNERS) this.#note(id, { userId });
    else if (spaceId === null) for (const subject of [id, key ?? id, userId]) this.#note(subject, { userId });
  }

  #note(subject: string, belonging: Belonging): void {
    this.#known.delete(subject);
    this.#known.set(subject, belonging);
    if (this.#known.size <= MOST) return;
    for (const [oldest] of this.#known) {
      this.#known.delete(oldest);
      break;
    }
  }
}

function hashOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
