/** Sizes of JSON texts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfText, sizeOf } from '../../src/kernel/json-size.js';

/** Counts in the value what `sizeOf` counts in its text. */
function counted(value: unknown): { depth: number; keys: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0, values: 0 };
  const items = Object.values(value).map(counted);
  const sum = (of: 'keys' | 'values') => items.reduce((total, item) => total + item[of], 0);
  return {
    depth: 1 + Math.max(0, ...items.map(({ depth }) => depth)),
    keys: (Array.isArray(value) ? 0 : items.length) + sum('keys'),
    values: items.length + sum('values'),
  };
}

describe('the size of a JSON text', () => {
  it('is that of its value, whatever stands in its keys and texts', () => {
    const texts = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ':', ',', 'a', '\n') });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(texts, fc.integer(), fc.array(tie('value')), fc.dictionary(texts, tie('value'))),
    }));
    fc.assert(
      fc.property(value, (any) => {
        const { depth, keys, values } = sizeOf(JSON.stringify(any, null, 1));
        const wanted = counted(any);
        expect({ depth, keys }).toEqual({ depth: wanted.depth, keys: wanted.keys });
        expect(values).toBe(wanted.values);
      }),
    );
  });

  it('ends at the end of a text that is not closed', () => {
    expect(['"', '"a', '"\\"', '"\\\\\\"'].map((text) => endOfText(text, 0) - text.length)).toEqual([0, 0, 0, 0]);
  });
});
