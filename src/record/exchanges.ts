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
import { median } from './median.js';
import type { Poll } from './polls.js';
import type { RecordedDownlink, Recording } from './recording.js';

/**
 * A device's exchange goes on without longer pauses: a lost packet would cost it 10 s of its time (wire protocol, 5.2). What
 * the cloud and the network need is not less when the device's time passes faster.
 */
const LONGEST_PAUSE = seconds(10);
const LEAST_PAUSE = seconds(1);
/** Data in a downlink packet, in bytes (wire protocol, 2.1: base64), and what a message has beside its lines. */
const FRAGMENT = 360;
const HEAD = 24;
/** On networks of which nothing is known. */
const TYPICAL_TRIP: Millis = 300;

type History = Pick<Recording, 'uplinks' | 'downlinks' | 'speed'>;

export type Lead = 'uplink' | 'poll';

interface Exchanges {
  /** Time between a packet of the device's and its next one, which the answer triggers. */
  readonly trip: (device: string) => Millis;
  /** Deliveries that no uplink led to: the device must have polled, at that time. */
  readonly polls: readonly Poll[];
  /** What led to the exchange in which a downlink was delivered, by its number. */
  readonly ledBy: ReadonlyMap<number, Lead>;
}

/** Packets that a downlink is cut into. Data are encoded with integers for names, and answers to sessions are short. */
function fragmentsOf({ type, size }: Pick<RecordedDownlink, 'type' | 'size'>): number {
  return type === 'shell' || type === 'config' ? Math.max(1, Math.ceil((size + HEAD) / FRAGMENT)) : 1;
}

export function exchangesIn(recording: History): Exchanges {
  const longestPause = Math.max(LEAST_PAUSE, LONGEST_PAUSE / recording.speed);
  const trips: { readonly device: string; readonly trip: Millis }[] = [];
  const lonely: RecordedDownlink[] = [];
  const ledBy = new Map<number, Lead>();
  for (const { downlink, before } of deliveries(recording)) {
    const gap = before === undefined ? Number.POSITIVE_INFINITY : (downlink.ended ?? 0) - before.at;
    if (before === undefined || gap > longestPause || downlink.at > before.at) {
      lonely.push(downlink);
      ledBy.set(downlink.n, 'poll');
      continue;
    }
    ledBy.set(downlink.n, before.downlink === undefined ? 'uplink' : (ledBy.get(before.downlink.n) ?? 'uplink'));
    const packets = fragmentsOf(downlink) + (before.downlink === undefined ? 1 : 0);
    trips.push({ device: downlink.device, trip: gap / packets });
  }
  const middle = (some: readonly { readonly trip: Millis }[]) => median(some.map(({ trip }) => trip));
  const typical = middle(trips) ?? TYPICAL_TRIP;
  const own = new Map([...byDevice(trips)].map(([device, all]) => [device, middle(all)]));
  const trip = (device: string) => Math.max(1, Math.round(own.get(device) ?? typical));
  const polls = lonely.map((downlink) => ({
    device: downlink.device,
    at: Math.max(downlink.at, (downlink.ended ?? 0) - fragmentsOf(downlink) * trip(downlink.device)),
  }));
  return { trip, polls, ledBy };
}

interface Delivery {
  readonly downlink: RecordedDownlink;
  /** The sign of life that came last before it. */
  readonly before: Sign | undefined;
}

interface Sign {
  readonly device: string;
  readonly at: Millis;
  /** Undefined of an uplink. */
  readonly downlink?: RecordedDownlink;
}

function deliveries(recording: History): readonly Delivery[] {
  const signs: Sign[] = [
    ...recording.downlinks.flatMap((downlink) => {
      const { state, ended, device } = downlink;
      return state === 'sent' && ended !== null ? [{ device, at: ended, downlink }] : [];
    }),
    ...recording.uplinks,
  ];
  // The acknowledgement of a downlink and the answer to it may be stored in the same millisecond, in this order.
  signs.sort((a, b) => a.at - b.at);
  return [...byDevice(signs).values()].flatMap((own) =>
    own.flatMap(({ downlink }, i) => (downlink === undefined ? [] : [{ downlink, before: own[i - 1] }])),
  );
}
