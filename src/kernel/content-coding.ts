/** Answers that are not plain UTF-8 text: compressed, or in another charset. */
import { isUtf8 } from 'node:buffer';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Why the body of a compressed answer cannot be read; undefined if the answer is not compressed. */
export function compressedBecause(headers: Headers): string | undefined {
  const coding = [headers['content-encoding'] ?? ''].flat().join(', ').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return undefined;
  const name = shownName(coding) ?? 'an unknown coding';
  return `the answer is compressed (Content-Encoding: ${name}), which ghostfleet does not read; turn compression off in the server or its proxy, or leave out an "accept-encoding" of your own`;
}

/** The text of a foreign server; undefined if it does not look like the name of a coding. */
function shownName(name: string): string | undefined {
  return /^[a-z0-9_-]+(?:, ?[a-z0-9_-]+)*$/.test(name) && name.length <= 40 ? name : undefined;
}

/** How the bytes of a body become text. */
export interface BodyCoding {
  /** In small letters; undefined for none. */
  readonly charset: string | undefined;
  /** From {@link compressedBecause}. */
  readonly compressed: string | undefined;
}

export function codingOf(headers: Headers): BodyCoding {
  const type = [headers['content-type'] ?? ''].flat().join(', ');
  const charset = /;\s*charset\s*=\s*"?([^\s";,]+)/i.exec(type)?.[1]?.toLowerCase();
  return { charset, compressed: compressedBecause(headers) };
}

interface BodyText {
  readonly text: string;
  /** Why the text is not that of the server; left out if it is. */
  readonly unreadable?: string;
}

/** Charsets in which bytes of ASCII are other characters. */
const NOT_ASCII = /^(?:utf-16|utf-32|unicode|ucs-2|iso-10646|csunicode|iso-2022)/;

/**
 * A body as text. Bytes that are valid UTF-8 are UTF-8, whatever the charset says: JSON has no other one (RFC 8259), and text of
 * another charset with a letter beyond ASCII is hardly ever valid UTF-8.
 */
export function readBody(all: Buffer, from: number, end: number, { charset, compressed }: BodyCoding): BodyText {
  const isOther = charset !== undefined && NOT_ASCII.test(charset);
  const text = all.toString('utf8', from, end);
  if (!isOther && !text.includes('\ufffd')) return { text };
  const bytes = all.subarray(from, end);
  if (!isOther && isUtf8(bytes)) return { text };
  if (compressed !== undefined) return { text, unreadable: compressed };
  if (charset === undefined || charset === 'utf-8') return { text, unreadable: 'the answer is not UTF-8 text' };
  try {
    return { text: new TextDecoder(withOrder(charset, bytes), { fatal: true }).decode(bytes) };
  } catch {
    const name = shownName(charset) ?? 'unknown';
    return { text, unreadable: `the answer cannot be read as text: its charset is ${JSON.stringify(name)}` };
  }
}

/** The charset "utf-16" leaves the order of bytes to a mark at the beginning; without it, TextDecoder would guess. */
function withOrder(charset: string, [first, second]: Buffer): string {
  if (charset !== 'utf-16') return charset;
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : '';
}
