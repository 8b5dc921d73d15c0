/** Addresses of PostgreSQL databases: `postgres://user:password@host:5432/database?options`. */
import { UsageError } from '../../../kernel/errors.js';

/** Whether a text is meant as such an address. It may be invalid. */
export function isPostgresUrl(spec: string): boolean {
  return /^postgres(ql)?:/i.test(spec);
}

/** @throws UsageError `bad-database` */
export function parsePostgresUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // If the number of slashes is wrong, the path contains the password, and messages contain the path.
  if (parsed !== undefined && !parsed.pathname.includes('@')) return parsed;
  // The message does not contain the text, because it may contain a password.
  const message = 'the address of the PostgreSQL database cannot be read';
  throw new UsageError('bad-database', message, 'expected postgres://user:password@host:5432/database');
}

/** The address without password and options, for messages. @throws UsageError `bad-database` */
export function publicName(url: string): string {
  const parsed = parsePostgresUrl(url);
  parsed.password = '';
  parsed.search = '';
  parsed.hash = '';
  return parsed.href;
}
