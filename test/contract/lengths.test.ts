import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasAtMost } from '../../src/contract/limits.js';

it('the length of a text is the number of its characters, also outside of the basic plane', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 12 });
  fc.assert(
    fc.property(fc.nat(8), texts, (max, text) => {
      expect(hasAtMost(max, text)).toBe([...text].length <= max);
    }),
  );
});
