/** Limits on how many records a space or an account may have. */
import { Counts } from '../../kernel/counts.js';
import { ApiFault } from '../http/errors.js';
import type { Id, Store } from '../store/store.js';

/** Family and space of the records of an owner: a space or an account. */
type ListOf = (owner: Id) => readonly [family: string, spaceId: Id | null];

export class Quota {
  readonly #store: Store;
  readonly #listOf: ListOf;
  readonly #most: number;
  readonly #excess: string;
  /** Number of creations that are not committed yet, by owner. They count, so that concurrent creations keep the limit. */
  readonly #creating = new Counts<Id>();

  /** @param excess message of the error */
  constructor(store: Store, listOf: ListOf, most: number, excess: string) {
    this.#store = store;
    this.#listOf = listOf;
    this.#most = most;
    this.#excess = excess;
  }

  /**
   * Runs `work`, which stores a new record of the owner.
   * @throws ApiFault 409 `quota` if the owner has as many records as it may have
   */
  async within<T>(owner: Id, work: () => Promise<T>): Promise<T> {
    const creating = this.#creating.increment(owner);
    try {
      const stored = await this.#store.countRecords(...this.#listOf(owner), this.#most);
      if (stored + creating <= this.#most) return await work();
      throw new ApiFault(409, this.#excess, 'quota');
    } finally {
      this.#creating.decrement(owner);
    }
  }
}
