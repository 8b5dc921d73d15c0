/** Checks the key of a PostgreSQL database, encrypts secrets that are not encrypted yet, and replaces the key. */
import type { ClientBase } from 'pg';
import { UsageError } from '../../../kernel/errors.js';
import { type KeyProof, type NamedKey, needFitting, proofOf } from '../secrets/key.js';
import type { Vault } from '../secrets/vault.js';
import { type Resealing, resealing } from '../sql/resealing.js';
import { inMigration } from './migrations.js';
import { fromPostgres, toPostgres } from './text.js';

/** Id of the lock that the connections of all services on a schema share: "gfky" in ASCII, and a hash of the schema's name. */
const KEY_LOCK = '1734765433, hashtext(current_schema())';

/** Every connection of a service executes this, and then holds the lock until the connection is closed. */
export const USE_KEY = `SELECT pg_advisory_lock_shared(${KEY_LOCK})`;

/**
 * All services of a database need the same key. If the database has no key yet, encrypts its secrets with this key; otherwise
 * compares the keys.
 * @param name of the database, for messages
 * @throws UsageError `wrong-secrets-key`
 */
export async function unlock(client: ClientBase, name: string, key: NamedKey): Promise<void> {
  await inMigration(client, async () => {
    const stored = await storedProof(client);
    if (stored) needFitting(key, stored, name);
    else await reseal(client, name, undefined, key.vault);
  });
}

/**
 * Compares the key with the key of the database, if it has one. Changes nothing, because it runs before the migration.
 * @throws UsageError `wrong-secrets-key`
 */
export async function checkKey(client: ClientBase, name: string, key: NamedKey): Promise<void> {
  const tables = ['ghostfleet_schema', 'vault'].map((table) => `to_regclass('${table}') IS NOT NULL`);
  const { rows } = await client.query<{ hasKey: boolean }>(`SELECT ${tables.join(' AND ')} AS "hasKey"`);
  const stored = rows[0]?.hasKey ? await storedProof(client) : undefined;
  if (stored) needFitting(key, stored, name);
}

/**
 * Replaces the key in one transaction. Resolves with the number of rows that were rewritten.
 * @throws UsageError `wrong-secrets-key`, `same-secrets-key`; `database-in-use` if services use the database
 */
export async function rotate(client: ClientBase, name: string, key: NamedKey, next: NamedKey): Promise<number> {
  return inMigration(client, async () => {
    const stored = await storedProof(client);
    if (stored) needFitting(key, stored, name);
    if (stored?.keyId === next.vault.keyId) {
      throw new UsageError('same-secrets-key', `${next.source} is already the key of "${name}"`);
    }
    const { rows } = await client.query<{ free: boolean }>(`SELECT pg_try_advisory_xact_lock(${KEY_LOCK}) AS free`);
    if (rows[0]?.free !== true) {
      throw new UsageError('database-in-use', `a service uses "${name}"`, 'stop all services of the database first');
    }
    return reseal(client, name, stored && key.vault, next.vault);
  });
}

async function storedProof(client: ClientBase): Promise<KeyProof | undefined> {
  const { rows } = await client.query<KeyProof>('SELECT key_id AS "keyId", proof FROM vault');
  return rows[0];
}

async function reseal(client: ClientBase, database: string, from: Vault | undefined, to: Vault): Promise<number> {
  const changed = await executed(client, resealing({ from, to, database }));
  await client.query('DELETE FROM vault');
  const { keyId, proof } = proofOf(to);
  await client.query('INSERT INTO vault (key_id, proof) VALUES ($1, $2)', [keyId, proof]);
  return changed;
}

async function executed(client: ClientBase, steps: Resealing): Promise<number> {
  let step = steps.next();
  while (!step.done) {
    let count = 0;
    const text = step.value.text.replace(/\?/g, () => `$${++count}`);
    const values = step.value.values.map((value) => (typeof value === 'string' ? toPostgres(value) : value));
    const { rows } = await client.query<Record<string, unknown>>(text, values);
    step = steps.next(rows.map(fromRow));
  }
  return step.value;
}

/** Decodes the texts of a row (text.ts). The connections of the driver decode texts by themselves, this one does not. */
function fromRow(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? fromPostgres(value) : value]),
  );
}
