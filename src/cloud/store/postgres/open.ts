/** Opens a PostgreSQL database as a store. Error messages never contain the password. */
import pg, { type ClientConfig } from 'pg';
import { UsageError } from '../../../kernel/errors.js';
import { systemReason } from '../../../kernel/system-errors.js';
import { seconds } from '../../../kernel/time.js';
import type { NamedKey } from '../secrets/key.js';
import { PostgresDriver } from './driver.js';
import { migratePostgres } from './migrations.js';
import { PostgresNodes } from './nodes.js';
import { refusePooledTransactions } from './pooler.js';
import { fromPostgres } from './text.js';
import { checkKey, rotate, USE_KEY, unlock } from './unlock.js';
import { KEEP_ALIVE, parsePostgresUrl, publicName } from './url.js';

/** Most reading connections, one of which listens to other services. One more writes: commits never wait for readers. */
const CONNECTIONS = 10;
/** Timeouts of a connection, a statement and a query. A request that exceeds one gets 503. The server enforces the second. */
const CONNECT_LIMIT = seconds(3);
const STATEMENT_LIMIT = seconds(4);
const QUERY_LIMIT = seconds(5);
/** Longest wait for a lock of another session: shorter, so that such a wait is not taken for a query that reads too much. */
const LOCK_LIMIT = seconds(3);

/**
 * Connects, runs the missing steps of the schema, and encrypts secrets that are not encrypted yet.
 * @param url `postgres://user:password@host:5432/database?options`
 * @param key key of the secrets, the same for all services of the database
 * @param alone whether no other service uses the database, so that the store has no `nodes`
 * @throws UsageError `bad-database`, `wrong-secrets-key`; `no-secrets-key` without a key
 */
export async function openPostgres(url: string, key: NamedKey | undefined, alone = false): Promise<PostgresDriver> {
  const name = publicName(url);
  const { node, schema } = await prepare(url, name, key);
  const pool = openPool(url, CONNECTIONS, node);
  const nodes = alone ? undefined : new PostgresNodes({ pool, name: node, channel: `ghostfleet.${schema}` });
  return new PostgresDriver({ reading: pool, writing: openPool(url, 1, node), nodes });
}

/**
 * Settings on which the service depends: the database or the user may have others. They are set after connecting, because
 * connection poolers reject unknown settings in the request for a connection. In stricter isolation, changes that two services
 * make at the same time would fail, instead of taking place one after another. Doubles are read with all their digits.
 */
const SETTINGS = [
  "SET default_transaction_isolation = 'read committed'; SET lock_timeout = 0; SET extra_float_digits = 1; SET DateStyle = 'ISO'",
  // The server ends the session of a service whose machine is gone, which holds locks, after 25 s instead of 2 h.
  'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3',
].join('; ');

/** @param node name of this service in the database */
function openPool(url: string, connections: number, node: string): pg.Pool {
  const settings = [
    `${SETTINGS}; SET lock_timeout = ${LOCK_LIMIT}; SET statement_timeout = ${STATEMENT_LIMIT}`,
    // Ends the transaction of a service that hangs: others wait for its locks.
    `SET idle_in_transaction_session_timeout = ${QUERY_LIMIT}; SET application_name = '${node}'; ${USE_KEY}`,
  ].join('; ');
  const pool = new pg.Pool({
    connectionString: parsePostgresUrl(url).href,
    max: connections,
    connectionTimeoutMillis: CONNECT_LIMIT,
    query_timeout: QUERY_LIMIT,
    ...KEEP_ALIVE,
    pipeline: true,
    types: TYPES,
    // Without its settings, a connection is closed, and the error is that of the first query.
    onConnect: async (client) => {
      // If a connection breaks while it is used, its query fails.
      client.on('error', () => {});
      // `USE_KEY` takes a lock: the key of the database cannot be replaced while the connection exists.
      await client.query(settings);
    },
  });
  // Nothing to do: the pool has already removed the idle connection that broke. The next query opens a new one, or fails.
  pool.on('error', () => {});
  return pool;
}

/** 64-bit integers are read as numbers, because our columns have no values above 2^53. Texts are decoded (text.ts). */
const TYPES: NonNullable<ClientConfig['types']> = {
  // The cast is needed because the declared type has an overload for every built-in type, which this function does not have.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number;
    if (oid === pg.types.builtins.TEXT) return fromPostgres;
    return pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

/** Checks and migrates the database. Resolves with a name that is unique to this service, and with the schema of the tables. */
function prepare(
  url: string,
  name: string,
  key: NamedKey | undefined,
): Promise<{ readonly node: string; readonly schema: string }> {
  return connected(url, name, async (client) => {
    await refusePooledTransactions(client, url, name);
    const { rows: settings } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
    const encoding = settings[0]?.server_encoding;
    if (encoding !== 'UTF8') {
      throw new UsageError('bad-database', `"${name}" has the encoding ${encoding}; it must be UTF8`);
    }
    const needed = needKey(key, name);
    await checkKey(client, name, needed);
    await migratePostgres(client, name);
    await unlock(client, name, needed);
    const { rows } = await client.query<{ number: string; schema: string }>(
      "SELECT nextval('ghostfleet_node') AS number, current_schema() AS schema",
    );
    return { node: `ghostfleet-${rows[0]?.number}`, schema: String(rows[0]?.schema) };
  });
}

/**
 * Replaces the key of a database while no service uses it. Resolves with the number of rows that were rewritten.
 * @throws UsageError `bad-database`, `no-secrets-key`, `wrong-secrets-key`, `same-secrets-key`, `database-in-use`
 */
export async function rotatePostgres(url: string, key: NamedKey | undefined, next: NamedKey): Promise<number> {
  const name = publicName(url);
  return connected(url, name, async (client) => {
    const needed = needKey(key, name);
    const { rows } = await client.query("SELECT 1 WHERE to_regclass('ghostfleet_schema') IS NULL");
    if (rows.length > 0) throw new UsageError('bad-database', `"${name}" is empty`);
    await checkKey(client, name, needed);
    await migratePostgres(client, name);
    return rotate(client, name, needed, next);
  });
}

/** Several services share a database, so a key in a file beside one of them would be of no use to the others. */
function needKey(key: NamedKey | undefined, name: string): NamedKey {
  if (key) return key;
  throw new UsageError(
    'no-secrets-key',
    `"${name}" needs a key for its secrets, the same for all services`,
    'make one with `openssl rand -hex 32`, and give it with --secrets-key-file or GHOSTFLEET_SECRETS_KEY',
  );
}

async function connected<T>(url: string, name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ connectionString: parsePostgresUrl(url).href, connectionTimeoutMillis: CONNECT_LIMIT });
    client.on('error', () => {});
    await client.connect();
    await client.query(SETTINGS);
    return await work(client);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const [what, hint] = complaint(error);
    throw new UsageError('bad-database', `"${name}" ${what}`, hint);
  } finally {
    await client?.end().catch(() => {});
  }
}

/** Messages by error code, most of them codes of PostgreSQL. */
const COMPLAINTS: Readonly<Record<string, string>> = {
  '28P01': 'rejects the password',
  '28000': 'rejects the user',
  '3D000': 'does not exist: create the database',
  '3F000': 'has no schema to create tables in',
  '53300': 'has too many connections already',
};

/** What is wrong, and what to do. */
function complaint(error: unknown): readonly [what: string, hint?: string] {
  const { code = '', message = String(error), syscall, path } = error as Partial<NodeJS.ErrnoException>;
  if (code === '42P07' || code === '42723') return [`is used by another program: ${message}`];
  if (code === '42501') return forbidden(message);
  if (/timeout expired|connection timeout/i.test(message)) return [unreachable('ETIMEDOUT')];
  if (/password must be a string/.test(message)) return ['requires a password'];
  if (code === '28000' && /no encryption/.test(message))
    return ['accepts only encrypted connections from here', 'add ?sslmode=verify-full to the address'];
  if (/does not support SSL/.test(message))
    return ['does not support encrypted connections', 'use ?sslmode=disable only within a network that you trust'];
  if (CERTIFICATE.test(code)) return [`has a certificate that is not trusted here: ${message}`, TRUST];
  if (syscall === 'open') return [`cannot be used: the file "${path}" of its address cannot be read (${code})`];
  if (code === 'ENOENT') return ['cannot be reached: unknown socket'];
  return [COMPLAINTS[code] ?? (systemReason(code) ? unreachable(code) : `cannot be used: ${message}`)];
}

/** @param message names what the user may not use, for example `permission denied for sequence ghostfleet_node` */
function forbidden(message: string): readonly [what: string, hint?: string] {
  if (/for schema /.test(message)) return ['does not permit this user to create tables'];
  if (!/ (table|sequence|relation|function|view) /.test(message)) return [`rejects the user: ${message}`];
  return [
    `contains tables of another user: ${message}`,
    'make this user their owner (REASSIGN OWNED, ALTER … OWNER TO)',
  ];
}

/** Codes of OpenSSL and Node for a chain of certificates that cannot be verified. */
const CERTIFICATE = /SELF_SIGNED|UNABLE_TO_|^CERT_|ERR_TLS_CERT/;
const TRUST =
  'add &sslrootcert=FILE with the certificate of its authority, or set NODE_EXTRA_CA_CERTS; ?sslmode=no-verify trusts any server';

function unreachable(code: string): string {
  return `cannot be reached: ${systemReason(code)}`;
}
