/**
 * Adds an entry to the journal when a device becomes late or silent (contract/health.ts). Everything else in the journal comes
 * with a commit, but here nothing happens: a contact is missing. If several services share a database, each one that has readers
 * adds the entry.
 */
import type { Alarm, EdgeClock } from '../../kernel/clock.js';
import { minutes, type UnixMillis } from '../../kernel/time.js';
import type { Change, Store } from '../store/store.js';

const EVERY = minutes(1);
/** Maximum number of entries in a commit, so that a store can serve devices between two of them. */
const BATCH = 500;

export class HealthWatch {
  readonly #store: Store;
  readonly #clock: EdgeClock;
  readonly #added: () => void;
  #next: Alarm | undefined;

  /** @param added called after entries were added */
  constructor({ store, clock }: { readonly store: Store; readonly clock: EdgeClock }, added: () => void) {
    this.#store = store;
    this.#clock = clock;
    this.#added = added;
  }

  start(): void {
    this.#waitFrom(this.#clock.wall);
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  #waitFrom(checked: UnixMillis): void {
    const what = 'a look at the health of devices';
    const alarm = this.#clock.after(EVERY, what, () => {
      const now = this.#clock.wall;
      const release = this.#clock.hold(what);
      // If the store does not answer, the next look covers this minute as well.
      this.#look(checked, now)
        .then(
          () => this.#isNext(alarm) && this.#waitFrom(now),
          () => this.#isNext(alarm) && this.#waitFrom(checked),
        )
        .finally(release);
    });
    this.#next = alarm;
  }

  /** Whether the watch has neither been stopped nor started again since this alarm was set. */
  #isNext(alarm: Alarm): boolean {
    return this.#next === alarm;
  }

  async #look(from: UnixMillis, to: UnixMillis): Promise<void> {
    const changed = await this.#store.healthChanges(from, to);
    const changes = changed.map(({ id, health }): Change => {
      return { kind: 'event.add', event: { kind: 'health', ref: id, at: Math.floor(to), detail: health } };
    });
    for (let begin = 0; begin < changes.length; begin += BATCH) {
      await this.#store.commit(changes.slice(begin, begin + BATCH));
      this.#added();
    }
  }
}
