/**
 * Keeps the journal of events (store/events.ts) while readers need it: from the first reader until some time after the last
 * reader has left. So a reader can resume after a lost connection or a restart of the service. At all other times no entries
 * are written, and a commit costs no more than the check whether the journal is kept.
 *
 * A record contains the time until which the journal is kept. The record is shared by all services on a database: each service
 * adds entries to its commits until that time. After a period in which the journal was not kept, a new edition begins.
 * Positions in an earlier edition are not valid, because changes in that period have no entries.
 */
import { EVENT_KINDS, type EventKind } from '../../contract/events.js';
import type { Clock } from '../../kernel/clock.js';
import { pause } from '../../kernel/deadline.js';
import { type Millis, minutes, type UnixMillis } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import { type Change, ConflictError, type NewEvent, type RecordRow, type Store } from '../store/store.js';

/** Length of the lease: how long the journal is kept after the lease was last extended. */
const LEASE = minutes(10);
/** While there are readers, the lease is extended if less than this time remains. */
const REMAINING = minutes(8);
/** Number of entries that remain when older entries are deleted. */
const KEPT = 100_000;
/** Largest range of numbers whose entries are deleted in one commit. Other commits share the transaction, and wait for it. */
const PIECE = 10_000;
/** How long a service waits, in milliseconds, until the other services have noticed a new edition. */
const NOTICE = 300;

/** Migrations of PostgreSQL refer to this name. */
const FAMILY = 'event-journal';

interface Edition {
  readonly edition: string;
  /** Entries with smaller numbers are deleted, or will be: they are not part of the edition. */
  readonly floor: number;
}

interface JournalOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

export class Journal {
  readonly #options: JournalOptions;
  #row: RecordRow | undefined;
  #keptUntil: UnixMillis = Number.NEGATIVE_INFINITY;
  #keeping: Promise<void> | undefined;
  #deleting: Promise<void> | undefined;
  /** Number of readers at this service. */
  #readers = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** Whether commits add entries now. */
  get isKept(): boolean {
    // If there has never been a reader, `#row` is undefined, and the clock is not read.
    return this.#row !== undefined && (this.#readers > 0 || this.#remaining > 0);
  }

  /** Whether {@link keep} should be called. */
  get endsSoon(): boolean {
    return this.#readers > 0 && this.#remaining < REMAINING;
  }

  get #remaining(): Millis {
    return this.#keptUntil - this.#options.clock.wall;
  }

  /** The present edition; undefined if no journal was ever kept. */
  get edition(): Edition | undefined {
    return this.#row?.body as Edition | undefined;
  }

  /** Reads the record that says until when the journal is kept: another service may have changed it. */
  async look(): Promise<void> {
    this.#learn(await this.#options.store.recordByKey(FAMILY, null, FAMILY));
  }

  /** Keeps the journal for a reader, until the returned function is called. */
  async hold(): Promise<() => void> {
    await this.keep();
    this.#readers++;
    return () => {
      this.#readers--;
    };
  }

  /** Extends the lease of the present edition if it ends soon, or begins a new edition. */
  keep(): Promise<void> {
    this.#keeping ??= this.#keep().finally(() => {
      this.#keeping = undefined;
    });
    return this.#keeping;
  }

  async #keep(): Promise<void> {
    for (;;) {
      await this.look();
      const now = Math.floor(this.#options.clock.wall);
      const kept = this.#row;
      // A service that shares its store with no other has added entries for its readers all the time, even if the record has
      // expired.
      const isWhole = this.#remaining > 0 || (this.#readers > 0 && !this.#options.store.nodes);
      if (!kept || !isWhole) {
        if (await this.#begin(kept, now)) break;
      } else if (this.#remaining > REMAINING) return;
      else if (await this.#write(kept, { ...kept, dueAt: now + LEASE })) {
        await this.#raiseFloor();
        break;
      }
    }
    // Not awaited: readers need not wait. An error is ignored: the next extension of the lease continues.
    this.#deleting ??= this.#deleteOld()
      .catch(() => {})
      .finally(() => {
        this.#deleting = undefined;
      });
  }

  /** Excludes old entries from the edition: {@link KEPT} remain. */
  async #raiseFloor(): Promise<void> {
    const floor = (await this.#options.store.newestEvent()) - KEPT + 1;
    const { edition } = this;
    if (!this.#row || !edition || floor <= edition.floor) return;
    await this.#write(this.#row, { ...this.#row, body: { ...edition, floor } });
  }

  /** Deletes the entries below the floor. */
  async #deleteOld(): Promise<void> {
    const { store } = this.#options;
    for (;;) {
      const [oldest] = await store.events(0, 1);
      const { floor = 0 } = this.edition ?? {};
      if (oldest === undefined || oldest.seq >= floor) return;
      await store.commit([{ kind: 'event.prune', below: Math.min(floor, oldest.seq + PIECE) }]);
    }
  }

  async #begin(before: RecordRow | undefined, now: UnixMillis): Promise<boolean> {
    const { store, ids, clock } = this.#options;
    const edition: Edition = { edition: ids.uuid(), floor: (await store.newestEvent()) + 1 };
    const id = before?.id ?? ids.uuid();
    const shared = { family: FAMILY, id, spaceId: null, key: FAMILY, createdAt: now };
    const begun = await this.#write(before, { ...shared, dueAt: now + LEASE, body: edition });
    if (begun && store.nodes) await pause({ clock, limit: NOTICE, what: 'other services' });
    return begun;
  }

  /** False if another service has changed the record first. */
  async #write(before: RecordRow | undefined, row: RecordRow): Promise<boolean> {
    const change: Change = before ? { kind: 'record.change', row, was: before.body } : { kind: 'record.put', row };
    try {
      await this.#options.store.commit([change]);
    } catch (error) {
      if (error instanceof ConflictError && (error.field === 'record-key' || error.field === 'record-body'))
        return false;
      throw error;
    }
    this.#learn(row);
    return true;
  }

  #learn(row: RecordRow | undefined): void {
    this.#row = row;
    this.#keptUntil = row?.dueAt ?? Number.NEGATIVE_INFINITY;
  }
}

/** Makes `commit` of the store add entries while the journal is kept. @param added called after a commit with entries */
export function journalCommits(store: Store, clock: Clock, journal: Journal, added: () => void): void {
  const commit = store.commit.bind(store);
  // Replaces the method of this object only, as `guardCommits` (store/bounded-commits.ts) does.
  store.commit = (changes) => (journal.isKept ? commitWithEvents(changes) : commit(changes));
  async function commitWithEvents(changes: readonly Change[]): Promise<void> {
    const events = eventsOf(changes, Math.floor(clock.wall));
    if (events.length === 0) return commit(changes);
    await commit([...changes, ...events.map((event) => ({ kind: 'event.add', event }) as const)]);
    added();
    // An error is ignored: the next commit tries again.
    if (journal.endsSoon) journal.keep().catch(() => {});
  }
}

/** The entries for a list of changes. */
function eventsOf(changes: readonly Change[], at: UnixMillis): readonly NewEvent[] {
  const events = new Map<string, NewEvent>();
  const add = (kind: EventKind, ref: string, detail: unknown = null) => {
    // All changes of a row give one entry, except that each station (timeline entry) of a downlink has its own.
    const key = kind === 'downlink' ? `${kind} ${ref} ${events.size}` : `${kind} ${ref}`;
    if (!events.has(key)) events.set(key, { kind, ref, at, detail });
  };
  for (const change of changes) {
    switch (change.kind) {
      case 'message.insert':
        add('message', change.row.id);
        break;
      case 'timeline.add': {
        const { messageId, what, detail } = change.row;
        add('downlink', messageId, { what, at: change.row.at, detail });
        break;
      }
      case 'device.insert':
        add('device', change.row.id, 'created');
        break;
      case 'device.change':
        add('device', change.id, 'changed');
        break;
      case 'device.delete':
        add('device', change.id, 'deleted');
        break;
      case 'record.put':
      case 'record.change': {
        const kind = EVENT_KINDS.find((each) => each === change.row.family);
        if (kind && change.row.spaceId !== null) add(kind, change.row.id);
        break;
      }
    }
  }
  return [...events.values()];
}
