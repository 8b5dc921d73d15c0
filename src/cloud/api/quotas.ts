/** Limits on how many records a space or an account may have. */
import type { FastifyReply } from 'fastify';
import { ApiFault } from '../http/errors.js';
import type { Id } from '../store/store.js';
import type { ApiContext } from './family.js';

/** Family and space of the records of an owner: a space or an account. */
type ListOf = (owner: Id) => readonly [family: string, spaceId: Id | null];

type Changing = Pick<ApiContext, 'store' | 'changes'>;

export class Quota {
  readonly #context: Changing;
  readonly #listOf: ListOf;
  readonly #most: number;
  readonly #excess: string;

  /** @param excess message of the error */
  constructor(context: Changing, listOf: ListOf, most: number, excess: string) {
    this.#context = context;
    this.#listOf = listOf;
    this.#most = most;
    this.#excess = excess;
  }

  /**
   * Runs `work`, which stores a new record of the owner, after other creations have ended (record-changes.ts).
   * @throws ApiFault 409 `quota` if the owner has as many records as it may have
   */
  within<T>(reply: FastifyReply, owner: Id, work: () => Promise<T>): Promise<T> {
    const { store, changes } = this.#context;
    const [family, spaceId] = this.#listOf(owner);
    return changes.run(reply, `${family}/${spaceId}`, async () => {
      if ((await store.countRecords(family, spaceId, this.#most)) < this.#most) return work();
      throw new ApiFault(409, this.#excess, 'quota');
    });
  }
}
