/** A command line, taken apart as Zephyr's shell does it (firmware shell, 1.1). */

interface Words {
  readonly words: readonly string[];
  /** The quotation mark that was never closed; it swallows the rest of the line, so it is in the last word. */
  readonly unclosed: string | undefined;
}

/**
 * Splits at spaces. Quotation marks group and vanish. A backslash makes the next character an ordinary one; inside
 * quotation marks it does so only before the mark that closes them, and otherwise stays. (Zephyr also knows octal and
 * hexadecimal escapes inside quotation marks. They are left out: everything that they can write can be typed.)
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
    } else if (quote === undefined && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (char === '\\' && (quote === undefined || next === quote)) {
      word = (word ?? '') + next;
      i++;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return { words, unclosed: quote };
}
