/**
 * Secrets in what devices print: `info show` has the claim token, by design of the firmware, and `lrw config` has keys. On a
 * screen that others see they are masked. Both are 32 hex digits, and nothing else that a device prints is.
 *
 * What somebody types is also written down (`console.action`), and may hold the password of an access point as well.
 */
const SECRET = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/gi;
/** `lte config password "…"`, `settings write string lte/password …` */
const SECRET_BY_NAME = /(\S*(?:passw|key|token|secret)\S*\s+).+/i;
export const MASK = '********';

export function masked(line: string): string {
  return line.replace(SECRET, MASK);
}

/** A line that was typed, without secrets: also without what stands behind the name of one. */
export function writtenDown(line: string): string {
  return masked(line.trim()).replace(SECRET_BY_NAME, `$1${MASK}`);
}
