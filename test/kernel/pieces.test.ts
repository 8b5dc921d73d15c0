import { expect, it } from 'vitest';
import { type Piece, Pieces } from '../../src/kernel/pieces.js';

const bytesOf = ({ block, offset }: Piece, length: number): Uint8Array => new Uint8Array(block.buffer, offset, length);

it('Pieces cuts pieces of zeros that do not overlap, at offsets that are multiples of 8', () => {
  const pieces = new Pieces(64);
  const taken = [12, 12, 8, 12, 1, 12, 12].map((length) => bytesOf(pieces.take(length), length));
  for (const [i, piece] of taken.entries()) {
    expect(piece.byteOffset % 8).toBe(0);
    expect([...piece]).toEqual(Array.from(piece, () => 0));
    piece.fill(i + 1);
  }
  for (const [i, piece] of taken.entries()) expect([...piece]).toEqual(Array.from(piece, () => i + 1));
});

it('Pieces cuts neighbouring pieces from one block, and begins another block when the first is used up', () => {
  const pieces = new Pieces(64);
  const [first, second, third] = [pieces.take(32), pieces.take(32), pieces.take(32)];
  expect(second.block).toBe(first.block);
  expect(third.block).not.toBe(first.block);
});

it('Pieces creates a separate block for a piece that is larger than a block', () => {
  expect(new Pieces(64).take(100)).toMatchObject({ offset: 0, block: { buffer: { byteLength: 104 } } });
});

it('Pieces reuses a piece that was given back, and fills it with zeros', () => {
  const pieces = new Pieces(64);
  const first = pieces.take(32);
  pieces.take(32);
  bytesOf(first, 32).fill(7);
  pieces.giveBack(first);
  const again = pieces.take(32);
  expect(again).toEqual(first);
  expect([...bytesOf(again, 32)]).toEqual(new Array(32).fill(0));
});

it('Pieces keeps one empty block for each size of pieces, and drops the others', () => {
  const pieces = new Pieces(64);
  const taken = Array.from({ length: 6 }, () => pieces.take(32));
  for (const piece of taken) pieces.giveBack(piece);
  const again = Array.from({ length: 4 }, () => pieces.take(32).block);
  const known = new Set(taken.map(({ block }) => block));
  expect(again.map((block) => known.has(block))).toEqual([true, true, false, false]);
});
