/** Checks how deeply a JSON text is nested, before it is parsed. */

/**
 * Maximum number of levels of arrays and objects. Recursive code handles the values, so more levels could overflow its stack.
 */
export const DEPTH_LIMIT = 64;

/** Message for a JSON text with more than {@link DEPTH_LIMIT} levels. */
export const TOO_DEEP = `the JSON is nested too deep: the limit is ${DEPTH_LIMIT} levels`;

/** True if the JSON text has more levels than the limit. The text need not be valid JSON. */
export function isTooDeep(text: string, limit = DEPTH_LIMIT): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) inString = !inString;
    else if (inString) {
      if (unit === BACKSLASH) at++;
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      if (++depth > limit) return true;
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
