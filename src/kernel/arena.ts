/**
 * Small pieces of memory, cut one after the other from large blocks. A typed array with a buffer of its own costs several
 * hundred bytes before its first number: too much for every device of a fleet.
 *
 * A piece cannot be freed alone: the whole block is freed when none of its pieces is referenced. So an arena suits pieces that
 * live long or are freed together.
 *
 * The blocks are shared buffers, because V8 starts a full garbage collection whenever unshared buffers have grown by 64 MB,
 * however large the heap is. A day of messages of 100,000 devices would cause 48 such collections.
 */
export class Arena {
  readonly #chunk: number;
  #block = new Uint8Array(new SharedArrayBuffer(0));
  #used = 0;

  /** @param chunk bytes of a large block */
  constructor(chunk: number) {
    this.#chunk = chunk;
  }

  /** A piece of `bytes` zeros at `offset` in a shared block; `offset` is a multiple of 8. */
  take(bytes: number): { readonly block: Uint8Array<SharedArrayBuffer>; readonly offset: number } {
    if (this.#used + bytes > this.#block.length) {
      this.#block = new Uint8Array(new SharedArrayBuffer(Math.max(this.#chunk, bytes)));
      this.#used = 0;
    }
    const offset = this.#used;
    this.#used = offset + Math.ceil(bytes / 8) * 8;
    return { block: this.#block, offset };
  }
}
