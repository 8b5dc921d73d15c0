/** Reads the rows of a damaged database, as far as they can still be read, and skips damaged pages. */
import type { Database } from 'better-sqlite3';
import { isSealed } from '../secrets/vault.js';
import { checkBody, DamagedBody } from '../sql/checksum.js';

/** Tables, with the columns of their keys. `space` is last, because triggers reject rows of a space that was deleted. */
export const TABLES: readonly Table[] = [
  { name: 'api_key', key: ['id'] },
  { name: 'tag', key: ['id'] },
  { name: 'device', key: ['rowid'] },
  { name: 'device_tag', key: ['device_id', 'tag_id'] },
  { name: 'message', key: ['rowid'] },
  { name: 'timeline', key: ['rowid'] },
  { name: 'codec', key: ['rowid'] },
  { name: 'record', key: ['family', 'id'] },
  { name: 'vault', key: ['key_id'] },
  { name: 'event', key: ['rowid'] },
  { name: 'space', key: ['id'] },
];

export interface Table {
  readonly name: string;
  readonly key: readonly string[];
}

export type Row = Readonly<Record<string, unknown>>;

export interface TableFindings {
  readonly table: string;
  readable: number;
  /** Maximum number of rows in damaged pages; undefined if it cannot be known, 0 without a damaged page. */
  unreadable: number | undefined;
  /** Ids of the rows whose body does not match its checksum or is not valid JSON. */
  readonly altered: string[];
}

/** Passes each sound row of the table to `use`. */
export function readTable(db: Database, table: Table, use: (row: Row) => void): TableFindings {
  const findings: TableFindings = { table: table.name, readable: 0, unreadable: 0, altered: [] };
  const take = (row: Row) => {
    if (isAltered(table.name, row)) findings.altered.push(String(row.id));
    else {
      use(row);
      findings.readable++;
    }
  };
  const first = scan(db, table, 'ASC', undefined, take);
  if (first.complete) return findings;
  const last = scan(db, table, 'DESC', first.end, take);
  findings.unreadable = undefined;
  const [from, to] = [first.end?.[0], last.end?.[0]];
  if (table.key[0] === 'rowid' && typeof from === 'number' && typeof to === 'number') {
    findings.unreadable = probe(db, table, from + 1, to - 1, take);
  }
  return findings;
}

interface Scan {
  /** Key of the last row that was read. */
  readonly end: readonly unknown[] | undefined;
  /** Whether the scan reached its end without damage. */
  readonly complete: boolean;
}

/** Reads in the order of the key until the first damaged page, or until the row with the key `stop`. */
function scan(
  db: Database,
  { name, key }: Table,
  order: 'ASC' | 'DESC',
  stop: readonly unknown[] | undefined,
  take: (row: Row) => void,
): Scan {
  const keys = key.map((column, index) => `${column} AS key${index}`).join(', ');
  const by = key.map((column) => `${column} ${order}`).join(', ');
  let end: readonly unknown[] | undefined;
  try {
    for (const found of db.prepare<[], Row>(`SELECT *, ${keys} FROM ${name} NOT INDEXED ORDER BY ${by}`).iterate()) {
      const values = key.map((_, index) => found[`key${index}`]);
      if (stop?.every((value, index) => value === values[index])) return { end, complete: true };
      const row = Object.fromEntries(Object.entries(found).filter(([column]) => !/^key\d$/.test(column)));
      take(row);
      end = values;
    }
    return { end, complete: true };
  } catch {
    return { end, complete: false };
  }
}

/** Reads the rows between two damaged pages one by one. Returns the number of row ids that cannot be read. */
function probe(db: Database, { name }: Table, from: number, to: number, take: (row: Row) => void): number {
  const one = db.prepare<[number], Row>(`SELECT * FROM ${name} NOT INDEXED WHERE rowid = ?`);
  let unreadable = 0;
  for (let place = from; place <= to; place++) {
    try {
      const row = one.get(place);
      if (row) take(row);
    } catch {
      unreadable++;
    }
  }
  return unreadable;
}

/** Whether a body does not match its checksum, or is not JSON. Encrypted bodies are not decrypted. */
function isAltered(table: string, { id, body, raw, crc }: Row): boolean {
  if (table !== 'message' && table !== 'record') return false;
  try {
    // The casts are safe because these tables have such columns. Tables of an earlier version lack the checksum.
    const content = { id, body, raw: raw ?? null } as Parameters<typeof checkBody>[1];
    checkBody(table, content, (crc ?? null) as number | null);
    if (!isSealed(content.body)) JSON.parse(content.body);
    return false;
  } catch (error) {
    if (error instanceof DamagedBody || error instanceof SyntaxError || error instanceof TypeError) return true;
    throw error;
  }
}
