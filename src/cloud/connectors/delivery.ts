/**
 * Deliveries in the store: a record of the family `delivery` for each message and each connector that forwards it. The records
 * are both the queue and the log: a pending delivery has a due time, a finished one has none. The request is not stored: every
 * attempt makes it from the message, the device and the connector in their current state.
 *
 *            ┌────────── next attempt ◄─────────┐
 *   pending ─┴─► 2xx: delivered                 │
 *            ├─► 301, 308, 410: failed
 *            ├─► any other status, or no response: retried while there are retry delays left; then failed
 *            ├─► the script fails, or its target is not permitted: failed
 *            ├─► `main` returns null; connector disabled; device or message deleted: cancelled
 *            └─► connector deleted: the record is deleted
 */
import type { DeliveryState } from '../../contract/connectors.js';
import { type Millis, seconds, type UnixMillis } from '../../kernel/time.js';
import { everyRecordInRange } from '../store/records.js';
import type { Change, Id, RecordRow, Store } from '../store/store.js';
import type { Connector } from './connector.js';

export interface AttemptLog {
  /** Counted from 0, as in the object `job` of scripts. Null: no attempt, only the reason why the delivery was cancelled. */
  readonly attempt: number | null;
  readonly at: UnixMillis;
  readonly took: Millis;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  /** Scheme, host and port only, because paths and queries may contain tokens. Null if there was no request to send. */
  readonly target: string | null;
  /** The error, or why nothing was sent; null if the attempt succeeded. */
  readonly error: string | null;
  /** First characters of the body of a response that is not 2xx. */
  readonly response: string | null;
}

/** Result of an attempt. `unanswered`: no 2xx response; the attempt may be repeated. */
export interface Attempted {
  readonly result: 'delivered' | 'failed' | 'cancelled' | 'unanswered';
  /** The wait before the next attempt that the target demands. */
  readonly retryAfter?: Millis | undefined;
  readonly entry: AttemptLog;
}

export interface Delivery {
  readonly id: Id;
  readonly spaceId: Id;
  readonly connectorId: Id;
  readonly deviceId: Id;
  readonly messageId: Id;
  readonly createdAt: UnixMillis;
  /** The connector's `enablings` in the commit that stored the message. Missing: stored by an older version. */
  readonly enabling?: number;
  /** Time of the next attempt, or of the end of the lease of the service that has taken it; null when it has finished. */
  readonly dueAt: UnixMillis | null;
  readonly state: DeliveryState;
  /** Number of the next attempt, or of the last one if the delivery has finished. Counted from 0. */
  readonly attempt: number;
  /** Oldest first. */
  readonly log: readonly AttemptLog[];
}

const FAMILY = 'delivery';

export function putDelivery({ id, spaceId, createdAt, dueAt, ...body }: Delivery): Change {
  // The key sorts the deliveries of one connector by their creation.
  const key = `${body.connectorId}/${id}`;
  return { kind: 'record.put', row: { family: FAMILY, id, spaceId, key, createdAt, dueAt, body } };
}

export function deleteDelivery(id: Id): Change {
  return { kind: 'record.delete', family: FAMILY, id };
}

export function toDelivery({ id, spaceId, createdAt, dueAt, body }: RecordRow): Delivery {
  const rest = body as Omit<Delivery, 'id' | 'spaceId' | 'createdAt' | 'dueAt'>;
  return { id, spaceId: spaceId as Id, createdAt, dueAt, ...rest };
}

/** Due deliveries of a space, earliest first. */
export async function dueDeliveries(
  store: Store,
  spaceId: Id,
  now: UnixMillis,
  limit: number,
): Promise<readonly Delivery[]> {
  return (await store.dueRecords(FAMILY, now, limit, spaceId)).map(toDelivery);
}

export function spacesWithDueDeliveries(store: Store, now: UnixMillis): Promise<readonly Id[]> {
  return store.dueSpaces(FAMILY, now);
}

/** Time at which the next delivery of the whole service is due; undefined if none is pending. */
export async function nextDelivery(store: Store): Promise<UnixMillis | undefined> {
  const [first] = await store.dueRecords(FAMILY, Number.MAX_SAFE_INTEGER, 1);
  return first?.dueAt ?? undefined;
}

export async function findDelivery(store: Store, { spaceId, id }: Connector, deliveryId: Id) {
  const row = await store.record(FAMILY, spaceId, deliveryId);
  const delivery = row && toDelivery(row);
  return delivery?.connectorId === id ? delivery : undefined;
}

/** Deliveries of a connector, newest first, starting after the delivery `after`. */
export async function* deliveriesOf(
  store: Store,
  { spaceId, id }: Connector,
  after: Id | undefined,
): AsyncGenerator<Delivery> {
  // Keys that begin with `<id>/` are in the range from `<id>/` to below `<id>0`, because `0` is the character after `/`.
  const below = after === undefined ? `${id}0` : `${id}/${after}`;
  for await (const row of everyRecordInRange(store, FAMILY, spaceId, { from: `${id}/`, below })) yield toDelivery(row);
}

/** The delivery after an attempt that has just ended (cloud C-35). */
export function afterAttempt(
  delivery: Delivery,
  { retryDelays }: Pick<Connector, 'retryDelays'>,
  { result, entry, retryAfter = 0 }: Attempted,
  now: UnixMillis,
): Delivery {
  const log = [...delivery.log, entry];
  if (result !== 'unanswered') return { ...delivery, state: result, dueAt: null, log };
  const delay = retryDelays[delivery.attempt];
  if (delay === undefined) return { ...delivery, state: 'failed', dueAt: null, log };
  const wait = Math.max(seconds(delay), retryAfter);
  return { ...delivery, attempt: delivery.attempt + 1, dueAt: now + wait, log };
}

/** The delivery, cancelled without another attempt. */
export function cancelled(delivery: Delivery, why: string, now: UnixMillis): Delivery {
  const { log } = delivery;
  const entry = { attempt: null, at: now, took: 0, status: null, target: null, error: why, response: null };
  return { ...delivery, state: 'cancelled', dueAt: null, log: [...log, entry] };
}

/** Reason why the connector drops a pending delivery; undefined if it will be attempted. */
export function dropped(delivery: Delivery, connector: Connector | undefined): string | undefined {
  if (!connector) return 'the connector was deleted';
  if (connector.state === 'disabled') return 'the connector is disabled';
  const { enablings = 0 } = connector;
  const { enabling = enablings } = delivery;
  return enabling === enablings ? undefined : 'the connector was disabled';
}
