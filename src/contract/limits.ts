/** Limits of the API that scenarios are checked by, too: without the schemas, which take long to load. */

/** Limits of a connector; times in seconds. */
export const CONNECTOR_LIMITS = { timeout: 60, delay: 604_800, delays: 50 } as const;

/** Most characters of the value of a variable. */
export const LONGEST_VALUE = 4096;

/** Whether a text has at most `max` characters. Of a much longer one, they are not counted: that takes long. */
export function hasAtMost(max: number, text: string): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}

/** Whether a text is a name, apart from blanks at its ends. */
export function isName(text: string): boolean {
  const name = text.trim();
  return hasAtMost(64, name) && name !== '' && !/\p{Cc}/u.test(name);
}
