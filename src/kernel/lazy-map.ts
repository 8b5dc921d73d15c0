/** A map whose keys are known from the start, and whose values are made when they are first read. */
export class LazyMap<K, V> implements ReadonlyMap<K, V> {
  readonly #keys: ReadonlySet<K>;
  readonly #make: (key: K) => V;
  readonly #made = new Map<K, V>();

  /** @param make called at the first access to the value of a key; if it throws, so does the access */
  constructor(keys: Iterable<K>, make: (key: K) => V) {
    this.#keys = new Set(keys);
    this.#make = make;
  }

  get size(): number {
    return this.#keys.size;
  }

  has(key: K): boolean {
    return this.#keys.has(key);
  }

  get(key: K): V | undefined {
    if (!this.#keys.has(key)) return undefined;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const value = this.#make(key);
    this.#made.set(key, value);
    return value;
  }

  keys(): MapIterator<K> {
    return this.#keys.keys();
  }

  /** Makes the values one by one. */
  *entries(): MapIterator<[K, V]> {
    for (const key of this.#keys) yield [key, this.get(key) as V];
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  forEach(visit: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }
}
