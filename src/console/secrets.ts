/**
 * Secrets in what devices print: `info show` has the claim token, by design of the firmware, and `lrw config` has keys. On a
 * screen that others see they are masked. Both are 32 hex digits, and nothing else that a device prints is.
 */
const SECRET = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/gi;
export const MASK = '********';

export function masked(line: string): string {
  return line.replace(SECRET, MASK);
}
