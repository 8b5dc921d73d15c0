/** Texts for property tests. */
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * A text of any characters of Unicode. `fc.string({ unit: 'binary' })` makes the same texts, but takes a second to prepare a
 * table of all characters.
 */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc
      .nat(0x10ffff - SURROGATES.count)
      .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count)),
  )
  .map((characters) => characters.join(''));
