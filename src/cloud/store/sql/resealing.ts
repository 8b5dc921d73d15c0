/** Encrypts all secrets with another key, or first. A generator yields the statements of one transaction to each driver. */
import { UsageError } from '../../../kernel/errors.js';
import { isSealed, type Vault } from '../secrets/vault.js';
import type { Id } from '../store.js';
import { checksumOf } from './checksum.js';
import type { SqlValue, Statement } from './dialect.js';
import { openedContent, place, SEALED_TYPES, sealedContent } from './places.js';

/** Number of rows that one query reads. */
const CHUNK = 500;

interface Vaults {
  /** Vault with the key of the stored values; undefined if they are not encrypted. */
  readonly from: Vault | undefined;
  readonly to: Vault;
  /** Name of the database, for messages. */
  readonly database: string;
}

/** Yields statements, and receives the rows of each. Returns how many rows it has changed. @throws UnreadableSecret, UsageError */
export type Resealing = Generator<Statement, number, readonly unknown[]>;

export function* resealing(vaults: Vaults): Resealing {
  return (yield* devices(vaults)) + (yield* messages(vaults)) + (yield* records(vaults));
}

/**
 * The text of a stored value. Without the key in its table, a database counts as not encrypted, but a part of a backup may have
 * been restored without this table.
 * @throws UsageError `bad-database` if the value is encrypted and `from` is undefined
 */
function openStored({ from, database }: Vaults, at: string, stored: string): string {
  if (from) return from.open(at, stored);
  if (!isSealed(stored)) return stored;
  throw new UsageError(
    'bad-database',
    `"${database}" is encrypted (${at}), but its table "vault" is empty, so the key cannot be checked`,
    'restore the database with the row of this table',
  );
}

interface StoredDevice {
  readonly id: Id;
  /** Empty for a deleted device. */
  readonly token: string;
  readonly session: string | null;
  readonly tokenHash: string | null;
  readonly deletedAt: number | null;
}

function* devices(vaults: Vaults): Resealing {
  const { to } = vaults;
  return yield* eachChunk<StoredDevice>(
    `SELECT id, token, session, token_hash AS "tokenHash", deleted_at AS "deletedAt" FROM device
      WHERE id > ? ORDER BY id LIMIT ${CHUNK}`,
    [''],
    ({ id }) => [id],
    ({ id, token, session, tokenHash, deletedAt }) => {
      const clear = token === '' ? '' : openStored(vaults, place.token(id), token);
      const lookup = deletedAt === null ? to.lookup(clear) : null;
      return {
        text: 'UPDATE device SET token = ?, session = ?, token_hash = ?, shared_token_hash = ? WHERE id = ?',
        values: [
          token === '' ? '' : to.seal(place.token(id), clear),
          session === null ? null : to.seal(place.session(id), openStored(vaults, place.session(id), session)),
          ...(tokenHash === null ? [null, lookup] : [lookup, null]),
          id,
        ],
      };
    },
  );
}

interface StoredMessage {
  readonly id: Id;
  readonly type: string;
  readonly body: string;
  readonly raw: string | null;
  readonly crc: number | null;
}

function* messages(vaults: Vaults): Resealing {
  const types = SEALED_TYPES.map((type) => `'${type}'`).join(', ');
  return yield* eachChunk<StoredMessage>(
    `SELECT id, type, body, raw, crc FROM message WHERE type IN (${types}) AND id > ? ORDER BY id LIMIT ${CHUNK}`,
    [''],
    ({ id }) => [id],
    (row) => {
      const vault = { open: (at: string, stored: string) => openStored(vaults, at, stored) };
      const { body, raw } = sealedContent(row, openedContent(row, row, vault), vaults.to);
      return {
        text: 'UPDATE message SET body = ?, raw = ?, crc = ? WHERE id = ?',
        values: [body, raw, sameVerdict(row, checksumOf(row.id, body, raw)), row.id],
      };
    },
  );
}

interface StoredRecord {
  readonly family: string;
  readonly id: Id;
  readonly body: string;
  readonly crc: number | null;
}

function* records(vaults: Vaults): Resealing {
  return yield* eachChunk<StoredRecord>(
    `SELECT family, id, body, crc FROM record WHERE (family, id) > (?, ?) ORDER BY family, id LIMIT ${CHUNK}`,
    ['', ''],
    ({ family, id }) => [family, id],
    (row) => {
      const { family, id } = row;
      const at = place.record(family, id);
      const body = vaults.to.seal(at, openStored(vaults, at, row.body));
      return {
        text: 'UPDATE record SET body = ?, crc = ? WHERE family = ? AND id = ?',
        values: [body, sameVerdict(row, checksumOf(id, body)), family, id],
      };
    },
  );
}

/**
 * The new checksum of a row. If the old body did not match the old checksum, the new body does not match the new one either.
 */
function sameVerdict(
  { id, body, raw = null, crc }: Omit<StoredMessage, 'type' | 'raw'> & { raw?: string | null },
  next: number,
) {
  return crc === null ? next : next ^ crc ^ checksumOf(id, body, raw);
}

/** Reads all rows in chunks, in the order of their key, and yields a statement for each row. */
function* eachChunk<Row>(
  text: string,
  start: readonly SqlValue[],
  keyOf: (row: Row) => readonly SqlValue[],
  statementOf: (row: Row) => Statement,
): Resealing {
  let after = start;
  let changed = 0;
  for (;;) {
    const rows = (yield { text, values: after }) as readonly Row[];
    for (const row of rows) {
      yield statementOf(row);
      changed++;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return changed;
    after = keyOf(last);
  }
}
