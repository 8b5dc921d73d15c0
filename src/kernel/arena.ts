/**
 * Small blocks of memory, cut one after the other from large ones. A typed array with a buffer of its own costs several
 * hundred bytes before its first number, which is a lot when there is one for every device of a fleet.
 *
 * Nothing is given back: a large block goes when nobody uses a piece of it any more. So this is for what lives long, and for
 * what comes and goes together.
 */
export class Arena {
  readonly #chunk: number;
  #block = new Uint8Array(0);
  #used = 0;

  /** @param chunk bytes of a large block */
  constructor(chunk: number) {
    this.#chunk = chunk;
  }

  /** A piece of `bytes` zeros, from `offset` on in a block that others use too; `offset` is a multiple of 8. */
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
