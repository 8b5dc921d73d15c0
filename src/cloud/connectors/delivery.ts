/**
 * Deliveries as they are kept: records of the family `delivery`, one for each connector that wants a message. It is the queue
 * and the log at once: a pending one is due at a moment, one that is over is not. What is sent is not in it; every attempt
 * makes it anew from the message, the device and the connector as they are then.
 *
 *            ┌────────── next attempt ◄─────────┐
 *   pending ─┴─► 2xx: delivered                 │
 *            ├─► no 2xx, or no answer: while there are retry delays left; then failed
 *            ├─► the script fails, or its target is refused: failed
 *            └─► the script does not want it; connector disabled; connector, device or message gone: cancelled
 */
import { type Millis, seconds, type UnixMillis } from '../../kernel/time.js';
import type { Change, Id, RecordRow, Store } from '../store/store.js';
import type { Connector } from './connector.js';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What became of an attempt. */
export interface AttemptEntry {
  /** Counted from 0, as in the job. */
  readonly attempt: number;
  readonly at: UnixMillis;
  /** In milliseconds. */
  readonly took: Millis;
  /** Status of the answer; null: there was none. */
  readonly status: number | null;
  /** Scheme, host and port only: paths and queries carry tokens. Null: it did not come to a request. */
  readonly target: string | null;
  /** What went wrong, or why nothing was sent; null: nothing. */
  readonly error: string | null;
  /** The beginning of an answer that is no success. */
  readonly response: string | null;
}

/** What came of an attempt; `unanswered`: no success, which may be different the next time. */
export interface Attempted {
  readonly outcome: 'delivered' | 'failed' | 'cancelled' | 'unanswered';
  readonly entry: AttemptEntry;
}

export interface Delivery {
  readonly id: Id;
  readonly spaceId: Id;
  readonly connectorId: Id;
  readonly deviceId: Id;
  readonly messageId: Id;
  readonly createdAt: UnixMillis;
  /** When it is attempted next, or, while somebody attempts it, taken over by somebody else; null: it is over. */
  readonly dueAt: UnixMillis | null;
  readonly state: DeliveryState;
  /** Number of the attempt that is due, or was the last one. */
  readonly attempt: number;
  /** Oldest first. */
  readonly log: readonly AttemptEntry[];
}

const FAMILY = 'delivery';

export function putDelivery({ id, spaceId, createdAt, dueAt, ...body }: Delivery): Change {
  // So that those of one connector are found in the order of their creation.
  const key = `${body.connectorId}/${id}`;
  return { kind: 'record.put', row: { family: FAMILY, id, spaceId, key, createdAt, dueAt, body } };
}

export function deleteDelivery(id: Id): Change {
  return { kind: 'record.delete', family: FAMILY, id };
}

function toDelivery({ id, spaceId, createdAt, dueAt, body }: RecordRow): Delivery {
  // Because only `putDelivery` writes these records, and a delivery always belongs to a space.
  const rest = body as Omit<Delivery, 'id' | 'spaceId' | 'createdAt' | 'dueAt'>;
  return { id, spaceId: spaceId as Id, createdAt, dueAt, ...rest };
}

export async function dueDeliveries(store: Store, now: UnixMillis, limit: number): Promise<readonly Delivery[]> {
  return (await store.dueRecords(FAMILY, now, limit)).map(toDelivery);
}

/** When the next delivery of the whole service is due. */
export async function nextDelivery(store: Store): Promise<UnixMillis | undefined> {
  const [first] = await store.dueRecords(FAMILY, Number.MAX_SAFE_INTEGER, 1);
  return first?.dueAt ?? undefined;
}

export async function findDelivery(store: Store, { spaceId, id }: Connector, deliveryId: Id) {
  const row = await store.record(FAMILY, spaceId, deliveryId);
  const delivery = row && toDelivery(row);
  return delivery?.connectorId === id ? delivery : undefined;
}

const BATCH = 500;

/** Those of a connector, newest first, from behind `after` on. */
export async function* deliveriesOf(
  store: Store,
  { spaceId, id }: Connector,
  after: Id | undefined,
): AsyncGenerator<Delivery> {
  // A key below `…0` begins with `…/` or sorts before it: 0 follows the slash.
  let below = after === undefined ? `${id}0` : `${id}/${after}`;
  for (;;) {
    const rows = await store.recordsInRange(FAMILY, spaceId, { from: `${id}/`, below }, BATCH);
    yield* rows.map(toDelivery);
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    below = `${id}/${last.id}`;
  }
}

/** What a delivery is after an attempt that has ended now (cloud API gaps, section 6 "Success / retry"). */
export function afterAttempt(
  delivery: Delivery,
  { retryDelays }: Pick<Connector, 'retryDelays'>,
  { outcome, entry }: Attempted,
  now: UnixMillis,
): Delivery {
  const log = [...delivery.log, entry];
  if (outcome !== 'unanswered') return { ...delivery, state: outcome, dueAt: null, log };
  const delay = retryDelays[delivery.attempt];
  if (delay === undefined) return { ...delivery, state: 'failed', dueAt: null, log };
  return { ...delivery, attempt: delivery.attempt + 1, dueAt: now + seconds(delay), log };
}

/** It is over without another attempt. */
export function cancelled(delivery: Delivery, why: string, now: UnixMillis): Delivery {
  const { attempt, log } = delivery;
  const entry = { attempt, at: now, took: 0, status: null, target: null, error: why, response: null };
  return { ...delivery, state: 'cancelled', dueAt: null, log: [...log, entry] };
}

/** Why a pending delivery will not be attempted any more; undefined: it will. */
export function dropped(delivery: Delivery, connector: Connector | undefined): string | undefined {
  if (!connector) return 'the connector was deleted';
  if (connector.state === 'disabled') return 'the connector is disabled';
  return delivery.createdAt < connector.enabledAt ? 'the connector was disabled' : undefined;
}
