/**
 * Exchanges that the device counts as complete although the cloud does not: the last acknowledgement of a downlink was lost, or the
 * cloud acknowledged an upload without storing it (docs/FIDELITY.md, late acknowledgements).
 */
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { TraceEvent } from '../trace/events.js';

/** What the cloud has not got. */
export type Missed = 'acknowledgement' | 'upload';

/** An acknowledgement that a later packet overtakes arrives within this time; a longer one was lost. */
const OVERTAKEN: Millis = seconds(10);
/** Faults in `net.fault` events that destroy a datagram. */
const DESTROYING: ReadonlySet<string> = new Set(['outage', 'loss', 'corruption', 'weak-signal']);

/** By the time at which the device counted the exchange as complete. @param events events of one device, in order */
export function missedBy(events: Iterable<TraceEvent>): ReadonlyMap<Instant, Missed> {
  const missed = new Map<Instant, Missed>();
  /** When the device received the downlink whose delivery the cloud does not know yet. */
  let received: Instant | undefined;
  let destroyedAt: Instant | undefined;
  let unstored = false;
  let now: Instant = 0;
  const settle = (known: boolean) => {
    if (received !== undefined && !known && (destroyedAt === received || now - received > OVERTAKEN))
      missed.set(received, 'acknowledgement');
    received = undefined;
  };
  for (const event of events) {
    now = event.at;
    if (event.kind === 'net.fault' && event.way === 'up' && DESTROYING.has(event.fault)) destroyedAt = event.at;
    else if (event.kind === 'downlink.received') {
      settle(false);
      received = event.at;
    } else if (event.kind === 'downlink.delivered')
      settle(event.evidence !== 'next-packet' && event.evidence !== 'sequence-zero');
    else if (event.kind === 'cloud.unstored') unstored = true;
    else if (event.kind === 'uplink.acked') {
      if (unstored) missed.set(event.at, 'upload');
      unstored = false;
    }
  }
  settle(false);
  return missed;
}
