import { describe, expect, it } from 'vitest';
import { entropy } from '../../src/kernel/entropy.js';
import { randomBytes } from '../../src/kernel/random.js';

describe('entropy', () => {
  it('gives as many bytes as requested, never the same twice, even when its pool is used up', () => {
    // 16 · 400 = 6,400 bytes are more than the pool of 3,072.
    const ids = Array.from({ length: 400 }, () => Buffer.from(randomBytes(entropy, 16)).toString('hex'));
    expect(new Set(ids).size).toBe(400);
    expect(ids.every((id) => id.length === 32 && id !== '0'.repeat(32))).toBe(true);
    expect(new Set(randomBytes(entropy, 5000)).size).toBe(256);
  });

  it('gives numbers of at least 0 and less than 1, even between requests for bytes', () => {
    const numbers = Array.from({ length: 1000 }, () => {
      randomBytes(entropy, 5);
      return entropy.next();
    });
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBe(1000);
  });
});
