/**
 * PostgreSQL's texts can contain every character except U+0000, which users may send in a comment. U+0000 is stored as U+0001
 * U+0001, and U+0001 itself as U+0001 U+0002: nothing is lost, and the order of texts stays the same.
 */

export function toPostgres(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this function escapes them
  return /[\0\x01]/.test(text) ? text.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01') : text;
}

export function fromPostgres(text: string): string {
  return text.includes('\x01') ? text.replaceAll('\x01\x01', '\0').replaceAll('\x01\x02', '\x01') : text;
}
