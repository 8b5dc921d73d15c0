/** Counts by key, such as the requests of each caller. A key whose count is 0 takes no memory. */
export class Counts<K> {
  readonly #counts = new Map<K, number>();

  of(key: K): number {
    return this.#counts.get(key) ?? 0;
  }

  /** @returns the new count */
  increment(key: K): number {
    const count = this.of(key) + 1;
    this.#counts.set(key, count);
    return count;
  }

  decrement(key: K): void {
    const count = this.of(key) - 1;
    if (count <= 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }

  forget(key: K): void {
    this.#counts.delete(key);
  }

  clear(): void {
    this.#counts.clear();
  }
}
