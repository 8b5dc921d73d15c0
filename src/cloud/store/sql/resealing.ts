/** Encrypts all secrets with another key, or first. A generator yields the statements of one transaction to each driver. */
import type { Vault } from '../secrets/vault.js';
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
}

/** Yields statements, and receives the rows of each. Returns how many rows it has changed. @throws UnreadableSecret */
export type Resealing = Generator<Statement, number, readonly unknown[]>;

export function* resealing(vaults: Vaults): Resealing {
  return (yield* devices(vaults)) + (yield* messages(vaults)) + (yield* records(vaults));
}

interface StoredDevice {
  readonly id: Id;
  /** Empty for a deleted device. */
  readonly token: string;
  readonly session: string | null;
  readonly tokenHash: string | null;
  readonly deletedAt: number | null;
}

function* devices({ from, to }: Vaults): Resealing {
  const again = (at: string, stored: string) => to.seal(at, from ? from.open(at, stored) : stored);
  return yield* eachChunk<StoredDevice>(
    `SELECT id, token, session, token_hash AS "tokenHash", deleted_at AS "deletedAt" FROM device
      WHERE id > ? ORDER BY id LIMIT ${CHUNK}`,
    [''],
    ({ id }) => [id],
    ({ id, token, session, tokenHash, deletedAt }) => {
      const clear = token === '' || from === undefined ? token : from.open(place.token(id), token);
      const lookup = deletedAt === null ? to.lookup(clear) : null;
      return {
        text: 'UPDATE device SET token = ?, session = ?, token_hash = ?, shared_token_hash = ? WHERE id = ?',
        values: [
          token === '' ? '' : to.seal(place.token(id), clear),
          session === null ? null : again(place.session(id), session),
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

function* messages({ from, to }: Vaults): Resealing {
  const types = SEALED_TYPES.map((type) => `'${type}'`).join(', ');
  return yield* eachChunk<StoredMessage>(
    `SELECT id, type, body, raw, crc FROM message WHERE type IN (${types}) AND id > ? ORDER BY id LIMIT ${CHUNK}`,
    [''],
    ({ id }) => [id],
    (row) => {
      const { body, raw } = sealedContent(row, from ? openedContent(row, row, from) : row, to);
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

function* records({ from, to }: Vaults): Resealing {
  return yield* eachChunk<StoredRecord>(
    `SELECT family, id, body, crc FROM record WHERE (family, id) > (?, ?) ORDER BY family, id LIMIT ${CHUNK}`,
    ['', ''],
    ({ family, id }) => [family, id],
    (row) => {
      const { family, id } = row;
      const at = place.record(family, id);
      const body = to.seal(at, from ? from.open(at, row.body) : row.body);
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
