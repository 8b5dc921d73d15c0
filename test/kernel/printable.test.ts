/** Texts of others in terminals and pages. */
import { expect, it } from 'vitest';
import { printable, printableLine, withoutUnprintable } from '../../src/kernel/printable.js';

it.each([
  ['a control sequence', '\u001b[2J', '\\u001b[2J'],
  ['a direction mark', '\u061c', '\\u061c'],
  ['a soft hyphen', '\u00ad', '\\u00ad'],
  ['a Mongolian vowel separator', '\u180e', '\\u180e'],
  ['an annotation anchor', '\ufff9', '\\ufff9'],
  ['a filler', '\u3164', '\\u3164'],
  ['a tag of a language, which has two units of UTF-16', '\u{e0041}', '\\udb40\\udc41'],
])('%s is written by its code in a terminal, and replaced in a page', (_, character, code) => {
  expect(printable(`a${character}b`)).toBe(`a${code}b`);
  expect(JSON.parse(printable(JSON.stringify(character)))).toBe(character);
  expect(withoutUnprintable(`a${character}b`)).not.toContain(character);
});

it('letters of all scripts and emoji stay', () => {
  const text = 'Kühlhaus č 冷蔵庫 مخزن \u26a0\ufe0f';
  expect([printableLine(text), withoutUnprintable(text)]).toEqual([text, text]);
});
