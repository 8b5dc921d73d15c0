/**
 * Adds an entry to the journal when a device becomes late or silent (contract/health.ts). Everything else in the journal comes
 * with a commit, but here nothing happens: a contact is missing. If several services share a database, each one that has readers
 * adds the entry.
 *
 * A record has the time up to which entries were added to an edition of the journal. So the watch of a later reader, or of a
 * service that was started again, also covers the time without a watch, as long as readers can resume.
 */
import type { EdgeClock } from '../../kernel/clock.js';
import { repeatWork } from '../../kernel/repeat-work.js';
import { minutes, type UnixMillis } from '../../kernel/time.js';
import type { Change, Store } from '../store/store.js';

const EVERY = minutes(1);
/** Maximum number of entries in a commit, so that a store can serve devices between two of them. */
const BATCH = 500;
const FAMILY = 'health-watch';

/** The body of the record. */
interface Mark {
  readonly edition: string;
  /** Unix time in ms of the begin, or of the last entry. */
  readonly until: UnixMillis;
}

interface WatchOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  /** The present edition of the journal. */
  readonly edition: () => string;
}

/**
 * Watches the devices until the returned function is called: from the end of an earlier watch of the edition, or from now on.
 * @param added called after entries were added
 */
export function watchHealth(options: WatchOptions, added: () => void): () => void {
  const { clock } = options;
  let checked: UnixMillis | undefined;
  const look = async () => {
    const now = Math.floor(clock.wall);
    try {
      checked ??= await begin(options, now);
      await addChanges(options, checked, now, added);
      checked = now;
    } catch {
      // The store does not answer: the next look covers this time as well.
    }
    return EVERY;
  };
  return repeatWork(clock, 'a look at the health of devices', look);
}

/** The time from which on changes have no entries. */
async function begin({ store, edition }: WatchOptions, now: UnixMillis): Promise<UnixMillis> {
  const mark = (await store.recordByKey(FAMILY, null, FAMILY))?.body as Mark | undefined;
  if (mark?.edition === edition()) return Math.min(mark.until, now);
  await store.commit([putMark(edition(), now)]);
  return now;
}

function putMark(edition: string, until: UnixMillis): Change {
  const body: Mark = { edition, until };
  const row = { family: FAMILY, id: FAMILY, spaceId: null, key: FAMILY, createdAt: until, dueAt: null, body };
  return { kind: 'record.put', row };
}

async function addChanges(
  { store, edition }: WatchOptions,
  from: UnixMillis,
  to: UnixMillis,
  added: () => void,
): Promise<void> {
  const changed = await store.healthChanges(from, to);
  const changes = changed.map(({ id, health }): Change => {
    return { kind: 'event.add', event: { kind: 'health', ref: id, at: to, detail: health } };
  });
  for (let begin = 0; begin < changes.length; begin += BATCH) {
    const isLast = begin + BATCH >= changes.length;
    await store.commit([...changes.slice(begin, begin + BATCH), ...(isLast ? [putMark(edition(), to)] : [])]);
    added();
  }
}
