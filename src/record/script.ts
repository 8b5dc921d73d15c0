/**
 * What a replay is told: contacts and downlinks, and nothing of when these downlinks were delivered.
 *
 * A script leaves some downlinks open, to be predicted. It is made from a copy of the recording in which their deliveries are
 * struck out, so neither latency nor polls can be derived from them. Two things would still give them away, and do not: an
 * answer, or the restart for a new configuration, waits until the replay itself has delivered what caused it.
 */
import { type Millis, minutes } from '../kernel/time.js';
import { exchangesIn } from './exchanges.js';
import { byDevice } from './group.js';
import { pollsByTimer } from './polls.js';
import type { DownlinkType, RecordedDownlink, RecordedUplink, Recording, UplinkType } from './recording.js';

/** Which polls a script has: those that it can know without the downlinks that it leaves open, or all that took place. */
export const POLLS = ['foretold', 'recorded'] as const;
export type Polls = (typeof POLLS)[number];

export interface Script {
  readonly length: Millis;
  readonly devices: readonly ScriptDevice[];
  /** Oldest first. */
  readonly downlinks: readonly ScriptDownlink[];
  /** Numbers of the downlinks to predict: what made them `sent`, and when, is unknown to this script. */
  readonly open: ReadonlySet<number>;
}

export interface ScriptDevice {
  readonly device: string;
  /** Between a packet of its own and the next one, which the answer triggers. */
  readonly trip: Millis;
  /** In the order of their times. */
  readonly contacts: readonly Contact[];
}

export interface Contact {
  readonly at: Millis;
  readonly kind: UplinkType | 'poll';
  /** Number of the downlink that must have been delivered before; undefined: it comes by itself. */
  readonly cause: number | undefined;
  /** The start of a session goes on: what the cloud has waiting is asked for later. */
  readonly goesOn: boolean;
}

export interface ScriptDownlink {
  readonly n: number;
  readonly at: Millis;
  readonly device: string;
  readonly type: DownlinkType;
  readonly size: number;
  /** When a user cancelled it; null: nobody did. */
  readonly cancelled: Millis | null;
}

/** The next upload of a session's start comes sooner than this, and so does a session after a configuration. */
const START = minutes(1);
const RESTART = minutes(5);
const UPLOADS: ReadonlySet<UplinkType> = new Set(['decoder', 'encoder', 'config']);

/**
 * @param open numbers of the downlinks to predict
 * @param polls `recorded`: also those that only the delivery of an open downlink shows
 */
export function scriptOf(recording: Recording, open: ReadonlySet<number>, polls: Polls = 'foretold'): Script {
  const causes = causesIn(recording);
  const isEffect = ({ n }: RecordedUplink) => open.has(causes.get(n) ?? Number.NaN);
  const known: Recording = { ...recording, downlinks: recording.downlinks.map((d) => (open.has(d.n) ? struck(d) : d)) };
  const { trip, polls: seen } = exchangesIn({ ...known, uplinks: known.uplinks.filter((uplink) => !isEffect(uplink)) });
  const uplinks = byDevice(known.uplinks);
  const polled = pollsByTimer(known, polls === 'recorded' ? exchangesIn(recording).polls : seen, trip);
  const devices = known.devices.map(({ device }): ScriptDevice => {
    const own = uplinks.get(device) ?? [];
    const contacts = [
      ...own.map((uplink, i) => contactOf(uplink, own[i + 1], causes)),
      ...(polled.get(device) ?? []).map((at): Contact => ({ at, kind: 'poll', cause: undefined, goesOn: false })),
    ];
    return { device, trip: trip(device), contacts: contacts.sort((a, b) => a.at - b.at) };
  });
  const downlinks = known.downlinks.map(
    ({ n, at, device, type, size, state, ended }): ScriptDownlink => ({
      ...{ n, at, device, type, size },
      cancelled: state === 'cancelled' ? ended : null,
    }),
  );
  return { length: known.until - known.from, devices, downlinks, open };
}

/** As it was before anybody knew what would become of it. That a user cancelled it is no prediction. */
function struck(downlink: RecordedDownlink): RecordedDownlink {
  if (downlink.state === 'cancelled') return { ...downlink, attempts: 0 };
  return { ...downlink, state: 'pending', ended: null, attempts: 0, answer: null };
}

function contactOf(
  uplink: RecordedUplink,
  next: RecordedUplink | undefined,
  causes: ReadonlyMap<number, number>,
): Contact {
  const { at, type } = uplink;
  const isStart = type === 'session' || UPLOADS.has(type);
  const goesOn = isStart && next !== undefined && UPLOADS.has(next.type) && next.at - at < START;
  return { at, kind: type, cause: causes.get(uplink.n), goesOn };
}

/** By the number of an uplink, that of the downlink without which it would not have been sent. */
function causesIn({ uplinks, downlinks }: Recording): ReadonlyMap<number, number> {
  const causes = new Map<number, number>();
  const ofDevice = byDevice(uplinks);
  for (const { n, type, device, state, ended, answer } of downlinks) {
    if (answer !== null) causes.set(answer, n);
    if (type !== 'config' || state !== 'sent' || ended === null) continue;
    const own = ofDevice.get(device) ?? [];
    const first = own.findIndex(({ type, at }) => type === 'session' && at >= ended && at - ended < RESTART);
    if (first < 0) continue;
    for (let i = first; i < own.length; i++) {
      const uplink = own[i];
      if (uplink === undefined || (i > first && !UPLOADS.has(uplink.type))) break;
      if (!causes.has(uplink.n)) causes.set(uplink.n, n);
    }
  }
  return causes;
}
