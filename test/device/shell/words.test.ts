import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords } from '../../../src/device/shell/words.js';

describe('a line is split', () => {
  it.each([
    ['', []],
    ['   ', []],
    ['info show', ['info', 'show']],
    ['  info   show  ', ['info', 'show']],
    ['lte config apn ""', ['lte', 'config', 'apn', '']],
    [`a "b c" 'd e'`, ['a', 'b c', 'd e']],
    [`pre"fix and"post`, ['prefix andpost']],
    [`"it's"`, ["it's"]],
    ['a\\ b', ['a b']],
    ['\\"a\\"', ['"a"']],
    ['"say \\"hi\\""', ['say "hi"']],
    ['"C:\\dir"', ['C:\\dir']],
    ['a\\', ['a']],
    ['\ta\tb\v c\f\r\n', ['a', 'b', 'c']],
    ['"a\tb" c\\\td', ['a\tb', 'c\td']],
    ['žluťoučký é', ['žluťoučký', 'é']],
    ['a\u00a0b', ['a\u00a0b']],
    ['"\\x61pn" \'\\0141pn\'', ['apn', 'apn']],
    ['"\\x6z \\x \\X61 \\08 \\0777"', ['\x06z \\x \\X61 \\08 \ufffd']],
    ['"\\xc5\\xbe" "\\xc5"\\\xbe', ['ž', '\ufffd\u00be']],
    ['a\\x61 \\0141', ['ax61', '0141']],
    ['"ab\\x00cd" e', ['ab', 'e']],
    ['"\\x22\\x5c\\x20"', ['"\\ ']],
  ])('%s', (line, words) => {
    expect(splitWords(line)).toEqual({ words, unclosed: undefined });
  });

  it('and a quotation mark that was never closed is returned', () => {
    expect(splitWords('a "b c')).toEqual({ words: ['a', 'b c'], unclosed: '"' });
    expect(splitWords("'")).toEqual({ words: [''], unclosed: "'" });
  });
});

it('splitWords returns quoted words as they were', () => {
  // Puts a backslash before each character with a meaning for the shell, and quotation marks only around the empty word.
  const quote = (word: string) => (word === '' ? '""' : word.replace(/[ \\'"]/g, '\\$&'));
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(splitWords(words.map(quote).join(' '))).toEqual({ words, unclosed: undefined });
    }),
  );
});
