/**
 * Events for readers, in the order of the journal (journal.ts), each with the rows that it refers to. The journal is kept only
 * while readers need it. The rows are read once for all readers of a service that are at the same position.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Ids } from '../store/ids.js';
import type { DeviceRow, EventRow, Id, ListedMessage, RecordRow, Store } from '../store/store.js';
import { Journal, journalCommits } from './journal.js';
import { type Position, positionIn } from './position.js';

/** An event with the present state of its rows. A row is undefined if it was deleted, or if the event has no such row. */
export interface Entry {
  readonly row: EventRow;
  readonly device: DeviceRow | undefined;
  readonly message: ListedMessage | undefined;
  readonly record: RecordRow | undefined;
}

/** Maximum number of entries that a reader gets at a time. */
export const PAGE = 500;
/** Maximum number of pages that are kept in memory, one for each position at which readers are. */
const MOST_PAGES = 16;

interface FeedOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

export class Feed {
  readonly #store: Store;
  readonly #journal: Journal;
  /**
   * The key of a page is the number of the entry before it. Pages are shared, because most readers are at the same position.
   * They are dropped when there are new entries.
   */
  readonly #pages = new Map<number, Promise<readonly Entry[]>>();
  #waiting = new Set<() => void>();
  #closed = false;

  /** From now on, commits of the store add entries to the journal while it is kept. */
  constructor({ store, clock, ids }: FeedOptions) {
    this.#store = store;
    this.#journal = new Journal({ store, clock, ids });
    journalCommits(store, clock, this.#journal, () => this.#wake());
    store.nodes?.listen(clock, (news) => {
      if (news.kind === 'events') this.#wake();
      // If `look` fails, this service uses its earlier state of the journal until the next notification.
      if (news.kind === 'journal' || news.kind === 'missed')
        this.#journal.look().then(
          () => this.#wake(),
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
  hold(): Promise<() => void> {
    return this.#journal.hold();
  }

  /**
   * Extends the lease, the time until which the journal is kept, if it ends soon. Commits extend the lease as well. Readers
   * call this method because there may be no commits for a long time.
   */
  async keep(): Promise<void> {
    if (this.#journal.endsSoon) await this.#journal.keep();
  }

  /** The position at the end of the journal. Call it while the journal is kept. */
  async newest(): Promise<Position> {
    const { edition = '', floor = 0 } = this.#journal.edition ?? {};
    return { edition, seq: Math.max(await this.#store.newestEvent(), floor - 1) };
  }

  /**
   * The position after the event with this id. If the id is not valid, returns a position for which {@link isGone} is true.
   * Call it while the journal is kept.
   */
  behind(id: string, spaceId: Id): Position {
    const { edition = '' } = this.#journal.edition ?? {};
    return positionIn(id, edition, spaceId) ?? { edition: '', seq: 0 };
  }

  /** The next entries after a position, at most a page; `gone` if a reader cannot continue there ({@link isGone}). */
  async after(position: Position): Promise<readonly Entry[] | 'gone'> {
    if (this.isGone(position)) return 'gone';
    const entries = await this.#page(position.seq);
    // Entries may have been deleted while the page was being read.
    return this.isGone(position) ? 'gone' : entries;
  }

  /** Whether a reader cannot continue: the position is in another edition, or entries after it have been deleted. */
  isGone({ edition, seq }: Position): boolean {
    const present = this.#journal.edition;
    return edition !== present?.edition || seq + 1 < present.floor;
  }

  #page(seq: number): Promise<readonly Entry[]> {
    const known = this.#pages.get(seq);
    if (known) return known;
    const page = this.#store.events(seq, PAGE).then((rows) => Promise.all(rows.map((row) => this.#entry(row))));
    if (this.#pages.size < MOST_PAGES) this.#pages.set(seq, page);
    return page;
  }

  async #entry(row: EventRow): Promise<Entry> {
    const { spaceId, kind, ref, deviceId } = row;
    const isMessage = kind === 'message' || kind === 'downlink';
    const message = isMessage ? await this.#store.message(spaceId, ref) : undefined;
    const record = isMessage || kind === 'device' ? undefined : await this.#store.record(kind, spaceId, ref);
    const ofRecord = (record?.body as { readonly deviceId?: Id } | undefined)?.deviceId;
    const device = await this.#store.device(spaceId, deviceId ?? ofRecord ?? '');
    return { row, message, record, device };
  }

  /** `arrived` resolves when there may be new entries, when the service shuts down, and after `cancel`. */
  news(): { readonly arrived: Promise<void>; cancel(): void } {
    let wake = () => {};
    const arrived = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    if (this.#closed) wake();
    return {
      arrived,
      cancel: () => {
        this.#waiting.delete(wake);
        wake();
      },
    };
  }

  /** Wakes all readers, so that they see {@link isClosed} and end. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    this.#pages.clear();
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }
}
