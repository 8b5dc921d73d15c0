/** Iterates over records page by page, and retries changes that lose against concurrent ones. */
import { RealClock } from '../../kernel/real-clock.js';
import type { Millis } from '../../kernel/time.js';
import { StoreBusy } from './bounded-commits.js';
import type { ConflictField } from './changes.js';
import { ConflictError, type Id, type KeyRange, type Page, type RecordRow, type Store } from './store.js';

const PAGE = 500;
/** Size of a page that delays other requests so little that it is read at once. */
export const SMALL_PAGE = 50;
/** Maximum number of attempts. Of two services that change the same record again and again, each wins about every other time. */
const MOST_ATTEMPTS = 10;
/** The pause before an attempt is longer by this than the pause before it, so that conflicts become fewer. */
const PAUSE: Millis = 10;

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

/** What to read again after a conflict in a field, so that the next attempt does not conflict in the same way. */
type Relearning = { readonly [field in ConflictField]?: () => Promise<void> };

/**
 * Runs `work`, which reads, decides, and commits a `record.change`; runs it again if a concurrent change won. Changes of the same
 * record in this service should wait for each other (one-by-one.ts), so that only those of other services can win.
 * @param relearning further fields in which the commit may conflict
 * @throws StoreBusy after {@link MOST_ATTEMPTS}
 */
export async function untilUndisturbed<T>(work: () => Promise<T>, relearning: Relearning = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const relearn = relearning[error.field];
      if (relearn === undefined && error.field !== 'record-body') throw error;
      if (attempt === MOST_ATTEMPTS) throw new StoreBusy('too many concurrent changes; retry later');
      if (attempt > 1) await pause(attempt * PAUSE);
      await relearn?.();
    }
  }
}

/** In real time, also in a simulation: its services have no rivals that win twice. */
function pause(delay: Millis): Promise<void> {
  return new Promise((resolve) => new RealClock().after(delay, 'the next attempt of a change', resolve));
}
