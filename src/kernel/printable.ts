/**
 * Makes texts from files, devices and other clouds safe for a terminal. Control characters could clear the screen, overwrite
 * lines or change the title; characters for the direction of writing could make a text look like another one.
 */

/**
 * Control characters, line separators, and characters that are invisible or change the order or the look of others. Kept is only
 * the selector after an emoji that many keyboards add.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}](?<!\p{Emoji}\ufe0f)/gu;

/** The text with U+FFFD in place of characters that a page must not contain. Line feeds and tabs are kept. */
export function withoutUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (/[\n\t]/.test(character) ? character : '\ufffd'));
}

/** A text in which control characters are written in the form `\u001b`. Line ends and tabs are kept. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character, at: number) => {
    if (character === '\n' || character === '\t') return character;
    return character === '\r' && text[at + 1] === '\n' ? character : escaped(character);
  });
}

/** A text on one line: like {@link printable}, but line feeds and tabs are written as `\n` and `\t`. */
export function printableLine(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/**
 * Applies {@link printableLine} to all texts in a result, also to those in lists and objects: a text with a line feed could add
 * a line to the report. Values of other kinds are kept.
 */
export function printableTexts<T>(value: T): T;
export function printableTexts(value: unknown): unknown {
  if (typeof value === 'string') return printableLine(value);
  if (Array.isArray(value)) return value.map(printableTexts);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [printableLine(key), printableTexts(inner)]));
}

/** A word for a shell: within quotation marks if it needs them, and with control characters as `$'…'` writes them. */
export function shellWord(word: string): string {
  if (/^[\w./:@=-]+$/.test(word)) return word;
  if (printableLine(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  const inside = word.replace(/[\\']/g, '\\$&').replace(UNPRINTABLE, inOctal);
  return `$'${inside}'`;
}

/** The bytes of a character as shells read them in any locale. */
function inOctal(character: string): string {
  if (character === '\n') return '\\n';
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  // As JSON writes them, because the whole text may be JSON.
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
