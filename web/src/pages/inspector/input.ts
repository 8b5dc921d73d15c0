/** The bytes that a user has pasted. */

export type Form = 'hex' | 'base64';

export interface Pasted {
  readonly form: Form;
  readonly bytes: Uint8Array;
}

/**
 * Reads hex digits (also with spaces, colons, commas, hyphens or `0x`) or base64 (also the URL-safe form). A text that could be
 * both counts as hex.
 * @throws Error with a sentence if it is neither
 */
export function readPasted(text: string): Pasted {
  const digits = text.replace(/0x|[\s:,-]/gi, '');
  if (digits === '') throw new Error('Paste a datagram or a body in hex digits or base64.');
  if (/^[0-9a-f]+$/i.test(digits)) {
    if (digits.length % 2 === 1) throw new Error(`The text has an odd number of hex digits: ${digits.length}.`);
    return { form: 'hex', bytes: Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)) };
  }
  const plain = text.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const wrong = /[^A-Za-z0-9+/=]/u.exec(plain);
  if (wrong) throw new Error(`The character "${wrong[0]}" is part of neither hex nor base64.`);
  try {
    return { form: 'base64', bytes: Uint8Array.from(atob(plain), (character) => character.charCodeAt(0)) };
  } catch {
    throw new Error('The text is not complete base64: its length is not that of whole bytes.');
  }
}
