/**
 * The input of a replay: contacts of devices and downlinks, without the deliveries of the downlinks to predict.
 *
 * The downlinks to predict are called open. Their deliveries are removed from the recording first, so that neither round trip
 * times nor polls are derived from them. An answer, or the restart after a new configuration, would also reveal a delivery. So
 * the replay includes these uplinks only after it has itself delivered the downlink that caused them.
 */
import { bisect } from '../kernel/bisect.js';
import { type Millis, minutes } from '../kernel/time.js';
import { findExchanges, findLongestPause } from './exchanges.js';
import { groupByDevice } from './group.js';
import { findPolls, WAKE } from './polls.js';
import type { DownlinkType, RecordedDownlink, RecordedUplink, Recording, UplinkType } from './recording.js';

/** Polls of a script. `foretold`: those that are known without the deliveries of open downlinks; `recorded`: all. */
export const POLLS = ['foretold', 'recorded'] as const;
export type Polls = (typeof POLLS)[number];

export interface Script {
  readonly length: Millis;
  readonly devices: readonly ScriptDevice[];
  /** Oldest first. */
  readonly downlinks: readonly ScriptDownlink[];
  /** Numbers of the downlinks to predict; the script does not contain their deliveries. */
  readonly open: ReadonlySet<number>;
}

export interface ScriptDevice {
  readonly device: string;
  /** Time from a packet of the device to its next packet, which follows the answer. */
  readonly trip: Millis;
  /** Time from a failed poll to its repetition. Until then, the device ignores ticks and poll flags (timing T-20). */
  readonly retry: Millis;
  /** In chronological order. */
  readonly contacts: readonly Contact[];
}

export interface Contact {
  readonly at: Millis;
  readonly kind: UplinkType | 'poll';
  /** Number of the downlink that caused the contact, and must be delivered before it; undefined if no downlink caused it. */
  readonly cause: number | undefined;
  /** Whether more uploads follow: those of a session start, or stored reports. The device polls after the last one. */
  readonly moreUploads: boolean;
  /** Whether the device ignores the poll flag in the acknowledgement, because it waits for the retry of a failed poll. */
  readonly deaf: boolean;
}

export interface ScriptDownlink {
  readonly n: number;
  readonly at: Millis;
  readonly device: string;
  readonly type: DownlinkType;
  readonly size: number;
  /** When a user cancelled the downlink; null if it was not cancelled. */
  readonly cancelled: Millis | null;
  /** Whether a line of this configuration fails: the device then does not restart, and its poll counts as failed. */
  readonly fails: boolean;
}

/** Maximum time to the next upload of a session start. */
const START = minutes(1);
/** Maximum time from a configuration downlink to the session after the restart. */
const RESTART = minutes(5);
/** Retry of a failed poll (timing T-20). */
const RETRY = minutes(5);
const UPLOADS: ReadonlySet<UplinkType> = new Set(['decoder', 'encoder', 'config']);

/**
 * The script of one replay.
 * @param open numbers of the downlinks to predict
 * @param polls `recorded` includes polls that are known only from the delivery of an open downlink. Default: `foretold`
 * @param spooling device types that send stored reports directly after a new one, before they poll. Default: none
 */
export function makeScript(
  recording: Recording,
  open: ReadonlySet<number>,
  polls: Polls = 'foretold',
  spooling: ReadonlySet<string> = new Set(),
): Script {
  const causes = findCauses(recording);
  const failed = findFailed(recording, causes);
  const isEffect = ({ n }: RecordedUplink) => open.has(causes.get(n) ?? Number.NaN);
  const known: Recording = {
    ...recording,
    downlinks: recording.downlinks.map((d) => (open.has(d.n) ? dropDelivery(d) : d)),
  };
  const { trip, polls: seen } = findExchanges({
    ...known,
    uplinks: known.uplinks.filter((uplink) => !isEffect(uplink)),
  });
  const uplinks = groupByDevice(known.uplinks);
  const polled = findPolls(known, polls === 'recorded' ? findExchanges(recording).polls : seen, trip);
  const pause = findLongestPause(known.speed);
  const downlinksOf = groupByDevice(known.downlinks);
  const devices = known.devices.map(({ device, type }): ScriptDevice => {
    const own = uplinks.get(device) ?? [];
    const drain = type !== null && spooling.has(type) ? pause : 0;
    const isDeaf = deafness(downlinksOf.get(device) ?? [], pause);
    const contacts = [
      ...own.map((uplink, i) => ({
        ...makeContact(uplink, own[i + 1], drain),
        cause: causes.get(uplink.n),
        deaf: uplink.type === 'data' && isDeaf(uplink.at),
      })),
      ...(polled.get(device) ?? []).map((at): Contact => ({ at, kind: 'poll', ...UNCAUSED })),
    ];
    const retry = Math.round((RETRY + WAKE) / known.speed);
    return { device, trip: trip(device), retry, contacts: contacts.sort((a, b) => a.at - b.at) };
  });
  const downlinks = known.downlinks.map(
    ({ n, at, device, type, size, state, ended }): ScriptDownlink => ({
      n,
      at,
      device,
      type,
      size,
      cancelled: state === 'cancelled' ? ended : null,
      fails: failed.has(n),
    }),
  );
  return { length: known.until - known.from, devices, downlinks, open };
}

/** The downlink as it was when it was queued. A cancellation by a user stays, because it is not predicted. */
function dropDelivery(downlink: RecordedDownlink): RecordedDownlink {
  if (downlink.state === 'cancelled') return { ...downlink, attempts: 0 };
  return { ...downlink, state: 'pending', ended: null, attempts: 0, answer: null };
}

const UNCAUSED = { cause: undefined, moreUploads: false, deaf: false };

/** @param drain maximum time from a report to the stored report after it; 0: the device has no spool */
function makeContact(
  { at, type }: RecordedUplink,
  next: RecordedUplink | undefined,
  drain: Millis,
): Pick<Contact, 'at' | 'kind' | 'moreUploads'> {
  const isStart = type === 'session' || UPLOADS.has(type);
  const gap = next === undefined ? Number.POSITIVE_INFINITY : next.at - at;
  const moreUploads = isStart
    ? next !== undefined && UPLOADS.has(next.type) && gap < START
    : type === 'data' && next?.type === 'data' && gap < drain;
  return { at, kind: type, moreUploads };
}

/** For reports of a device: whether it ignored the poll flag. A command waited, but nothing was delivered within `pause`. */
function deafness(downlinks: readonly RecordedDownlink[], pause: Millis): (at: Millis) => boolean {
  const sent = downlinks.flatMap(({ state, ended, type, at, scheduled }) => {
    if (state !== 'sent' || ended === null) return [];
    return [{ ended, waiting: type === 'shell' ? (scheduled ?? at) : Number.POSITIVE_INFINITY }];
  });
  sent.sort((a, b) => a.ended - b.ended);
  // Since when a command waited that was delivered as this downlink, or later.
  for (let i = sent.length - 2; i >= 0; i--) {
    const [own, next] = [sent[i], sent[i + 1]];
    if (own !== undefined && next !== undefined) own.waiting = Math.min(own.waiting, next.waiting);
  }
  return (at) => {
    const next = sent[firstFrom(at, sent, ({ ended }) => ended)];
    return next !== undefined && next.ended > at + pause && next.waiting < at;
  };
}

/** Index of the first item at this time or later; the items are in the order of their times. */
function firstFrom<T>(time: Millis, items: readonly T[], timeOf: (item: T) => Millis): number {
  return bisect(items.length, (index) => timeOf(items[index] as T) >= time);
}

/** Delivered configurations after which the device neither restarted nor received another downlink before the retry. */
function findFailed({ downlinks, from, until }: Recording, causes: ReadonlyMap<number, number>): ReadonlySet<number> {
  const restarted = new Set(causes.values());
  const ends = downlinks.flatMap(({ device, ended }) => (ended === null ? [] : [{ device, ended }]));
  const endsOf = groupByDevice(ends.sort((a, b) => a.ended - b.ended));
  const failed = downlinks.filter(({ n, device, type, state, ended }) => {
    if (type !== 'config' || state !== 'sent' || ended === null || restarted.has(n)) return false;
    if (ended + RESTART > until - from) return false;
    const own = endsOf.get(device) ?? [];
    const next = own[firstFrom(ended + 1, own, (end) => end.ended)];
    return next === undefined || next.ended >= ended + RETRY;
  });
  return new Set(failed.map(({ n }) => n));
}

/** For uplinks that a downlink caused: the number of the downlink, by the number of the uplink. */
function findCauses({ uplinks, downlinks }: Recording): ReadonlyMap<number, number> {
  const causes = new Map<number, number>();
  const starts = new Map([...groupByDevice(uplinks)].map(([device, own]) => [device, listStarts(own)] as const));
  for (const { n, type, device, state, ended, answer } of downlinks) {
    if (answer !== null) causes.set(answer, n);
    if (type !== 'config' || state !== 'sent' || ended === null) continue;
    const own = starts.get(device) ?? [];
    const start = own[firstFrom(ended, own, ({ at }) => at)];
    if (start === undefined || start.at - ended >= RESTART) continue;
    for (const uplink of start.uplinks.splice(0)) {
      if (!causes.has(uplink)) causes.set(uplink, n);
    }
  }
  return causes;
}

interface Start {
  readonly at: Millis;
  /** Numbers of the uplinks of the session start. {@link findCauses} takes them out when it has found their cause. */
  readonly uplinks: number[];
}

/** The session starts of a device, in the order of their times. */
function listStarts(own: readonly RecordedUplink[]): readonly Start[] {
  const starts: Start[] = [];
  let last: Start | undefined;
  for (const { n, at, type } of own) {
    if (type === 'session') {
      last = { at, uplinks: [n] };
      starts.push(last);
    } else if (UPLOADS.has(type)) last?.uplinks.push(n);
    else last = undefined;
  }
  return starts.sort((a, b) => a.at - b.at);
}
