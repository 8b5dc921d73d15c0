/** Limits the bytes of events that slow clients of a tenant keep in memory. Clients that get the same event share its bytes. */
import type { Id } from '../store/store.js';

/** Maximum number of bytes for each tenant: some twenty of the largest events. */
const MOST_BYTES = 16 * 1024 * 1024;

export class Unsent {
  /** By tenant: the bytes of each event, and how many clients receive them. */
  readonly #held = new Map<Id, Map<Buffer, number>>();

  /** Counts an event for one client until the returned function is called; undefined if the tenant would have too many bytes. */
  hold(tenant: Id, event: Buffer): (() => void) | undefined {
    const held = this.#held.get(tenant) ?? new Map<Buffer, number>();
    const clients = held.get(event) ?? 0;
    let bytes = clients === 0 ? event.length : 0;
    for (const { length } of held.keys()) bytes += length;
    if (bytes > MOST_BYTES) return undefined;
    this.#held.set(tenant, held.set(event, clients + 1));
    return () => {
      const others = (held.get(event) ?? 1) - 1;
      if (others > 0) held.set(event, others);
      else held.delete(event);
      if (held.size === 0 && this.#held.get(tenant) === held) this.#held.delete(tenant);
    };
  }
}
