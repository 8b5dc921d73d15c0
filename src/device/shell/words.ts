/** Splits a command line into words as Zephyr's shell does (firmware shell, 1.1). */

interface Words {
  readonly words: readonly string[];
  /** An unclosed quotation mark. The rest of the line, spaces included, belongs to the last word. */
  readonly unclosed: string | undefined;
}

/**
 * Splits at spaces. Quotation marks group words and are removed. A backslash escapes the next character; inside quotation marks
 * it escapes only the closing mark, and is kept otherwise. (Zephyr's octal and hexadecimal escapes inside quotation marks are
 * not implemented, because all characters that they produce can be typed.)
 */
export function splitWords(line: string): Words {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    const next = line.charAt(i + 1);
    if (quote === undefined && char === ' ') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === quote) {
      quote = undefined;
    } else if (quote === undefined && MARKS.includes(char)) {
      quote = char;
      word ??= '';
    } else if (escapes(char, next, quote)) {
      word = (word ?? '') + next;
      i++;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return { words, unclosed: quote };
}

/** Quotation marks. */
const MARKS = ['"', "'"];

/** Whether `char` escapes the character after it, inside of `quote` or outside of quotation marks. */
function escapes(char: string, next: string, quote: string | undefined): boolean {
  return char === '\\' && (quote === undefined || next === quote);
}
