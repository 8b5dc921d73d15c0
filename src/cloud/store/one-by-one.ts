/**
 * Work that changes the same thing, such as a record: one after another in the order of the calls. Concurrent changes would
 * conflict, and of each round of conflicts one change would succeed.
 */
export class OneByOne {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all that was called before for the same thing has ended. */
  async run<T>(thing: string, work: () => Promise<T>): Promise<T> {
    const turn = Promise.resolve(this.#last.get(thing)).then(work);
    const over = turn.catch(() => {});
    this.#last.set(thing, over);
    try {
      return await turn;
    } finally {
      if (this.#last.get(thing) === over) this.#last.delete(thing);
    }
  }
}
