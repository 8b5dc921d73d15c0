/** A recorded history for explanations. Messages show only successes: silence when a report was due counts as a fault. */
import { Histories } from '../explain/histories.js';
import type { Slowness } from '../explain/outcome.js';
import type { FleetPart, Situation } from '../explain/situation.js';
import type { Instant, Millis } from '../kernel/time.js';
import { expectsAnswer } from '../trace/downlinks/ledger.js';
import {
  type ContactReason,
  type UplinkType as TracedUplink,
  type TraceEvent,
  UPLINK_OF_MESSAGE,
} from '../trace/events.js';
import { findExchanges, findLongestPause } from './exchanges.js';
import { groupByDevice } from './group.js';
import { convertToDeviceTime } from './pace.js';
import type { Poll } from './polls.js';
import type { RecordedDevice, RecordedDownlink, RecordedUplink, Recording } from './recording.js';
import { findIntervals, findMissingPolls, findSilence, type RecordedIntervals, type RecordedWait } from './silences.js';

interface ExplainedRecording {
  readonly histories: Histories;
  readonly situation: Situation;
  /** Pseudonyms of the devices; devices are numbered from 1. */
  readonly names: Readonly<Record<string, string>>;
  /** Sentences about facts that messages do not show. */
  readonly unknown: readonly string[];
  readonly downlinks: readonly (Slowness & {
    readonly serial: number;
    /** Delivered, and answered if devices answer downlinks of its type. */
    readonly complete: boolean;
  })[];
}

const UNKNOWN = [
  'A recording shows the messages that arrived: failed exchanges, the radio, and the names of faults cannot be known from it.',
];

/** All times are those of the devices, which pass faster than real time if the recorded run had a speed. */
export function makeRecordedRun(recording: Recording): ExplainedRecording {
  const { devices, uplinks, downlinks, from, until } = convertToDeviceTime(recording);
  const length = until - from;
  const serials = new Map(devices.map(({ device }, index) => [device, index + 1]));
  const serialOf = (device: string) => serials.get(device) ?? 0;
  const storedAt = new Map(uplinks.map(({ n, at }) => [n, at]));
  const [own, downlinksOf] = [groupByDevice(uplinks), groupByDevice(downlinks)];
  // Exchanges are found in real time: a pause in an exchange may be due to the cloud or the network, which are not faster.
  const polls = findExchanges(recording).polls.map((poll) => ({ ...poll, at: Math.round(poll.at * recording.speed) }));
  const signs = groupByDevice<Sign>([...uplinks, ...polls].sort((a, b) => a.at - b.at));
  const following = findFollowing(signs, findLongestPause(recording.speed) * recording.speed);
  const known = devices.map((device) => ({ device, intervals: findIntervals(own.get(device.device) ?? []) }));
  const silences = known.flatMap(({ device: { device }, intervals }) => {
    const times = signs.get(device)?.map(({ at }) => at) ?? [];
    const serial = serialOf(device);
    const waits = listWaits(own.get(device) ?? [], downlinksOf.get(device) ?? [], length);
    return [
      findSilence(serial, times, intervals, length) ?? [],
      findMissingPolls(serial, times, intervals, { length, waits }) ?? [],
    ].flat();
  });
  const events = [
    ...uplinks.flatMap((uplink) => makeUplinkEvents(uplink, serialOf(uplink.device), following.has(uplink.n))),
    ...polls.map(({ device, at }): TraceEvent => ({ kind: 'device.wake', at, serial: serialOf(device), why: 'poll' })),
    ...downlinks.flatMap((downlink) => makeDownlinkEvents(downlink, serialOf(downlink.device), storedAt)),
    ...silences.flatMap(({ missing }) => missing),
    { kind: 'world.closing', at: length } as const,
  ].sort((a, b) => a.at - b.at);
  const histories = new Histories(() => true, Number.POSITIVE_INFINITY);
  for (const event of events) histories.take(event);
  return {
    histories,
    situation: {
      // A device that sent nothing is left out, because its type is unknown.
      fleet: known.flatMap(({ device, intervals }) =>
        signs.has(device.device) ? [makePart(device, serialOf(device.device), intervals)] : [],
      ),
      faults: silences.map(({ fault }) => fault),
      settings: [],
    },
    names: Object.fromEntries([...serials].map(([device, serial]) => [String(serial), device])),
    unknown: UNKNOWN,
    downlinks: downlinks.flatMap(({ n, device, type, at, ended, state, answer }) => {
      if (!isUsers(type)) return [];
      const end = (answer === null ? undefined : storedAt.get(answer)) ?? ended;
      const complete = state === 'sent' && (answer !== null || !expectsAnswer(type));
      return [{ id: String(n), serial: serialOf(device), queuedAt: at, took: (end ?? length) - at, complete }];
    }),
  };
}

function isUsers(type: RecordedDownlink['type']): type is 'data' | 'shell' | 'config' | 'firmware' {
  return type === 'data' || type === 'shell' || type === 'config' || type === 'firmware';
}

/** When downlinks waited that a poll fetches. The cloud holds data back until it has the encoder of the device. */
function listWaits(
  own: readonly RecordedUplink[],
  downlinks: readonly RecordedDownlink[],
  length: Millis,
): readonly RecordedWait[] {
  const encoder = own.find(({ type }) => type === 'encoder')?.at ?? Number.POSITIVE_INFINITY;
  return downlinks.flatMap(({ type, at, scheduled, ended }) => {
    if (!isUsers(type) || type === 'firmware') return [];
    const from = Math.max(at, scheduled ?? at, type === 'data' ? encoder : 0);
    return [{ from, until: ended ?? length }];
  });
}

/** What shows that a device was in contact with the cloud: an uplink, or a poll. */
type Sign = RecordedUplink | Poll;

/**
 * Numbers of the uplinks before which the device did not sleep: they follow another uplink within the pause of an exchange, or
 * belong to a session phase, which has no time limit (timing T-9).
 * @param pause in the time of the devices
 */
function findFollowing(signs: ReadonlyMap<string, readonly Sign[]>, pause: Millis): ReadonlySet<number> {
  const following = new Set<number>();
  for (const own of signs.values()) {
    for (const [i, sign] of own.entries()) {
      const before = own[i - 1];
      if (before === undefined || !('n' in sign && 'n' in before)) continue;
      const isNear = sign.at - before.at <= pause;
      // The configuration is the last upload of the phase.
      const inSession = before.type in START && before.type !== 'config';
      // A session after anything else is that of a restart.
      if (sign.type === 'session' ? inSession && isNear : isNear || (inSession && sign.type in START))
        following.add(sign.n);
    }
  }
  return following;
}

/** A message that arrived: a successful exchange. @param follows whether an exchange goes on; otherwise the radio wakes */
function makeUplinkEvents({ n, at, type }: RecordedUplink, serial: number, follows: boolean): readonly TraceEvent[] {
  const traced = TRACED[type];
  return [
    follows
      ? { kind: 'uplink.sent', at, serial, uplink: n, type: traced }
      : { kind: 'device.wake', at, serial, why: REASONS[type] },
    { kind: 'cloud.stored', at, serial, type: traced, message: String(n), copy: false },
    { kind: 'uplink.acked', at, serial, uplink: n, type: traced },
  ];
}

/** Uplinks that devices send after a start. */
const START = { session: 'boot', config: 'boot', decoder: 'boot', encoder: 'boot' } as const;
const REASONS: Readonly<Record<RecordedUplink['type'], ContactReason>> = {
  ...START,
  data: 'report',
  shell: 'answer',
  firmware: 'report',
  stats: 'report',
  other: 'report',
};

const TRACED: Readonly<Record<RecordedUplink['type'], TracedUplink>> = { ...UPLINK_OF_MESSAGE, other: 'data' };

function makeDownlinkEvents(
  { n, at, type, state, ended, answer }: RecordedDownlink,
  serial: number,
  storedAt: ReadonlyMap<number, Instant>,
): readonly TraceEvent[] {
  if (!isUsers(type)) return [];
  const downlink = String(n);
  const events: TraceEvent[] = [{ kind: 'downlink.queued', at, serial, downlink, type }];
  if (state === 'sent' && ended !== null) {
    events.push({ kind: 'downlink.delivered', at: ended, serial, downlink, evidence: 'final-ack' });
  } else if ((state === 'cancelled' || state === 'expired') && ended !== null) {
    events.push({ kind: `downlink.${state}`, at: ended, serial, downlink });
  }
  const answered = answer === null ? undefined : storedAt.get(answer);
  if (answered !== undefined) events.push({ kind: 'downlink.answered', at: answered, serial, downlink });
  return events;
}

function makePart({ device, type, firmware }: RecordedDevice, serial: number, intervals: RecordedIntervals): FleetPart {
  const { reportEvery, pollEvery, reported } = intervals;
  return {
    group: device,
    serials: [[serial, serial]],
    profile: type ?? 'unknown',
    firmware: firmware ?? 'unknown',
    // A recording does not show the family of the firmware; most devices belong to `chester`.
    reportEvery,
    pollEvery,
    reported,
    encoder: true,
    family: 'chester',
  };
}
