/** Addresses of web services: how a client reads them, and how messages and reports show them without their secrets. */
import { shellWord } from './printable.js';

/** What a client of an API needs of its address. */
interface ApiBase {
  readonly origin: string;
  /** Prefix of all paths, without a slash at its end and without `/v2`, which is part of every path of the API. */
  readonly prefix: string;
  /** Headers for the user name and password in the address; none without them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A hint for addresses that cannot be read. */
export const IN_PASSWORDS =
  'in a user name or password, write %23 for "#", %2F for "/", %3F for "?", %40 for "@" and %25 for "%"';

/**
 * Whether a sign in the password seems to end the host of an address: `http://bob:12#34@host` would be port 12 of "bob". Messages
 * would show the beginning of the password.
 */
function isCutShort(text: string): boolean {
  return /^\s*[a-z][a-z\d+.-]*:[/\\]*[^@/?#\\]*:\d*[/?#\\].*@/is.test(text);
}

/** Reads `https://user:password@host/prefix`; undefined if the text is not such an address. */
export function apiBase(text: string): ApiBase | undefined {
  if (!URL.canParse(text) || isCutShort(text)) return undefined;
  const { protocol, origin, pathname, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol)) return undefined;
  const prefix = pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v2$/, '');
  const headers = readCredentials({ username, password });
  return headers && { origin, prefix, headers };
}

/** The header for the user name and password in an address; undefined if one of them has an invalid percent escape. */
export function readCredentials({
  username,
  password,
}: Pick<URL, 'username' | 'password'>): ApiBase['headers'] | undefined {
  if (username === '' && password === '') return {};
  try {
    const pair = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    return { authorization: `Basic ${btoa(String.fromCharCode(...pair))}` };
  } catch {
    return undefined;
  }
}

/**
 * The parts of the header for a user name and password that an answer may repeat and no text may show. Without a password, the
 * user name is a token.
 */
export function secretsInBasic(value: string): readonly string[] {
  const [, pair = ''] = /^basic (.*)/i.exec(value) ?? [];
  const [, user = '', password = ''] = /^([^:]*):?(.*)/s.exec(Buffer.from(pair, 'base64').toString()) ?? [];
  return [pair, password === '' ? user : password];
}

/** The address of an API without secrets, and equal for all spellings of it; as given if it cannot be read. */
export function plainBase(text: string): string {
  const base = apiBase(text);
  return base === undefined ? shownAddress(text) : `${base.origin}${base.prefix}`;
}

const MASK = '***';

/**
 * An address, or what was given as one, without the secrets in it: user name with password, and the values in a query. Queries
 * have too many names for tokens, so all values are masked. An address is read as the program does that uses it; in a text that
 * cannot be read, all up to the last `@` may be a password.
 */
export function shownAddress(address: string): string {
  return hideUser(address)
    .replace(FURTHER, hideUser)
    .replace(/([?&#])([^=&#]*=)?[^&#]+/g, `$1$2${MASK}`);
}

function hideUser(address: string): string {
  const url = URL.canParse(address) && !isCutShort(address) ? new URL(address) : undefined;
  // In `bob:secret@host`, "bob" would be the scheme.
  if (url === undefined || url.host === '') {
    const [start = ''] = /^\s*[a-z\d+.-]*:?\/\//i.exec(address) ?? [];
    const at = address.lastIndexOf('@');
    return at < start.length ? address : `${start}${MASK}${address.slice(at)}`;
  }
  const { protocol, username, password, host, pathname, search, hash } = url;
  if (username === '' && password === '') return address;
  const path = pathname === '/' && !/\/(?:[?#]|$)/.test(address) ? '' : pathname;
  return `${protocol}//${MASK}@${host}${path}${search}${hash}`;
}

const ADDRESS = /(?<![a-z\d+.-])[\d+.-]*[a-z][a-z\d+.-]*:\/\/(?:[^\s/?#]*@)?[^\s"'<>]+/gi;
/** An address in another one. */
const FURTHER = new RegExp(`(?!^)${ADDRESS.source}`, 'gi');

/** A text without the secrets in its addresses: such as a message, a word of a command line, or `name=address`. */
export function shownText(text: string): string {
  const [, name = '', value = ''] = /^([\w.-]+=)?(.*)$/s.exec(text) ?? [];
  // An address that is the whole text may have signs that end one in a sentence.
  const isAddress = URL.canParse(value) && new URL(value).host !== '';
  return isAddress ? name + shownAddress(value) : text.replace(ADDRESS, shownAddress);
}

/** A command line for a shell, without the secrets in its addresses. */
export function shownCommand(words: readonly string[]): string {
  return words.map((word) => shellWord(shownText(word))).join(' ');
}
