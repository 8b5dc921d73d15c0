/** The search in sorted items. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bisect } from '../../src/kernel/bisect.js';

it('finds the first item for which the condition holds, as a search through all items does', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), fc.integer({ min: -1, max: 21 }), (items, limit) => {
      const sorted = items.toSorted((a, b) => a - b);
      const found = sorted.findIndex((item) => item >= limit);
      expect(bisect(sorted.length, (index) => (sorted[index] ?? 0) >= limit)).toBe(found < 0 ? sorted.length : found);
    }),
  );
});
