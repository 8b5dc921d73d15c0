/**
 * Events for readers, in the order of the journal (journal.ts), each with the rows that it refers to. The journal is kept only
 * while readers need it. Events of a space wake the readers of this space only; those that read it together share its rows.
 */
import type { EdgeClock } from '../../kernel/clock.js';
import type { Ids } from '../store/ids.js';
import type { DeviceRow, EventRow, Id, ListedMessage, RecordRow, Store } from '../store/store.js';
import { watchHealth } from './health-watch.js';
import { Journal, journalCommits } from './journal.js';
import { type Position, positionIn } from './position.js';

/** An event with the present state of its rows. A row is undefined if it was deleted, or if the event has no such row. */
export interface Entry {
  readonly row: EventRow;
  readonly device: DeviceRow | undefined;
  readonly message: ListedMessage | undefined;
  readonly record: RecordRow | undefined;
}

/** The events of one space in a page of the journal. */
export interface Page {
  readonly rows: readonly EventRow[];
  /** The position after the page. */
  readonly end: Position;
  /** Whether there may be more entries after the page. */
  readonly isFull: boolean;
}

/** A wait for events of a space. */
interface News {
  /** Resolves when there may be new events, when the service shuts down, and after `cancel`. */
  readonly arrived: Promise<void>;
  readonly hasArrived: boolean;
  cancel(): void;
}

/** Maximum number of entries of all spaces in a page of the journal. */
const PAGE = 500;
/** Maximum number of pages that are kept in memory, one for each position at which readers are. */
const MOST_PAGES = 16;
/** Maximum number of entries that are kept in memory. Few, because each may contain a message of 1 MB. */
const MOST_ENTRIES = 32;

interface FeedOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly ids: Ids;
}

export class Feed {
  readonly #store: Store;
  readonly #clock: EdgeClock;
  readonly #journal: Journal;
  /** The key of a page is the number of the entry before it. Pages and entries are dropped when there are new entries. */
  readonly #pages = new Map<number, Promise<readonly EventRow[]>>();
  readonly #entries = new Map<number, Promise<Entry>>();
  /** The waits of readers, by space; each function ends one. */
  readonly #waiting = new Map<Id, Set<() => void>>();
  #readers = 0;
  /** Ends the watch of the health of devices, which goes on while there are readers. */
  #endWatch = () => {};
  /** The waits for all events up to here have ended. Undefined without readers. */
  #reached: Position | undefined;
  /** Set while new entries are read to find out whom to wake. */
  #isLooking = false;
  #hasMore = false;
  #closed = false;

  /** From now on, commits of the store add entries to the journal while it is kept. */
  constructor({ store, clock, ids }: FeedOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#journal = new Journal({ store, clock, ids });
    journalCommits(store, clock, this.#journal, () => this.#look());
    store.nodes?.listen(clock, (news) => {
      if (news.kind === 'events') this.#look();
      // If `look` fails, this service uses its earlier state of the journal until the next notification.
      if (news.kind === 'journal' || news.kind === 'missed')
        this.#journal.look().then(
          () => this.#wakeAll(),
          () => {},
        );
    });
  }

  /** Whether the service is shutting down. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Continues a journal that was kept before the service started. */
  open(): Promise<void> {
    return this.#journal.look();
  }

  /** Keeps the journal for a reader, until the returned function is called. */
  async hold(): Promise<() => void> {
    const release = await this.#journal.hold();
    const newest = await this.newest().catch((error: unknown) => {
      release();
      throw error;
    });
    if (this.#readers++ === 0)
      this.#endWatch = watchHealth(
        { store: this.#store, clock: this.#clock, edition: () => this.#journal.edition?.edition ?? '' },
        () => this.#look(),
      );
    this.#reached ??= newest;
    return () => {
      if (--this.#readers === 0) {
        this.#reached = undefined;
        this.#endWatch();
      }
      release();
    };
  }

  /** Extends the time until which the journal is kept. Commits do, too, but there may be none for long. */
  async keep(): Promise<void> {
    if (this.#journal.endsSoon) await this.#journal.keep();
  }

  /** The position at the end of the journal. Call it while the journal is kept. */
  async newest(): Promise<Position> {
    const { edition = '', floor = 0 } = this.#journal.edition ?? {};
    return { edition, seq: Math.max(await this.#store.newestEvent(), floor - 1) };
  }

  /** The position after this id, while the journal is kept. An invalid id gets one for which {@link isGone} is true. */
  behind(id: string, spaceId: Id): Position {
    const { edition = '' } = this.#journal.edition ?? {};
    return positionIn(id, edition, spaceId) ?? { edition: '', seq: 0 };
  }

  /** The next events of a space after a position; `gone` if a reader cannot continue there ({@link isGone}). */
  async after(position: Position, spaceId: Id): Promise<Page | 'gone'> {
    if (this.isGone(position)) return 'gone';
    const page = await this.#page(position.seq);
    // Entries may have been deleted while the page was being read.
    if (this.isGone(position)) return 'gone';
    const end = { ...position, seq: page.at(-1)?.seq ?? position.seq };
    return { rows: page.filter((row) => row.spaceId === spaceId), end, isFull: page.length === PAGE };
  }

  /** A later position of a reader whose wait has not ended: all entries before it belong to other spaces. */
  skip(position: Position, { hasArrived }: News): Position {
    const reached = this.#reached;
    if (hasArrived || !reached || reached.edition !== position.edition || reached.seq < position.seq) return position;
    return reached;
  }

  /** Whether a reader cannot continue: the position is in another edition, or entries after it have been deleted. */
  isGone({ edition, seq }: Position): boolean {
    const present = this.#journal.edition;
    return edition !== present?.edition || seq + 1 < present.floor;
  }

  #page(seq: number): Promise<readonly EventRow[]> {
    const known = this.#pages.get(seq);
    if (known) return known;
    const page = this.#store.events(seq, PAGE);
    if (this.#pages.size < MOST_PAGES) keepUnlessFailed(this.#pages, seq, page);
    return page;
  }

  /** The event with its rows. Readers that follow each other get the same object. */
  entry(row: EventRow): Promise<Entry> {
    const entry = this.#entries.get(row.seq) ?? this.#read(row);
    // The entry that was not read for the longest time is dropped first.
    this.#entries.delete(row.seq);
    keepUnlessFailed(this.#entries, row.seq, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }

  async #read(row: EventRow): Promise<Entry> {
    const { spaceId, kind, ref, deviceId } = row;
    const isMessage = kind === 'message' || kind === 'downlink';
    const message = isMessage ? await this.#store.message(spaceId, ref) : undefined;
    const record =
      isMessage || kind === 'device' || kind === 'health' ? undefined : await this.#store.record(kind, spaceId, ref);
    const ofRecord = (record?.body as { readonly deviceId?: Id } | undefined)?.deviceId;
    const device = await this.#store.device(spaceId, deviceId ?? ofRecord ?? '');
    return { row, message, record, device };
  }

  /** Begins a wait for events of a space. */
  news(spaceId: Id): News {
    const ofSpace = this.#waiting.get(spaceId) ?? new Set();
    this.#waiting.set(spaceId, ofSpace);
    let resolveArrived = () => {};
    const arrived = new Promise<void>((resolve) => {
      resolveArrived = resolve;
    });
    const news = { arrived, hasArrived: false, cancel: () => end() };
    const end = () => {
      // The second time, other readers may wait in another set for the space.
      if (!ofSpace.delete(end)) return;
      if (ofSpace.size === 0) this.#waiting.delete(spaceId);
      news.hasArrived = true;
      resolveArrived();
    };
    ofSpace.add(end);
    if (this.#closed) end();
    return news;
  }

  /** Wakes all readers, so that they see {@link isClosed} and end. */
  close(): void {
    this.#closed = true;
    this.#wakeAll();
  }

  /** Wakes the readers of the spaces that have new entries. */
  #look(): void {
    this.#forget();
    this.#hasMore = true;
    if (!this.#isLooking) void this.#wakeNew();
  }

  async #wakeNew(): Promise<void> {
    this.#isLooking = true;
    try {
      for (let reached = this.#reached; reached && this.#hasMore; reached = this.#reached) {
        this.#hasMore = false;
        await this.#wakeAfter(reached);
      }
    } catch {
      // A reader meets the same error, and ends its stream.
      this.#wakeAll();
    } finally {
      // In the turn of the last look at `#hasMore`: a commit between the two would wake no reader.
      this.#isLooking = false;
    }
  }

  /** Wakes the readers of the spaces that have entries on the next page. */
  async #wakeAfter(reached: Position): Promise<void> {
    const rows = await this.#page(reached.seq);
    if (reached.edition !== this.#journal.edition?.edition) {
      const newest = await this.newest();
      if (this.#reached) this.#reached = newest;
      this.#wakeAll();
    } else if (reached === this.#reached) {
      if (rows.length === PAGE) this.#hasMore = true;
      const last = rows.at(-1);
      if (last) this.#reached = { ...reached, seq: last.seq };
      for (const spaceId of new Set(rows.map((row) => row.spaceId))) this.#wake(spaceId);
    } else this.#hasMore = true;
  }

  #forget(): void {
    this.#pages.clear();
    this.#entries.clear();
  }

  #wake(spaceId: Id): void {
    for (const end of [...(this.#waiting.get(spaceId) ?? [])]) end();
  }

  #wakeAll(): void {
    this.#forget();
    for (const spaceId of [...this.#waiting.keys()]) this.#wake(spaceId);
  }
}

/** Keeps what is being read for other readers. After a failure, the next reader reads it again. */
function keepUnlessFailed<T>(kept: Map<number, Promise<T>>, seq: number, reading: Promise<T>): void {
  kept.set(seq, reading);
  reading.catch(() => {
    if (kept.get(seq) === reading) kept.delete(seq);
  });
}
