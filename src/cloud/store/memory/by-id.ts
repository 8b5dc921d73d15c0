/** Arrays sorted by id. Ids ascend, so nearly every insertion is a push; the few others use `splice`. */
import { bisect } from '../../../kernel/bisect.js';
import type { Id, Page } from '../store.js';

interface Identified {
  readonly id: Id;
}

/** What is used of an array. */
interface Rows<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

interface GrowingRows<T> extends Rows<T> {
  push(row: T): unknown;
  splice(at: number, deleted: number, ...rows: T[]): unknown;
}

/** Index of the first row whose id is at least `id`; the length of the array if all ids are smaller. */
export function lowerBound(rows: Rows<Identified>, id: Id): number {
  return bisect(rows.length, (index) => (rows.at(index)?.id ?? id) >= id);
}

export function insertById<T extends Identified>(rows: GrowingRows<T>, row: T): void {
  const last = rows.at(-1);
  if (!last || last.id < row.id) rows.push(row);
  else rows.splice(lowerBound(rows, row.id), 0, row);
}

export function removeById<T extends Identified>(rows: GrowingRows<T>, id: Id): void {
  const at = lowerBound(rows, id);
  if (rows.at(at)?.id === id) rows.splice(at, 1);
}

/** A page of the rows after the cursor, ascending. The row of the cursor may have been deleted. */
export function pageById<T extends Identified>(rows: readonly T[], page: Page): readonly T[] {
  const start = page.after === undefined ? 0 : upperBound(rows, page.after);
  return rows.slice(start, start + page.limit);
}

/** Rows with ids above `after`, ascending; all rows if `after` is undefined. */
export function* ascending<T extends Identified>(rows: readonly T[], after: Id | undefined): Generator<T> {
  for (let at = after === undefined ? 0 : upperBound(rows, after); at < rows.length; at++) yield rows[at] as T;
}

/** Rows with ids from `from` up to but not including `to`, newest first. */
export function* descending<T extends Identified>(rows: Rows<T>, from: Id, to: Id): Generator<T> {
  for (let at = lowerBound(rows, to) - 1; at >= 0; at--) {
    const row = rows.at(at);
    if (!row || row.id < from) return;
    yield row;
  }
}

function upperBound(rows: readonly Identified[], id: Id): number {
  const at = lowerBound(rows, id);
  return rows[at]?.id === id ? at + 1 : at;
}
