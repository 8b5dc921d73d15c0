/** Databases for tests in the shared server. Most tests get a schema of its common database instead of a separate database. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { keyFrom } from '../../../src/cloud/store/secrets/key.js';
import type { Store } from '../../../src/cloud/store/store.js';
import type { SharedServer } from './setup.js';

/** The key of all services of the tests. */
export const TEST_KEY = keyFrom('5'.repeat(64), 'the key of the tests');

/** Opens a store with the key of the tests. */
export function openShared(url: string): Promise<Store> {
  return openStore(url, { secretsKey: TEST_KEY });
}

/** Not the number of the process: a later process may get the same one. */
const newName = () => `test_${randomUUID().replaceAll('-', '')}`;

/** Address of the server that the tests share. @throws Error if the server could not be started */
export async function sharedServer(): Promise<string> {
  // The cast is safe because setup.ts sends this type.
  const shared = (await json(connect(inject('postgres'), '127.0.0.1'))) as SharedServer;
  if ('problem' in shared) throw new Error(shared.problem);
  return shared.url;
}

/** Creates an empty schema, which serves as a database, and returns its address. */
export async function newDatabase(): Promise<string> {
  const server = await sharedServer();
  const schema = newName();
  await query(server, `CREATE SCHEMA ${schema}`);
  return `${server}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/** Creates a separate database in the server, for code whose schemas have fixed names, and returns its address. */
export async function newSeparateDatabase(): Promise<string> {
  const server = await sharedServer();
  const name = newName();
  await query(server, `CREATE DATABASE ${name}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/**
 * Creates a database for tests that run one after another, and returns a function that deletes its rows, except the version of
 * its schema and its vault, and returns its address. The first store creates the tables, which takes longer than all else.
 */
export async function reusedDatabase(): Promise<() => Promise<string>> {
  const url = await newDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  afterAll(() => client.end());
  return async () => {
    await clear(client);
    return url;
  };
}

async function clear(client: pg.Client): Promise<void> {
  await client.query(
    `DO $$ DECLARE name text; BEGIN
       SET LOCAL session_replication_role = replica;
       FOR name IN SELECT tablename FROM pg_tables
         WHERE schemaname = current_schema() AND tablename NOT IN ('ghostfleet_schema', 'vault')
       LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
     END $$`,
  );
}

/** Executes a statement in a database directly, without the store. */
export function query<Row extends object = object>(url: string, text: string): Promise<readonly Row[]> {
  return connected(url, async (client) => (await client.query<Row>(text)).rows);
}

/** Connects to a database, calls `work`, and closes the connection. */
export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
