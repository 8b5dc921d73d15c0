/**
 * Whether the database of a store can be trusted. The first sign of damage ends all writes: a service that keeps writing to a
 * damaged database loses more data, and acknowledges commits that it cannot keep. Reads continue.
 */
import { StoreUnavailable } from './changes.js';

export class Soundness {
  readonly #damage: string[] = [];
  readonly #listeners: ((what: string) => void)[] = [];

  /** Descriptions of the damage, oldest finding first; empty for a sound database. */
  get damage(): readonly string[] {
    return this.#damage;
  }

  /** Records damage, such as `the last 3 of 120 commits are missing`. */
  report(what: string): void {
    if (this.#damage.includes(what)) return;
    this.#damage.push(what);
    for (const listener of this.#listeners) listener(what);
  }

  /** Calls `listener` for each reported damage: at once for earlier reports, and later for each new one. */
  listen(listener: (what: string) => void): void {
    this.#listeners.push(listener);
    for (const what of this.#damage) listener(what);
  }

  /** Called before every write. @throws StoreUnavailable `store-damaged` */
  demand(): void {
    if (this.#damage.length > 0) throw new StoreUnavailable(new Error(this.#damage[0]), 'store-damaged');
  }
}
