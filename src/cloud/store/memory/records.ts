/** The records of the memory store. Their bodies are stored as JSON text. */
import type { UnixMillis } from '../../../kernel/time.js';
import { compareValues } from '../order.js';
import type { Id, Page, RecordRow } from '../store.js';
import { insertById, pageById, removeById } from './by-id.js';

interface RecordEntry {
  readonly id: Id;
  readonly row: Omit<RecordRow, 'body'>;
  readonly body: string;
}

interface Family {
  readonly byId: Map<Id, RecordEntry>;
  readonly byKey: Map<string, RecordEntry>;
  /** By space, each sorted by id. */
  readonly lists: Map<Id | null, RecordEntry[]>;
  /** Records with a due time. There are few of them, because finished deliveries have no due time. */
  readonly waiting: Set<RecordEntry>;
}

export class MemoryRecords {
  readonly #families = new Map<string, Family>();

  put(record: RecordRow, body: string): void {
    this.delete(record.family, record.id);
    const { body: _, ...row } = record;
    const entry: RecordEntry = { id: row.id, row: Object.freeze(row), body };
    const family = this.#family(row.family);
    family.byId.set(row.id, entry);
    if (row.key !== null) family.byKey.set(keyOf(row.spaceId, row.key), entry);
    if (row.dueAt !== null) family.waiting.add(entry);
    const list = family.lists.get(row.spaceId);
    if (list) insertById(list, entry);
    else family.lists.set(row.spaceId, [entry]);
  }

  /** Replaces a record if it exists; keeps its space and creation time. */
  change(record: RecordRow, body: string): void {
    const entry = this.#families.get(record.family)?.byId.get(record.id);
    if (!entry) return;
    const { spaceId, createdAt } = entry.row;
    this.put({ ...record, spaceId, createdAt }, body);
  }

  delete(familyName: string, id: Id): void {
    const family = this.#families.get(familyName);
    const entry = family?.byId.get(id);
    if (!family || !entry) return;
    const { spaceId, key } = entry.row;
    family.byId.delete(id);
    if (key !== null) family.byKey.delete(keyOf(spaceId, key));
    family.waiting.delete(entry);
    removeById(family.lists.get(spaceId) ?? [], id);
  }

  /** Deletes the records of a family and space, at most `limit`; returns their number. */
  deleteFrom(family: string, spaceId: Id, limit?: number): number {
    const chosen = (this.#families.get(family)?.lists.get(spaceId) ?? []).slice(0, limit);
    for (const { id } of chosen) this.delete(family, id);
    return chosen.length;
  }

  list(family: string, spaceId: Id | null, page: Page): readonly RecordRow[] {
    return pageById(this.#families.get(family)?.lists.get(spaceId) ?? [], page).map(toRecord);
  }

  count(family: string, spaceId: Id | null): number {
    return this.#families.get(family)?.lists.get(spaceId)?.length ?? 0;
  }

  get(family: string, id: Id): RecordRow | undefined {
    const entry = this.#families.get(family)?.byId.get(id);
    return entry && toRecord(entry);
  }

  /** The body of a record as JSON text. */
  body(family: string, id: Id): string | undefined {
    return this.#families.get(family)?.byId.get(id)?.body;
  }

  byKey(family: string, spaceId: Id | null, key: string): RecordRow | undefined {
    const entry = this.#families.get(family)?.byKey.get(keyOf(spaceId, key));
    return entry && toRecord(entry);
  }

  inRange(
    family: string,
    spaceId: Id | null,
    { from, below }: { readonly from: string; readonly below: string },
    limit: number,
  ): readonly RecordRow[] {
    const found = (this.#families.get(family)?.lists.get(spaceId) ?? []).filter(
      ({ row: { key } }) => key !== null && key >= from && key < below,
    );
    found.sort((a, b) => compareValues(b.row.key ?? '', a.row.key ?? ''));
    return found.slice(0, limit).map(toRecord);
  }

  due(family: string, now: UnixMillis, limit: number, spaceId?: Id): readonly RecordRow[] {
    const due = this.#due(family, now).filter(({ row }) => spaceId === undefined || row.spaceId === spaceId);
    due.sort((a, b) => dueAt(a) - dueAt(b) || compareValues(a.id, b.id));
    return due.slice(0, limit).map(toRecord);
  }

  /** The spaces with due records of the family, sorted by id. */
  dueSpaces(family: string, now: UnixMillis): readonly Id[] {
    const ids = new Set(this.#due(family, now).map(({ row }) => row.spaceId));
    return [...ids].filter((id) => id !== null).sort(compareValues);
  }

  #due(family: string, now: UnixMillis): RecordEntry[] {
    return [...(this.#families.get(family)?.waiting ?? [])].filter((entry) => dueAt(entry) <= now);
  }

  /** Deletes up to `limit` old records of the family without a due time, oldest first; returns their number. */
  prune(familyName: string, createdBefore: UnixMillis, limit: number): number {
    const rows = [...(this.#families.get(familyName)?.byId.values() ?? [])].map((entry) => entry.row);
    const old = rows.filter((row) => row.createdAt < createdBefore && row.dueAt === null);
    old.sort((a, b) => compareValues(a.id, b.id));
    for (const row of old.slice(0, limit)) this.delete(familyName, row.id);
    return Math.min(old.length, limit);
  }

  #family(name: string): Family {
    let family = this.#families.get(name);
    if (!family) {
      family = { byId: new Map(), byKey: new Map(), lists: new Map(), waiting: new Set() };
      this.#families.set(name, family);
    }
    return family;
  }
}

/** An index key from space and key. An id contains no space character, so that two pairs never give the same index key. */
export function keyOf(spaceId: Id | null, key: string): string {
  return `${spaceId ?? ''} ${key}`;
}

function dueAt(entry: RecordEntry): UnixMillis {
  return entry.row.dueAt ?? Number.POSITIVE_INFINITY;
}

function toRecord(entry: RecordEntry): RecordRow {
  return { ...entry.row, body: JSON.parse(entry.body) };
}
