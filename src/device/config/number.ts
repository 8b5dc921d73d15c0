/** C's strtol in base 10: the number at the start of the text, 0 without a number ("12-3" is 12, "-" is 0). */
export function leadingInteger(text: string): number {
  // Adding 0 turns the -0 of "-0" into 0.
  return Number(/^\s*([+-]?\d+)/.exec(text)?.[1] ?? 0) + 0;
}

/** C's scanf with `%f`: the number at the start of the text, which may be `nan` or `inf`; undefined without a number. */
export function leadingFloat(text: string): number | undefined {
  const [, sign, word, number] = /^\s*([+-]?)(?:(nan|inf)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))/i.exec(text) ?? [];
  const size = number === undefined ? SPECIAL[word?.toLowerCase() ?? ''] : Number(number);
  return size !== undefined && sign === '-' ? -size : size;
}

const SPECIAL: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Number.POSITIVE_INFINITY };

/** A decimal number of up to 10 digits or a hexadecimal one of up to 8, `19` or `0x13`; undefined for any other text. */
export function wholeNumber(text: string): number | undefined {
  return /^(?:0x[\da-f]{1,8}|\d{1,10})$/i.test(text) ? Number(text) : undefined;
}
