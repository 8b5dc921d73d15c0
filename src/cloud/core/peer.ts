/**
 * What the service remembers of a device while it talks to it. All of it can be read from the store again: losing it costs
 * a reset at most (wire protocol, 6.1).
 */
import type { DeviceRow, MessageRow } from '../store/store.js';

/** A downlink in state pending. */
export interface QueuedDownlink {
  readonly row: MessageRow;
  /** Times that its first fragment was sent. */
  attempt: number;
  /** The device has been heard since it was queued. */
  contacted: boolean;
}

export interface Peer {
  device: DeviceRow;
  /** Claim token, 16 bytes. */
  readonly token: Uint8Array;
  /** In order of creation. */
  queue: QueuedDownlink[];
  /** Offered and not yet confirmed. */
  inFlight: QueuedDownlink | undefined;
  /** A session has begun, and it has not been seen yet whether the device runs the configuration that it was sent. */
  configUnchecked: boolean;
}

/**
 * Place in the delivery order; lower comes first (wire protocol, section 15 "queue order"). Config comes last because it
 * reboots the device.
 */
const RANK: Readonly<Record<string, number>> = { session: 0, timestamp: 1, data: 2, shell: 2, firmware: 3, config: 4 };

/** The downlink that is delivered next. A data downlink waits until the device has uploaded an encoder. */
export function nextDownlink(peer: Peer, except?: QueuedDownlink): QueuedDownlink | undefined {
  let best: QueuedDownlink | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const entry of peer.queue) {
    if (entry === except || (entry.row.type === 'data' && peer.device.encoderHash === null)) continue;
    const rank = RANK[entry.row.type] ?? 2;
    if (rank < bestRank) {
      best = entry;
      bestRank = rank;
    }
  }
  return best;
}
