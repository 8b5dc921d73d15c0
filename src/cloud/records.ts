/** Walking through records without holding all of them at once. */
import type { Id, Page, RecordRow, Store } from './store/store.js';

const PAGE = 500;

/** All records of a family and space behind `after`, oldest first. */
export async function* everyRecord(
  store: Store,
  family: string,
  spaceId: Id | null,
  after?: Id | undefined,
): AsyncGenerator<RecordRow> {
  let cursor = after;
  for (;;) {
    const rows = await store.records(family, spaceId, { limit: PAGE, after: cursor });
    yield* rows;
    cursor = rows.at(-1)?.id;
    if (cursor === undefined) return;
  }
}

/** The page of those that match. */
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
