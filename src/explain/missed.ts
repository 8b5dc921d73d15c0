/**
 * Exchanges that the device counts as complete although the cloud does not: the last acknowledgement of a downlink was lost, or
 * the cloud acknowledged an upload without storing it (docs/FIDELITY.md, late acknowledgements).
 */
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import { DATAGRAM_SIGNS, type DeliveryEvidence, type TraceEvent } from '../trace/events.js';

/** What the cloud did not receive or did not store. */
export type Missed = 'acknowledgement' | 'upload';

/** An acknowledgement that a later packet overtakes arrives within this time. After that, it counts as lost. */
const OVERTAKEN: Millis = seconds(10);
/**
 * A device counts a downlink as received at most this long after its last acknowledgement: hio devices wait for the release of
 * the connection (timing T-42), so the cloud may know of the delivery first.
 */
const RELEASE: Millis = seconds(1);

/** Evidence of a delivery without the last acknowledgement. */
const GUESSED: ReadonlySet<DeliveryEvidence> = new Set(['next-packet', 'sequence-zero']);
const NEVER: Instant = Number.NEGATIVE_INFINITY;

/**
 * What the cloud lacks, by the time at which the device counted the exchange as complete.
 * @param events events of one device, in order
 */
export function findMissed(events: readonly TraceEvent[]): ReadonlyMap<Instant, Missed> {
  return new Map<Instant, Missed>([
    ...findLostAcknowledgements(events).map((at) => [at, 'acknowledgement'] as const),
    ...findUnstoredUploads(events).map((at) => [at, 'upload'] as const),
  ]);
}

function findLostAcknowledgements(events: readonly TraceEvent[]): readonly Instant[] {
  const lost: Instant[] = [];
  /** When the device received the latest downlink; undefined if the cloud knows of its delivery. */
  let received: Instant | undefined;
  /** When the cloud got the last acknowledgement of a downlink before the device counted that downlink as received. */
  let arrivedAt = NEVER;
  let destroyedAt = NEVER;
  const settle = (known: boolean, now: Instant) => {
    if (received === undefined || known) return;
    if (received - destroyedAt <= RELEASE || now - received > OVERTAKEN) lost.push(received);
  };
  for (const event of events) {
    if (isUplinkDestroyed(event)) destroyedAt = event.at;
    else if (event.kind === 'downlink.received') {
      settle(false, event.at);
      received = event.at - arrivedAt <= RELEASE ? undefined : event.at;
      arrivedAt = NEVER;
    } else if (event.kind === 'downlink.delivered') {
      const isKnown = !GUESSED.has(event.evidence);
      if (isKnown && received === undefined) arrivedAt = event.at;
      settle(isKnown, event.at);
      received = undefined;
    }
  }
  settle(false, events.at(-1)?.at ?? 0);
  return lost;
}

function findUnstoredUploads(events: readonly TraceEvent[]): readonly Instant[] {
  const acknowledged: Instant[] = [];
  let unstored = false;
  for (const event of events) {
    if (event.kind === 'cloud.unstored') unstored = true;
    else if (event.kind === 'uplink.acked') {
      if (unstored) acknowledged.push(event.at);
      unstored = false;
    }
  }
  return acknowledged;
}

function isUplinkDestroyed(event: TraceEvent): boolean {
  return event.kind === 'net.fault' && event.way === 'up' && DATAGRAM_SIGNS[event.fault] === 'destroys';
}
