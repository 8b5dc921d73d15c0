/** Splits a command line into words as Zephyr's shell does (shell S-3; `shell_utils.c`, `make_argv`). */
import { Buffer } from 'node:buffer';

interface Words {
  readonly words: readonly string[];
  /** An unclosed quotation mark. The rest of the line, spaces included, belongs to the last word. */
  readonly unclosed: string | undefined;
}

/**
 * Splits at white space. Quotation marks group words and are removed. A backslash escapes the next character; inside quotation
 * marks it escapes only the closing mark, begins a byte (`\x61`, `\0141`), and is kept otherwise.
 */
export function splitWords(line: string): Words {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  // One character for each byte: escapes may produce a part of a letter in UTF-8.
  const bytes = Buffer.from(line).toString('latin1');
  const end = () => {
    if (word !== undefined) words.push(fromBytes(word));
    word = undefined;
  };
  for (let i = 0; i < bytes.length; i++) {
    const char = bytes.charAt(i);
    const next = bytes.charAt(i + 1);
    if (quote === undefined && SPACE.includes(char)) {
      end();
    } else if (char === quote) {
      quote = undefined;
    } else if (quote === undefined && MARKS.includes(char)) {
      quote = char;
      word ??= '';
    } else if (escapes(char, next, quote)) {
      word = (word ?? '') + next;
      i++;
    } else {
      const [code, byte] = (quote !== undefined && char === '\\' && byteAt(bytes, i)) || [char, char];
      word = (word ?? '') + byte;
      i += code.length - 1;
    }
  }
  end();
  return { words, unclosed: quote };
}

/** What C calls white space. */
const SPACE = ' \t\n\v\f\r';
/** Quotation marks. */
const MARKS = ['"', "'"];

/** Whether `char` escapes the character after it, inside of `quote` or outside of quotation marks. */
function escapes(char: string, next: string, quote: string | undefined): boolean {
  return char === '\\' && (quote === undefined || next === quote);
}

const BYTE = /\\(?:0([0-7]{1,3})|x([\dA-Fa-f]{1,2}))/y;

/** An escape such as `\x61` at index `i`, and its byte. */
function byteAt(bytes: string, i: number): readonly [code: string, byte: string] | undefined {
  BYTE.lastIndex = i;
  const [code, octal, hex] = BYTE.exec(bytes) ?? [];
  if (code === undefined) return undefined;
  const value = octal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(octal, 8);
  return [code, String.fromCharCode(value & 0xff)];
}

/** A NUL ends the word for the functions of the C library. */
function fromBytes(word: string): string {
  const end = word.indexOf('\0');
  return Buffer.from(end < 0 ? word : word.slice(0, end), 'latin1').toString();
}
