/** Limits open event streams. A full service ends the newest stream of the tenant with the most, for one with few. */
import type { Id } from '../store/store.js';

/** Maximum number of streams per credential (an API key, or an account), per space, and in total. */
export const STREAMS = { credential: 20, space: 200, all: 1000 } as const;

export interface OpenStream {
  /** Aborted when the stream has to make room for one of another tenant. */
  readonly displaced: AbortSignal;
  /** Call it when the stream has ended. */
  leave(): void;
}

/** Who opens a stream. */
interface Reader {
  readonly space: Id;
  /** Owner of the space, because an account may have many spaces; a space without an owner is its own tenant. */
  readonly tenant: Id;
  readonly credential: string;
}

interface Place extends Reader {
  readonly displace: AbortController;
}

export class OpenStreams {
  /** In the order in which they were opened. */
  readonly #open = new Set<Place>();

  /** Counts another stream. If there are too many, returns which limit is reached. */
  enter(reader: Reader): OpenStream | keyof typeof STREAMS {
    if (this.#countOf('credential', reader) >= STREAMS.credential) return 'credential';
    if (this.#countOf('space', reader) >= STREAMS.space) return 'space';
    if (this.#open.size >= STREAMS.all && !this.#makeRoom(reader)) return 'all';
    const place: Place = { ...reader, displace: new AbortController() };
    this.#open.add(place);
    return { displaced: place.displace.signal, leave: () => void this.#open.delete(place) };
  }

  #countOf(what: keyof Reader, reader: Reader): number {
    let count = 0;
    for (const place of this.#open) if (place[what] === reader[what]) count++;
    return count;
  }

  /** Ends the newest stream of the tenant with the most streams, if it has at least two more than the tenant of `reader`. */
  #makeRoom(reader: Reader): boolean {
    const newest = new Map<Id, { readonly count: number; readonly place: Place }>();
    for (const place of this.#open)
      newest.set(place.tenant, { count: (newest.get(place.tenant)?.count ?? 0) + 1, place });
    let most = { count: this.#countOf('tenant', reader) + 1, place: undefined as Place | undefined };
    for (const each of newest.values()) if (each.count > most.count) most = each;
    if (!most.place) return false;
    this.#open.delete(most.place);
    most.place.displace.abort();
    return true;
  }
}
