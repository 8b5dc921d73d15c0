/** What the service caches of a device. After a loss it is read again, and the transfer is reset (wire W-24). */
import type { Instant } from '../../kernel/time.js';
import { tokenBytes } from '../../protocol/flap/envelope.js';
import type { DeliveryEvidence } from '../../trace/events.js';
import { type DeviceRow, type MessageRow, NO_CODEC, WAITING_CONTENT, type WaitingRow } from '../store/store.js';

/** A downlink in state `pending`. */
export interface QueuedDownlink {
  readonly row: WaitingRow;
  /** Number of its offers that this service knows. If another service has offered it, the stored number is greater. */
  attempt: number;
  /** Whether the device has sent something since the downlink was queued. */
  contacted: boolean;
  /** Set when its timeline says that the device has polled from an unproven address. */
  awaitsProof?: true | undefined;
  /** Evidence of delivery that could not be committed when it arrived; committed with the next exchange. */
  confirmed: DeliveryEvidence | undefined;
}

type Unwritten = QueuedDownlink & { readonly confirmed: DeliveryEvidence };

export interface DeviceSession {
  device: DeviceRow;
  /** Claim token of {@link device}, 16 bytes. */
  token: Uint8Array;
  /** In order of creation. */
  queue: QueuedDownlink[];
  /** The downlink that is offered and not yet confirmed. */
  inFlight: QueuedDownlink | undefined;
  /** Whether a session has begun in which the device has not yet shown whether it applied the last configuration downlink. */
  configUnchecked: boolean;
  /** The device's time of its latest data, in seconds; known after data of an unproven address. */
  latestMade?: number;
  /** When the device last communicated over DTLS or HTTP. Left out if it has not. */
  otherwiseAt?: Instant;
  /** Set during a firmware update. Configurations wait for its end, because they reboot the device. */
  update: SessionUpdate | undefined;
}

interface SessionUpdate {
  /** Start of the wait for the next report: a chunk's delivery, or the last change. Undefined before it and after the swap. */
  silentSince: Instant | undefined;
  /** Set if the first session after the swap does not prove which image runs. The next data of the device then decide. */
  readonly unproven?: true | undefined;
}

export function makeQueued(row: WaitingRow): QueuedDownlink {
  return { row, attempt: row.downAttempt, contacted: row.downAttempt > 0, confirmed: undefined };
}

/** Replaces the row of the device, which may contain a new claim token. */
export function replaceDevice(session: DeviceSession, device: DeviceRow): void {
  // The read after a later change may have ended before this one.
  if (device.version < session.device.version) return;
  if (device.token !== session.device.token) session.token = tokenBytes(device.token);
  session.device = device;
}

/** The row for the queue: without long content, because a queue may contain 1000 rows. */
export function dropLongContent(row: MessageRow): WaitingRow {
  if (JSON.stringify(row.body).length + (row.raw?.length ?? 0) <= WAITING_CONTENT) return row;
  const { body: _, raw: __, ...rest } = row;
  return rest;
}

/** Inserts a downlink into the queue in order of creation. */
export function insertInto(session: DeviceSession, queued: QueuedDownlink): void {
  session.queue = [...session.queue, queued].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
}

/**
 * Replaces the queue by the pending downlinks that have been read from the store. Downlinks that this service has added or
 * removed during the read stay added or removed.
 * @param before the queue when the read began
 */
export function mergeQueue(
  session: DeviceSession,
  pending: readonly WaitingRow[],
  before: readonly QueuedDownlink[],
): void {
  const known = new Map(session.queue.map((queued) => [queued.row.id, queued]));
  const old = new Set(before.map(({ row }) => row.id));
  const read = new Set(pending.map(({ id }) => id));
  const added = session.queue.filter(({ row }) => !old.has(row.id) && !read.has(row.id));
  const kept = pending
    .filter(({ id }) => known.has(id) || !old.has(id))
    .map((row) => Object.assign(known.get(row.id) ?? makeQueued(row), { attempt: row.downAttempt }));
  session.queue = kept;
  for (const queued of added) insertInto(session, queued);
}

/** Delivered downlinks whose delivery could not be committed when it was confirmed. */
export function listUnwritten(session: DeviceSession): readonly Unwritten[] {
  return session.queue.filter((queued): queued is Unwritten => queued.confirmed !== undefined);
}

/** Removes a downlink from the queue while `write` commits its new state; puts it back if the commit fails. */
export async function dequeueWhile<T>(
  session: DeviceSession,
  queued: QueuedDownlink,
  write: () => Promise<T>,
): Promise<T> {
  session.queue = session.queue.filter((other) => other !== queued);
  try {
    return await write();
  } catch (error) {
    insertInto(session, queued);
    throw error;
  }
}

/** Place in the delivery order; lower comes first (wire W-38). Config comes last because it reboots the device. */
const RANK: Readonly<Record<string, number>> = { session: 0, timestamp: 1, data: 2, shell: 2, firmware: 3, config: 4 };

/** Restrictions for the downlink to deliver. */
export interface Wanted {
  /** Not this one. */
  readonly except?: QueuedDownlink | undefined;
  /** Whether the lifetime of a downlink is over; such a downlink is not delivered. Default: always false. */
  readonly isOverdue?: (row: WaitingRow) => boolean;
  /** Whether the address of the device is proven (gateway/replay-guard.ts). Default: true. */
  readonly isProven?: boolean | undefined;
}

/** The downlink to deliver next, or undefined if none can be delivered now. */
export function findNextDownlink(
  session: DeviceSession,
  { except, isOverdue = () => false, isProven = true }: Wanted = {},
): QueuedDownlink | undefined {
  let best: QueuedDownlink | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const queued of session.queue) {
    if (queued === except || isHeldBack(session, queued.row, isProven) || isOverdue(queued.row)) continue;
    const rank = RANK[queued.row.type] ?? 2;
    if (rank < bestRank) {
      best = queued;
      bestRank = rank;
    }
  }
  return best;
}

/** Whether downlinks of this type go only to a proven address (gateway/replay-guard.ts). */
export function needsProof(type: string): boolean {
  return type !== 'session' && type !== 'timestamp';
}

/** Whether a downlink waits: data for the encoder, configurations for an update's end, most at an unproven address. */
function isHeldBack({ device, update }: DeviceSession, { type, codecHash }: WaitingRow, isProven: boolean): boolean {
  if (!isProven && needsProof(type)) return true;
  if (type === 'data') return device.encoderHash === null && codecHash !== NO_CODEC;
  return type === 'config' && update !== undefined;
}
