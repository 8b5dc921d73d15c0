/** Addresses of PostgreSQL databases, and how connections to them last: `postgres://user:password@host:5432/database?options`. */
import { UsageError } from '../../../kernel/errors.js';
import { printableLine } from '../../../kernel/printable.js';
import { seconds } from '../../../kernel/time.js';
import { IN_PASSWORDS } from '../../../kernel/web-address.js';

/** Settings of each connection: without them, a server that vanished would be noticed after two hours of silence. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: seconds(30) } as const;

/** Whether a text is meant as such an address. It may be invalid. */
export function isPostgresUrl(spec: string): boolean {
  return /^postgres(ql)?:/i.test(spec);
}

/** The modes of `sslmode`. */
const MODES = ['disable', 'no-verify', 'verify-full'];
/** Further modes, which the library (pg) takes for `verify-full`. It warns of them. */
const OTHER_MODES = ['require', 'verify-ca', 'prefer'];

/** @throws UsageError `bad-database` */
export function parsePostgresUrl(url: string): URL {
  return withMode(withKnown(readUrl(url)));
}

function readUrl(url: string): URL {
  if (SEVERAL_HOSTS.test(url)) {
    throw new UsageError(
      'bad-database',
      'the address of the PostgreSQL database has several hosts',
      'write one: a name or a proxy that leads to the server that accepts writes',
    );
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && isWhole(parsed)) return parsed;
  // The message does not contain the text, because it may contain a password.
  const message = 'the address of the PostgreSQL database cannot be read';
  throw new UsageError(
    'bad-database',
    message,
    `expected postgres://user:password@host:5432/database; ${IN_PASSWORDS}`,
  );
}

/** Commas between the user and the path. A password has none unencoded if the address can be read. */
const SEVERAL_HOSTS = /^[a-z]+:\/\/(?:[^@/,]*@)?[^@/,]+,[^@/]*(?:\/|$)/i;

/** Parameters that the library (pg) knows. It ignores others. */
const PARAMETERS: ReadonlySet<string> = new Set([
  ...[
    'application_name',
    'client_encoding',
    'fallback_application_name',
    'host',
    'options',
    'password',
    'port',
    'user',
  ],
  ...['ssl', 'sslcert', 'sslkey', 'sslmode', 'sslrootcert', 'uselibpqcompat'],
  ...['idle_in_transaction_session_timeout', 'lock_timeout', 'query_timeout', 'statement_timeout'],
]);

/** Rejects parameters that would have no effect, such as `target_session_attrs`. */
function withKnown(url: URL): URL {
  const unknown = [...url.searchParams.keys()].filter((name) => !PARAMETERS.has(name)).map(shownName);
  if (unknown.length === 0) return url;
  throw new UsageError(
    'bad-database',
    `the address of the PostgreSQL database has parameters without effect: ${unknown.join(', ')}`,
    `leave them out; known are ${[...PARAMETERS].join(', ')}`,
  );
}

/** What is not like a name may be a part of a password that was not encoded. */
function shownName(name: string): string {
  return /^[a-z_]{1,40}$/.test(name) ? name : '(hidden)';
}

function withMode(url: URL): URL {
  const mode = url.searchParams.get('sslmode');
  if (mode === null || MODES.includes(mode)) return url;
  if (!OTHER_MODES.includes(mode)) {
    throw new UsageError(
      'bad-database',
      `"sslmode=${printableLine(mode)}" in the address is not known; use one of ${MODES.join(', ')}`,
    );
  }
  if (!url.searchParams.has('uselibpqcompat')) url.searchParams.set('sslmode', 'verify-full');
  return url;
}

/**
 * Whether no sign in the password ends an earlier part of the address, and the number of slashes is right. Otherwise the host, the
 * port or the path have a part of the password, and messages contain them.
 */
function isWhole({ username, password, pathname, search, hash }: URL): boolean {
  const isCut = username === '' && search.includes('@') && !/[?&]user=/.test(search);
  return hash === '' && !pathname.includes('@') && !isCut && isEncoded(username) && isEncoded(password);
}

function isEncoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** The address without password and options, for messages. @throws UsageError `bad-database` */
export function publicName(url: string): string {
  const parsed = readUrl(url);
  parsed.password = '';
  parsed.search = '';
  parsed.hash = '';
  return parsed.href;
}
