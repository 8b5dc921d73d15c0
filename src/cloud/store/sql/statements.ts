/** Statements that insert, replace and update a row, and how a statement makes the database reject its commit. */
import type { Id } from '../store.js';
import type { SqlValue, Statement } from './dialect.js';

/** Written into a NOT NULL column, it makes the database reject the commit (ADR 8). Drivers map the column to a reason. */
export const REJECTED = 'NULL';

/** SQL value for a NOT NULL column: `value` if the condition holds; otherwise the database rejects the whole commit. */
export function valueIf(condition: string, value: string): string {
  return `CASE WHEN ${condition} THEN ${value} ELSE ${REJECTED} END`;
}

export type Columns = Readonly<Record<string, SqlValue>>;

/** Cached SQL texts of `insert` and `put`. One text for each table is enough, because every call writes the same columns. */
const texts = new Map<string, string>();

export function insert(table: string, columns: Columns): Statement {
  let text = texts.get(table);
  if (text === undefined) {
    const names = Object.keys(columns);
    text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    texts.set(table, text);
  }
  return { text, values: Object.values(columns) };
}

/** Inserts the row, or replaces the row with the same key. */
export function put(table: string, key: readonly string[], columns: Columns): Statement {
  const { text, values } = insert(table, columns);
  const name = `put ${table}`;
  let whole = texts.get(name);
  if (whole === undefined) {
    const others = Object.keys(columns).filter((column) => !key.includes(column));
    const replaced = others.map((column) => `${column} = excluded.${column}`).join(', ');
    whole = `${text} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${replaced}`;
    texts.set(name, whole);
  }
  return { text: whole, values };
}

export function update(table: string, columns: Columns, id: Id, condition = ''): readonly Statement[] {
  const names = Object.keys(columns);
  if (names.length === 0) return [];
  const text = `UPDATE ${table} SET ${names.join(' = ?, ')} = ? WHERE id = ?${condition}`;
  return [{ text, values: [...Object.values(columns), id] }];
}

export function json(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
