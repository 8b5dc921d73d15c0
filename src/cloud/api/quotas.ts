/** Limits on how many records a space may have. */
import { Counts } from '../../kernel/counts.js';
import { ApiFault } from '../http/errors.js';
import type { Id, Store } from '../store/store.js';

export class Quota {
  readonly #store: Store;
  readonly #family: string;
  readonly #most: number;
  readonly #noun: string;
  /** Number of creations that are not committed yet, by space. They count, so that concurrent creations keep the limit. */
  readonly #creating = new Counts<Id>();

  /** @param noun names the records in the error: `connectors` */
  constructor(store: Store, family: string, most: number, noun: string) {
    this.#store = store;
    this.#family = family;
    this.#most = most;
    this.#noun = noun;
  }

  /**
   * Runs `work`, which stores a new record of the space.
   * @throws ApiFault 409 `quota` if the space has as many records as it may have
   */
  async within<T>(spaceId: Id, work: () => Promise<T>): Promise<T> {
    const creating = this.#creating.increment(spaceId);
    try {
      const stored = await this.#store.records(this.#family, spaceId, { limit: this.#most });
      if (stored.length + creating <= this.#most) return await work();
      throw new ApiFault(409, `the space already has ${this.#most} ${this.#noun}, which is the maximum`, 'quota');
    } finally {
      this.#creating.decrement(spaceId);
    }
  }
}
