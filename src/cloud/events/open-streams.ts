/**
 * Limits the streams of events that are open at a time. A service that is full makes room for a space with few streams, by
 * ending the newest stream of the space with the most. So one tenant cannot keep the others out.
 */
import type { Id } from '../store/store.js';

/** Maximum number of streams per credential, per space, and in total. */
export const STREAMS = { credential: 20, space: 200, all: 1000 } as const;

export interface OpenStream {
  /** Aborted when the stream has to make room for one of another space. */
  readonly displaced: AbortSignal;
  /** Call it when the stream has ended. */
  leave(): void;
}

interface Place {
  readonly credential: string;
  readonly displace: AbortController;
}

export class OpenStreams {
  readonly #spaces = new Map<Id, Set<Place>>();
  #all = 0;

  /** Counts another stream. If there are too many, returns which limit is reached. */
  enter(spaceId: Id, credential: string): OpenStream | keyof typeof STREAMS {
    const own = this.#spaces.get(spaceId) ?? new Set();
    const ofCredential = [...own].filter((place) => place.credential === credential).length;
    if (ofCredential >= STREAMS.credential) return 'credential';
    if (own.size >= STREAMS.space) return 'space';
    if (this.#all >= STREAMS.all && !this.#makeRoom(own.size)) return 'all';
    const place: Place = { credential, displace: new AbortController() };
    this.#spaces.set(spaceId, own.add(place));
    this.#all++;
    return { displaced: place.displace.signal, leave: () => this.#leave(spaceId, place) };
  }

  /** Ends the newest stream of the space with the most streams, if it has at least two more than `own`. */
  #makeRoom(own: number): boolean {
    let most: readonly [Id, Set<Place>] | undefined;
    for (const each of this.#spaces) if (each[1].size > (most?.[1].size ?? own + 1)) most = each;
    const newest = most && [...most[1]].at(-1);
    if (!most || !newest) return false;
    this.#leave(most[0], newest);
    newest.displace.abort();
    return true;
  }

  #leave(spaceId: Id, place: Place): void {
    const own = this.#spaces.get(spaceId);
    if (!own?.delete(place)) return;
    this.#all--;
    if (own.size === 0) this.#spaces.delete(spaceId);
  }
}
