/**
 * What the service remembers of a device while it talks to it. All of it can be read from the store again: losing it costs
 * a reset at most (wire protocol, 6.1).
 */
import type { Instant } from '../../kernel/time.js';
import type { DeliveryEvidence } from '../../trace/events.js';
import { type DeviceRow, type MessageRow, WAITING_BODY, type WaitingRow } from '../store/store.js';

/** A downlink in state pending. */
export interface QueuedDownlink {
  readonly row: WaitingRow;
  /** Times that its first fragment was sent. */
  attempt: number;
  /** The device has been heard since it was queued. */
  contacted: boolean;
  /** The device has it, which could not be written down when it was known. */
  confirmed: DeliveryEvidence | undefined;
}

type Unwritten = QueuedDownlink & { readonly confirmed: DeliveryEvidence };

export interface DeviceSession {
  device: DeviceRow;
  /** Claim token, 16 bytes. */
  readonly token: Uint8Array;
  /** In order of creation. */
  queue: QueuedDownlink[];
  /** Offered and not yet confirmed. */
  inFlight: QueuedDownlink | undefined;
  /** A session has begun, and it has not been seen yet whether the device runs the configuration that it was sent. */
  configUnchecked: boolean;
  /** A firmware update is under way: configurations wait for its end, because they reboot the device. */
  update: SessionUpdate | undefined;
}

interface SessionUpdate {
  /** Since when the device owes an answer to a chunk; undefined: it owes none. */
  silentSince: Instant | undefined;
}

export function asQueued(row: WaitingRow): QueuedDownlink {
  return { row, attempt: row.downAttempt, contacted: row.downAttempt > 0, confirmed: undefined };
}

/** The row as a queue holds it: a thousand long bodies a device would be too much. */
export function withoutLongBody(row: MessageRow): WaitingRow {
  if (JSON.stringify(row.body).length <= WAITING_BODY) return row;
  const { body: _, ...rest } = row;
  return rest;
}

/** Puts a downlink into the queue, which is in order of creation. */
export function insertInto(session: DeviceSession, queued: QueuedDownlink): void {
  session.queue = [...session.queue, queued].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
}

/** Downlinks that the device has, which could not be written down when it was known. */
export function unwritten(session: DeviceSession): readonly Unwritten[] {
  return session.queue.filter((queued): queued is Unwritten => queued.confirmed !== undefined);
}

/** Takes a downlink out of the queue and writes why; when that cannot be written, it goes on waiting. */
export async function whileDequeued<T>(
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

/**
 * Place in the delivery order; lower comes first (wire protocol, section 15 "queue order"). Config comes last because it
 * reboots the device.
 */
const RANK: Readonly<Record<string, number>> = { session: 0, timestamp: 1, data: 2, shell: 2, firmware: 3, config: 4 };

/** The downlink that is delivered next. */
export function nextDownlink(session: DeviceSession, except?: QueuedDownlink): QueuedDownlink | undefined {
  let best: QueuedDownlink | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const queued of session.queue) {
    if (queued === except || isHeldBack(session, queued.row.type)) continue;
    const rank = RANK[queued.row.type] ?? 2;
    if (rank < bestRank) {
      best = queued;
      bestRank = rank;
    }
  }
  return best;
}

/** Data wait until the device has uploaded an encoder, a configuration while a firmware update is under way. */
function isHeldBack(session: DeviceSession, type: string): boolean {
  return (
    (type === 'data' && session.device.encoderHash === null) || (type === 'config' && session.update !== undefined)
  );
}
