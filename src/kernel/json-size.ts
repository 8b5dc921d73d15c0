/** How deeply a JSON text is nested, and how much it contains, before it is parsed. */

/**
 * Maximum number of levels of arrays and objects. Recursive code handles the values, so more levels could overflow its stack.
 */
export const DEPTH_LIMIT = 64;

/** Message for a JSON text with more than {@link DEPTH_LIMIT} levels. */
export const TOO_DEEP = `the JSON is nested too deep: the limit is ${DEPTH_LIMIT} levels`;

/** True if the JSON text has more levels than the limit. The text need not be valid JSON. */
export function isTooDeep(text: string, limit = DEPTH_LIMIT): boolean {
  return text.length > limit && sizeOf(text).depth > limit;
}

interface JsonSize {
  /** Number of levels of arrays and objects. */
  readonly depth: number;
  readonly keys: number;
  /** In all arrays and objects. */
  readonly values: number;
}

/** Measures a text. Its keys and values are counted by colons and commas, so they are right in valid JSON only. */
export function sizeOf(text: string): JsonSize {
  let [level, depth, keys, values] = [0, 0, 0, 0];
  let isEmpty = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    switch (unit) {
      case QUOTE:
        at = endOfText(text, at);
        break;
      case COLON:
        keys++;
        break;
      case COMMA:
        values++;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        values++;
        depth = Math.max(depth, ++level);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        level--;
        if (isEmpty) values--;
    }
    if (unit > SPACE) isEmpty = unit === OPEN_BRACKET || unit === OPEN_BRACE;
  }
  return { depth, keys, values };
}

/**
 * Where a text in JSON ends. A long text, such as a firmware image in base64, takes no time.
 * @param start offset of its first quotation mark
 * @returns offset of its last quotation mark, or of the end of the JSON if there is none
 */
export function endOfText(json: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = json.indexOf('"', at);
    if (at < 0) return json.length;
    let first = at;
    while (json.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
