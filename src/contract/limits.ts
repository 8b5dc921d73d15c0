/** Limits of the API that scenarios are checked by, too: without the schemas, which take long to load. */

/** Limits of a connector; times in seconds. */
export const CONNECTOR_LIMITS = { timeout: 60, delay: 604_800, delays: 50 } as const;

/** Maximum number of connectors of a space: every message of a device is compared with all of them. */
export const MOST_CONNECTORS = 100;

/** Maximum number of firmware images of a space. They take up to 768 KiB each. */
export const MOST_IMAGES = 100;

/** Maximum number of the variables of a space itself, and of each device, and of the bytes of their names and values. */
export const MOST_VARIABLES = { count: 1000, bytes: 262_144 } as const;

/** Bytes of a variable in UTF-8. */
export function bytesOf({ name, value }: { readonly name: string; readonly value: string }): number {
  return Buffer.byteLength(name) + Buffer.byteLength(value);
}

/** Most characters of the script of a connector. */
export const LONGEST_SCRIPT = 65_536;

/** Whether a text is accepted as the script of a connector, whatever it does. */
export function isScript(text: string): boolean {
  return hasAtMost(LONGEST_SCRIPT, text) && !text.includes('\0');
}

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
