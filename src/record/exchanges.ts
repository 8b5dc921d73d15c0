/**
 * Derives two facts from the history: the round trip time on the network of a device, and the polls that fetched downlinks. The
 * API shows neither.
 *
 * The time of an uplink is the time at which the cloud stored it. The time of the state `sent` is the arrival of the last
 * acknowledgement (wire W-18). In between, the device polled once and acknowledged each fragment: one round trip each. A
 * downlink that follows another one in the same exchange takes only the round trips of its fragments, because the device asks
 * for it together with the last acknowledgement.
 */
import { type Millis, seconds } from '../kernel/time.js';
import { groupByDevice } from './group.js';
import { findMedian } from './median.js';
import type { Poll } from './polls.js';
import { ANSWERS, type RecordedDownlink, type Recording } from './recording.js';

/**
 * Maximum pause within an exchange: a lost packet costs 10 s of the time of the device (timing T-36). In a run with a higher
 * `--speed`, these 10 s are shorter, but cloud and network still take real time, so the pause has a minimum.
 */
const LONGEST_PAUSE = seconds(10);
const LEAST_PAUSE = seconds(1);
/** Bytes of data in a downlink packet (wire W-4), and bytes of a message besides its lines. */
const FRAGMENT = 360;
const HEAD = 24;
/**
 * Round trip time when no delivery shows it: the modem's check of the connection after each datagram (timing T-43), in the time of
 * the device, and the network, in real time.
 */
const CHECK = seconds(1);
const NETWORK: Millis = 300;

type History = Pick<Recording, 'uplinks' | 'downlinks' | 'speed'>;

/** What led to an exchange: an uplink of the device, or a poll. */
export type Lead = 'uplink' | 'poll';

interface Exchanges {
  /** Round trip time of a device: the time from one packet to the next one, which the device sends when it has the answer. */
  readonly trip: (device: string) => Millis;
  /** Polls that fetched a delivered downlink without an uplink before them. */
  readonly polls: readonly Poll[];
  /** What led to each delivery, by the number of the downlink. */
  readonly ledBy: ReadonlyMap<number, Lead>;
}

/** Number of fragments of a downlink. Data are encoded with integer keys, and session answers are short: one fragment. */
function countFragments({ type, size }: Pick<RecordedDownlink, 'type' | 'size'>): number {
  return type === 'shell' || type === 'config' ? Math.max(1, Math.ceil((size + HEAD) / FRAGMENT)) : 1;
}

/** Maximum pause within an exchange at this speed of the devices. */
export function findLongestPause(speed: number): Millis {
  return Math.max(LEAST_PAUSE, LONGEST_PAUSE / speed);
}

export function findExchanges(recording: History): Exchanges {
  const pause = findLongestPause(recording.speed);
  const trips: { readonly device: string; readonly trip: Millis }[] = [];
  const lonely: RecordedDownlink[] = [];
  const ledBy = new Map<number, Lead>();
  for (const { downlink, before } of listDeliveries(recording)) {
    const gap = before === undefined ? Number.POSITIVE_INFINITY : (downlink.ended ?? 0) - before.at;
    const isLate = before !== undefined && downlink.at > before.at && !ANSWERS.has(downlink.type);
    if (before === undefined || gap > pause || isLate) {
      lonely.push(downlink);
      ledBy.set(downlink.n, 'poll');
      continue;
    }
    ledBy.set(downlink.n, before.downlink === undefined ? 'uplink' : (ledBy.get(before.downlink.n) ?? 'uplink'));
    const packets = countFragments(downlink) + (before.downlink === undefined ? 1 : 0);
    trips.push({ device: downlink.device, trip: gap / packets });
  }
  const middle = (some: readonly { readonly trip: Millis }[]) => findMedian(some.map(({ trip }) => trip));
  const typical = middle(trips) ?? CHECK / recording.speed + NETWORK;
  const own = new Map([...groupByDevice(trips)].map(([device, all]) => [device, middle(all)]));
  const trip = (device: string) => Math.max(1, Math.round(own.get(device) ?? typical));
  const polls = lonely.map((downlink) => ({
    device: downlink.device,
    at: Math.max(downlink.at, (downlink.ended ?? 0) - countFragments(downlink) * trip(downlink.device)),
  }));
  return { trip, polls, ledBy };
}

interface Delivery {
  readonly downlink: RecordedDownlink;
  /** The last activity of the device before the delivery; undefined if there is none. */
  readonly before: Activity | undefined;
}

interface Activity {
  readonly device: string;
  readonly at: Millis;
  /** undefined for an uplink. */
  readonly downlink?: RecordedDownlink;
}

function listDeliveries(recording: History): readonly Delivery[] {
  const activities: Activity[] = [
    ...recording.downlinks.flatMap((downlink) => {
      const { state, ended, device } = downlink;
      return state === 'sent' && ended !== null ? [{ device, at: ended, downlink }] : [];
    }),
    ...recording.uplinks,
  ];
  // A delivery comes before an uplink of the same millisecond: the answer follows the acknowledgement.
  activities.sort((a, b) => a.at - b.at);
  return [...groupByDevice(activities).values()].flatMap((own) =>
    own.flatMap(({ downlink }, i) => (downlink === undefined ? [] : [{ downlink, before: own[i - 1] }])),
  );
}
