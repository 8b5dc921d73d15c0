/** Iterates over records page by page, and retries changes that lose against concurrent ones. */
import type { ConflictField } from './changes.js';
import { ConflictError, type Id, type KeyRange, type Page, type RecordRow, type Store } from './store.js';

const PAGE = 500;
/** Size of a page that delays other requests so little that it is read at once. */
export const SMALL_PAGE = 50;
/** Maximum number of attempts. In each round of concurrent changes, one succeeds. */
const PATIENCE = 100;

/** All records of a family and space after the id `after`, oldest first. */
export async function* everyRecord(
  store: Store,
  family: string,
  spaceId: Id | null,
  after?: Id | undefined,
): AsyncGenerator<RecordRow> {
  let cursor = after;
  for (let limit = SMALL_PAGE; ; limit = PAGE) {
    const rows = await store.records(family, spaceId, { limit, after: cursor });
    yield* rows;
    if (rows.length < limit) return;
    cursor = rows.at(-1)?.id;
  }
}

/**
 * All records of a family and space with `from` <= key < `below`, greatest key first.
 * @param turn waits for the turn to read a page
 */
export async function* everyRecordInRange(
  store: Store,
  family: string,
  spaceId: Id,
  { from, below }: KeyRange,
  limit = PAGE,
  turn = () => Promise.resolve(),
): AsyncGenerator<RecordRow> {
  for (let end = below; ; ) {
    await turn();
    const rows = await store.recordsInRange(family, spaceId, { from, below: end }, limit);
    yield* rows;
    const last = rows.at(-1)?.key;
    if (rows.length < limit || typeof last !== 'string') return;
    end = last;
  }
}

/** A page of the records for which `matches` returns true. */
export async function matchingRecords(
  store: Store,
  family: string,
  spaceId: Id,
  { limit, after }: Page,
  matches: (row: RecordRow) => boolean,
): Promise<readonly RecordRow[]> {
  const found: RecordRow[] = [];
  for await (const row of everyRecord(store, family, spaceId, after)) {
    if (matches(row)) found.push(row);
    if (found.length === limit) break;
  }
  return found;
}

/** Runs `work`, which reads a record, decides, and commits a `record.change`; runs it again if a concurrent change won. */
export function untilUndisturbed<T>(work: () => Promise<T>): Promise<T> {
  return retryConflicts('record-body', work);
}

/**
 * Runs `work`, and again if its commit conflicts in `field`.
 * @param learn called before each repetition; without a repetition, which would conflict again, it returns false
 * @throws ConflictError of the last attempt
 */
export async function retryConflicts<T>(
  field: ConflictField,
  work: () => Promise<T>,
  learn: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const conflicts = error instanceof ConflictError && error.field === field;
      if (!conflicts || attempt === PATIENCE || !(await learn())) throw error;
    }
  }
}
