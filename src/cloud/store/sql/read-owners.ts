/**
 * Whose turn a read takes (fair-queue.ts). A read about a space takes a turn of its tenant (tenants.ts). Other reads ask for a
 * credential, an account, a device or a message. Whose it is, is known after the first read. Before, such reads take the turns of
 * two tenants of their own, so that all datagrams with invented serial numbers have one share together, and all requests with
 * invented credentials another. Of a known device, only its serial number is known, not who has sent it: reads for datagrams
 * take turns of the devices of its tenant, which delay no request of the tenant.
 */
import { randomInt } from 'node:crypto';
import type { Owner } from '../fair-queue.js';
import type { Id, RecordRow, Store } from '../store.js';
import { OWNERS, tenantOf } from '../tenants.js';

/** Maximum number of things whose space or account is remembered: some 20 MB. */
const MOST = 100_000;

/** Not ids, so that they differ from all tenants. */
const UNKNOWN = { credential: 'unknown credential', serial: 'unknown serial number' };
/** How many reads of a part of these tenants may wait: anybody can cause any number of them. */
const MOST_WAITING = 64;
/** Parts of each of these tenants, and of the devices of a tenant. */
const PARTS = 64;
/** Family of the records with the keys of devices, which are read during a handshake. */
const SECRETS = 'secret';
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

  /** @param subject what the read asks for: the hash of a credential, or an id */
  of(subject: string): Owner | Promise<Owner> {
    const belonging = this.#known.get(subject);
    if (belonging === undefined)
      return { tenant: UNKNOWN.credential, part: partOf(subject), mostWaiting: MOST_WAITING };
    return 'spaceId' in belonging ? this.ofSpace(belonging.spaceId) : { tenant: belonging.userId, part: '' };
  }

  ofSerial(serial: number): Owner | Promise<Owner> {
    const belonging = this.#known.get(String(serial));
    if (belonging && 'spaceId' in belonging) return this.#ofDevice(belonging.spaceId, String(serial));
    return { tenant: UNKNOWN.serial, part: partOf(String(serial)), mostWaiting: MOST_WAITING };
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
    if (family === SECRETS) return this.#ofDevice(spaceId, id);
    return { ...(await this.ofSpace(spaceId)), part: id };
  }

  async #ofDevice(spaceId: Id, name: string): Promise<Owner> {
    const { tenant } = await this.ofSpace(spaceId);
    return { tenant: `devices of ${tenant}`, part: partOf(name) };
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

/** Secret, so that a sender cannot choose names of the part in which the reads of another wait. */
const SEED = randomInt(0x1_0000_0000);

function partOf(text: string): string {
  let hash = SEED;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  // The low bits depend only on the low bits of the seed.
  return String((hash >>> 16) % PARTS);
}
