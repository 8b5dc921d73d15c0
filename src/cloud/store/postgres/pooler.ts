/**
 * Connection poolers such as PgBouncer. A service needs its connections for itself: it takes locks of the session, listens to
 * notifications and prepares statements. A pooler in session mode permits this; one that shares the connections of the server
 * after each transaction or statement does not, and the service would lose notifications and locks without an error.
 */
import pg from 'pg';
import { isError, UsageError } from '../../../kernel/errors.js';
import { seconds } from '../../../kernel/time.js';
import { parsePostgresUrl } from './url.js';

/** How long the pooler may take to find a connection of the server. */
const LIMIT = seconds(5);
/** A pooler may use several connections of the server in turns. */
const ROUNDS = 5;

/** @param client a connection to the database at `url` @throws UsageError `transaction-pooling`, `pooler-full` */
export async function refusePooledTransactions(client: pg.Client, url: string, name: string): Promise<void> {
  const process = await processOf(client, name);
  // Without a pooler, the server announces the process that executes the statements. A pooler announces a number of its own.
  if (process === announced(client)) return;
  const other = new pg.Client({ connectionString: parsePostgresUrl(url).href, connectionTimeoutMillis: LIMIT });
  other.on('error', () => {});
  try {
    await other.connect();
    for (let round = 0; round < ROUNDS; round++) {
      // While a transaction occupies one connection of the server, the pooler has to take another one for the first client.
      await query(other, 'BEGIN', name);
      const found = await processOf(other, name);
      if (found === process || (await processOf(client, name)) !== process) throw pooled(name);
      await query(other, 'COMMIT', name);
    }
  } finally {
    await other.end().catch(() => {});
  }
}

async function processOf(client: pg.Client, name: string): Promise<number | undefined> {
  return (await query<{ process: number }>(client, 'SELECT pg_backend_pid() AS process', name))[0]?.process;
}

function announced(client: pg.Client): unknown {
  return 'processID' in client ? client.processID : undefined;
}

async function query<Row extends object>(client: pg.Client, text: string, name: string): Promise<readonly Row[]> {
  try {
    return (await client.query<Row>({ text, query_timeout: LIMIT } as pg.QueryConfig)).rows;
  } catch (error) {
    const { message } = isError(error) ? error : { message: '' };
    // PgBouncer rejects BEGIN if it shares connections after each statement.
    if (/statement pooling/i.test(message)) throw pooled(name);
    if (/timeout/i.test(message)) throw full(name);
    throw error;
  }
}

function pooled(name: string): UsageError {
  return new UsageError(
    'transaction-pooling',
    `"${name}" is a connection pooler that shares connections between transactions, so notifications and locks would be lost`,
    'set pool_mode = session for this database, or connect to PostgreSQL directly',
  );
}

function full(name: string): UsageError {
  return new UsageError(
    'pooler-full',
    `"${name}" is a connection pooler that has no free connection to the server`,
    'each service needs 12 connections: increase pool_size, or end other clients',
  );
}
