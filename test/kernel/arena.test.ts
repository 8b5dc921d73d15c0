import { expect, it } from 'vitest';
import { Arena } from '../../src/kernel/arena.js';

it('an arena cuts pieces of zeros that do not overlap, at offsets that are multiples of 8', () => {
  const arena = new Arena(64);
  const pieces = [12, 8, 20, 40, 1].map((bytes) => {
    const { block, offset } = arena.take(bytes);
    return block.subarray(offset, offset + bytes);
  });
  for (const [i, piece] of pieces.entries()) {
    expect(piece.byteOffset % 8).toBe(0);
    expect([...piece]).toEqual(Array.from(piece, () => 0));
    piece.fill(i + 1);
  }
  for (const [i, piece] of pieces.entries()) expect([...piece]).toEqual(Array.from(piece, () => i + 1));
});

it('an arena cuts neighbouring pieces from one block, and begins another block when the first is used up', () => {
  const arena = new Arena(64);
  const [first, second, third] = [arena.take(24), arena.take(40), arena.take(8)];
  expect(second.block).toBe(first.block);
  expect(third.block).not.toBe(first.block);
});

it('an arena creates a separate block for a piece that is larger than a block', () => {
  const arena = new Arena(64);
  expect(arena.take(100)).toMatchObject({ offset: 0, block: { length: 100 } });
  expect(arena.take(8).block.length).toBe(64);
});
