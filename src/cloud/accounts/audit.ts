/** The audit log. Entries are never changed, deleted only with their space, and stored before the request's answer. */

import { isoTime } from '../../kernel/calendar.js';
import type { Clock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import type { Change, Id, Page, RecordRow, Store } from '../store/store.js';

/** Record family of the entries. The key of a record is its id: ids sort by time, so a range of keys is a range of time. */
export const AUDIT = 'audit';

/** What an entry records, without the id and the time of the entry. */
interface Event {
  /** Null: the caller has no valid credential, as in a failed login. */
  readonly actor: { readonly kind: 'user' | 'key'; readonly id: Id } | null;
  /** Name of the operation in the OpenAPI document, or `loginFailed`, `beginSession`, `endSession`. */
  readonly action: string;
  /** Id of the resource that was created, changed or deleted. */
  readonly target: Id | null;
  /** IP address of the caller. */
  readonly from: string;
}

export interface Entry extends Event {
  readonly id: Id;
  readonly at: UnixMillis;
}

interface AuditOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export class AuditLog {
  readonly #options: AuditOptions;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Adds an event to these spaces' logs; logs a failure of the store, because the request has already been carried out. */
  async add(spaceIds: readonly Id[], event: Event): Promise<void> {
    if (spaceIds.length === 0) return;
    const { store, clock, ids, log } = this.#options;
    const createdAt = Math.floor(clock.wall);
    const changes = spaceIds.map((spaceId): Change => {
      const id = ids.uuid();
      return { kind: 'record.put', row: { family: AUDIT, id, spaceId, key: id, createdAt, dueAt: null, body: event } };
    });
    try {
      await store.commit(changes);
    } catch (error) {
      log.error(
        { error: messageOf(error), ...event, at: isoTime(createdAt) },
        'an entry of the audit log was not stored',
      );
    }
  }

  /** A page of the log of a space, newest first. */
  async list(spaceId: Id, { limit, after }: Page): Promise<readonly Entry[]> {
    // All ids are below "g", because they consist of hex digits and hyphens.
    const rows = await this.#options.store.recordsInRange(AUDIT, spaceId, { from: '', below: after ?? 'g' }, limit);
    return rows.map(entryOf);
  }
}

function entryOf({ id, createdAt, body }: RecordRow): Entry {
  return { id, at: createdAt, ...(body as Event) };
}
