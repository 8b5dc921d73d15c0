/**
 * Small blocks of memory, cut one after the other from large ones. A typed array with a buffer of its own costs several hundred
 * bytes before its first number: too much for every device of a fleet.
 *
 * Pieces are not returned: a large block is freed when none of its pieces is referenced. So this suits pieces that live long or
 * are freed together.
 */
export class Arena {
  readonly #chunk: number;
  #block = new Uint8Array(0);
  #used = 0;

  /** @param chunk bytes of a large block */
  constructor(chunk: number) {
    this.#chunk = chunk;
  }

  /** A piece of `bytes` zeros at `offset` in a shared block; `offset` is a multiple of 8. */
  take(bytes: number): { readonly block: Uint8Array<ArrayBuffer>; readonly offset: number } {
    if (this.#used + bytes > this.#block.length) {
      this.#block = new Uint8Array(Math.max(this.#chunk, bytes));
      this.#used = 0;
    }
    const offset = this.#used;
    this.#used = offset + Math.ceil(bytes / 8) * 8;
    return { block: this.#block, offset };
  }
}
