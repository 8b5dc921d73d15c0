/**
 * Small pieces of memory that are taken and given back, cut from large blocks. A typed array with a buffer of its own costs
 * several hundred bytes before its first number: too much for every device of a fleet.
 *
 * All pieces of a block have the same size. A piece is taken from the block that has had room for the longest time, so that the
 * other blocks can become empty. An empty block is freed if another block has room. A piece that is dropped without being given
 * back occupies its place until nothing references the block.
 *
 * The blocks are shared buffers, for the reason in arena.ts.
 */

/** A piece: it begins at `offset` of the buffer of its block. */
export interface Piece {
  readonly block: Block;
  readonly offset: number;
}

export class Pieces {
  readonly #bytes: number;
  /** By size of a piece: the blocks with room for more pieces, in the order in which they got this room. */
  readonly #open = new Map<number, Set<Block>>();

  /** @param bytes size of a block */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** A piece of `bytes` zeros; its offset is a multiple of 8. */
  take(bytes: number): Piece {
    const size = Math.max(8, Math.ceil(bytes / 8) * 8);
    const open = this.#blocks(size);
    let [block] = open;
    if (block === undefined) {
      block = new Block(size, Math.max(1, Math.floor(this.#bytes / size)));
      open.add(block);
    }
    const offset = block.take();
    if (block.isFull) open.delete(block);
    return { block, offset };
  }

  giveBack({ block, offset }: Piece): void {
    const open = this.#blocks(block.size);
    block.giveBack(offset);
    open.add(block);
    if (block.isEmpty && open.size > 1) open.delete(block);
  }

  #blocks(size: number): Set<Block> {
    const known = this.#open.get(size) ?? new Set();
    this.#open.set(size, known);
    return known;
  }
}

export class Block {
  readonly buffer: SharedArrayBuffer;
  /** Bytes of a piece. */
  readonly size: number;
  /** Offsets of the pieces that were given back. */
  readonly #free: number[] = [];
  #cut = 0;

  constructor(size: number, pieces: number) {
    this.buffer = new SharedArrayBuffer(size * pieces);
    this.size = size;
  }

  get isFull(): boolean {
    return this.#free.length === 0 && this.#cut === this.buffer.byteLength;
  }

  /** Whether all pieces of the block were given back. */
  get isEmpty(): boolean {
    return this.#free.length * this.size === this.#cut;
  }

  take(): number {
    const used = this.#free.pop();
    if (used !== undefined) {
      new Uint8Array(this.buffer, used, this.size).fill(0);
      return used;
    }
    const offset = this.#cut;
    this.#cut += this.size;
    return offset;
  }

  giveBack(offset: number): void {
    this.#free.push(offset);
  }
}
