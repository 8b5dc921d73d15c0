/** C's strtol in base 10: the number at the start of the text, 0 without a number ("12-3" is 12, "-" is 0). */
export function leadingInteger(text: string): number {
  // Adding 0 turns the -0 of "-0" into 0.
  return Number(/^\s*([+-]?\d+)/.exec(text)?.[1] ?? 0) + 0;
}

/**
 * As `%f` of scanf in C: the number at the beginning of the text; `nan` and `inf` are numbers, too; undefined if there
 * is none.
 */
export function leadingFloat(text: string): number | undefined {
  const [, sign, word, number] = /^\s*([+-]?)(?:(nan|inf)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))/i.exec(text) ?? [];
  const size = number === undefined ? SPECIAL[word?.toLowerCase() ?? ''] : Number(number);
  return size !== undefined && sign === '-' ? -size : size;
}

const SPECIAL: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Number.POSITIVE_INFINITY };

/** A number as C's strtoul reads it in base 0, `19` or `0x13`; undefined if the text is not a number or is too long. */
export function wholeNumber(text: string): number | undefined {
  return /^(?:0x[\da-f]{1,8}|\d{1,10})$/i.test(text) ? Number(text) : undefined;
}
