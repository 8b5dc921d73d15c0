/**
 * What the history tells of exchanges that the API does not show: how long a packet and its answer take on a device's
 * network, and which downlinks came by a poll of their own.
 *
 * The cloud's time of an uplink is that of its storage, and `sent` is when the acknowledgement of the last fragment arrived
 * (cloud API gaps, 5.3). In between the device has polled once and acknowledged every fragment: one round trip each. A
 * downlink that follows another in the same exchange needs only those of its fragments, because the poll for it leaves
 * together with the last acknowledgement.
 */
import { type Millis, seconds } from '../kernel/time.js';
import { byDevice } from './group.js';
import type { RecordedDownlink, Recording } from './recording.js';

/** A device's exchange goes on without longer pauses: a lost packet would cost it 10 s (wire protocol, 5.2). */
const LONGEST_PAUSE = seconds(10);
/** Data in a downlink packet, in bytes (wire protocol, 2.1: base64), and what a message has beside its lines. */
const FRAGMENT = 360;
const HEAD = 24;
/** On networks of which nothing is known. */
const TYPICAL_TRIP: Millis = 300;

export interface Exchanges {
  /** Time between a packet of the device's and its next one, which the answer triggers. */
  readonly trip: (device: string) => Millis;
  /** Deliveries that no uplink led to: the device must have polled, at that time. */
  readonly polls: readonly { readonly device: string; readonly at: Millis }[];
}

/** Packets that a downlink is cut into. Data are encoded with integers for names, and answers to sessions are short. */
export function fragmentsOf({ type, size }: Pick<RecordedDownlink, 'type' | 'size'>): number {
  return type === 'shell' || type === 'config' ? Math.max(1, Math.ceil((size + HEAD) / FRAGMENT)) : 1;
}

export function exchangesIn(recording: Recording): Exchanges {
  const trips = new Map<string, Millis[]>();
  const lonely: RecordedDownlink[] = [];
  for (const { downlink, before } of deliveries(recording)) {
    const gap = before === undefined ? Number.POSITIVE_INFINITY : (downlink.ended ?? 0) - before.at;
    if (before === undefined || gap > LONGEST_PAUSE || downlink.at > before.at) {
      lonely.push(downlink);
      continue;
    }
    const packets = fragmentsOf(downlink) + (before.kind === 'uplink' ? 1 : 0);
    trips.set(downlink.device, [...(trips.get(downlink.device) ?? []), gap / packets]);
  }
  const typical = median([...trips.values()].flat()) ?? TYPICAL_TRIP;
  const middle = new Map([...trips].map(([device, all]) => [device, median(all) ?? typical]));
  const trip = (device: string) => Math.max(1, Math.round(middle.get(device) ?? typical));
  const polls = lonely.map((downlink) => ({
    device: downlink.device,
    at: Math.max(downlink.at, (downlink.ended ?? 0) - fragmentsOf(downlink) * trip(downlink.device)),
  }));
  return { trip, polls };
}

interface Delivery {
  readonly downlink: RecordedDownlink;
  /** The sign of life that came last before it. */
  readonly before: Sign | undefined;
}

interface Sign {
  readonly kind: 'uplink' | 'downlink';
  readonly at: Millis;
}

function deliveries(recording: Recording): readonly Delivery[] {
  const signs: (Sign & { readonly device: string; readonly downlink?: RecordedDownlink })[] = [
    ...recording.uplinks.map(({ device, at }) => ({ kind: 'uplink' as const, device, at })),
    ...recording.downlinks.flatMap((downlink) => {
      const { state, ended, device } = downlink;
      return state === 'sent' && ended !== null ? [{ kind: 'downlink' as const, device, at: ended, downlink }] : [];
    }),
  ];
  // The acknowledgement of a downlink and the answer to it may be stored in the same millisecond, in this order.
  signs.sort((a, b) => a.at - b.at || (a.kind === b.kind ? 0 : a.kind === 'downlink' ? -1 : 1));
  return [...byDevice(signs).values()].flatMap((own) =>
    own.flatMap(({ downlink }, i) => (downlink === undefined ? [] : [{ downlink, before: own[i - 1] }])),
  );
}

/** The middle one, the upper of two; undefined of none. */
export function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
