/**
 * Limits the bytes of answers and events that wait until clients receive them. Beyond a limit, the client that has waited the
 * longest loses its connection: one that reads waits only for a moment. Clients that get the same event share its bytes.
 */
import type { Id } from '../store/store.js';

/** Most bytes for all tenants together, and for each. */
export interface UnsentLimits {
  readonly all: number;
  readonly each: number;
}

/** What is counted: the same object counts once. */
interface Bytes {
  readonly length: number;
}

export class Unsent {
  readonly #most: UnsentLimits;
  readonly #tenants = new Map<Id, Waiting>();

  constructor(most: UnsentLimits) {
    this.#most = most;
  }

  /**
   * Counts bytes that wait for a client of a tenant, until the returned function is called.
   * @param cut ends the connection of the client
   */
  hold(tenant: Id, bytes: Bytes, cut: () => void): () => void {
    const own = this.#tenants.get(tenant) ?? new Waiting();
    this.#tenants.set(tenant, own);
    const release = own.add(bytes, cut);
    while (own.bytes > this.#most.each) own.cutOldest();
    while (this.#sum() > this.#most.all) this.#largest().cutOldest();
    return () => {
      release();
      if (own.isEmpty && this.#tenants.get(tenant) === own) this.#tenants.delete(tenant);
    };
  }

  #sum(): number {
    let sum = 0;
    for (const { bytes } of this.#tenants.values()) sum += bytes;
    return sum;
  }

  #largest(): Waiting {
    return [...this.#tenants.values()].reduce((most, each) => (each.bytes > most.bytes ? each : most));
  }
}

/** What waits for the clients of a tenant. */
class Waiting {
  bytes = 0;
  /** Oldest first. */
  readonly #clients = new Set<{ readonly release: () => void; readonly cut: () => void }>();
  /** How many clients receive the same bytes. */
  readonly #shared = new Map<Bytes, number>();

  get isEmpty(): boolean {
    return this.#clients.size === 0;
  }

  add(bytes: Bytes, cut: () => void): () => void {
    const clients = this.#shared.get(bytes) ?? 0;
    if (clients === 0) this.bytes += bytes.length;
    this.#shared.set(bytes, clients + 1);
    const release = () => {
      if (this.#clients.delete(client)) this.#remove(bytes);
    };
    const client = { release, cut };
    this.#clients.add(client);
    return release;
  }

  cutOldest(): void {
    const [oldest] = this.#clients;
    oldest?.release();
    oldest?.cut();
  }

  #remove(bytes: Bytes): void {
    const others = (this.#shared.get(bytes) ?? 1) - 1;
    if (others > 0) {
      this.#shared.set(bytes, others);
      return;
    }
    this.#shared.delete(bytes);
    this.bytes -= bytes.length;
  }
}
