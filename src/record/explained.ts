/**
 * A recorded history in the form that explanations need. Messages show only the exchanges that succeeded. So if a device was
 * silent although a report was due, that counts as a fault without a name.
 */
import { Histories } from '../explain/histories.js';
import type { FleetPart, Situation, SituationFault } from '../explain/situation.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { UplinkType as TracedUplink, TraceEvent } from '../trace/events.js';
import { exchangesIn } from './exchanges.js';
import { byDevice } from './group.js';
import { median } from './median.js';
import type { RecordedDevice, RecordedDownlink, RecordedUplink, Recording } from './recording.js';

interface ExplainedRecording {
  readonly histories: Histories;
  readonly situation: Situation;
  /** Pseudonyms of the devices; devices are numbered from 1. */
  readonly names: Readonly<Record<string, string>>;
  /** What messages do not show. */
  readonly unknown: readonly string[];
  /** The downlinks of users. */
  readonly downlinks: readonly {
    readonly id: string;
    readonly serial: number;
    readonly took: Millis;
    readonly pending: boolean;
  }[];
}

/** A device is silent if a report is missing for this many intervals: one, with jitter and some repetitions. */
const SILENT = 1.5;
/** Most device types send a report up to this share of the interval earlier or later. */
const JITTER = 0.2;
const UNKNOWN_FAULT = { recovery: 'repeats', passes: 0, garbles: 0, delay: 0 } as const;
/** Reports needed for a typical interval. */
const ENOUGH = 3;

const UNKNOWN = [
  'A recording shows the messages that arrived: failed exchanges, the radio, and the names of faults cannot be known from it.',
];

export function recordedRun(recording: Recording): ExplainedRecording {
  const { devices, uplinks, downlinks, from, until } = recording;
  const length = until - from;
  const serials = new Map(devices.map(({ device }, index) => [device, index + 1]));
  const serialOf = (device: string) => serials.get(device) ?? 0;
  const histories = new Histories(() => true, Number.POSITIVE_INFINITY);
  const own = byDevice(uplinks);
  const storedAt = new Map(uplinks.map(({ n, at }) => [n, at]));
  const parts = devices.map((recorded) => {
    return partOf(recorded, serialOf(recorded.device), own.get(recorded.device) ?? [], recording.speed);
  });
  const silences = parts.flatMap((part, index) => silenceOf(part, own.get(devices[index]?.device ?? '') ?? [], length));
  const events = [
    ...uplinks.flatMap((uplink) => uplinkEvents(uplink, serialOf(uplink.device))),
    ...exchangesIn(recording).polls.map(
      ({ device, at }): TraceEvent => ({ kind: 'device.wake', at, serial: serialOf(device), why: 'poll' }),
    ),
    ...downlinks.flatMap((downlink) => downlinkEvents(downlink, serialOf(downlink.device), storedAt)),
    ...silences.flatMap(missingReports),
    { kind: 'world.closing', at: length } as const,
  ].sort((a, b) => a.at - b.at);
  for (const event of events) histories.take(event);
  return {
    histories,
    situation: { fleet: parts, faults: silences, settings: [] },
    names: Object.fromEntries([...serials].map(([device, serial]) => [String(serial), device])),
    unknown: UNKNOWN,
    downlinks: downlinks.flatMap(({ n, device, type, at, ended, state, answer }) => {
      if (!isUsers(type)) return [];
      const end = (answer === null ? undefined : storedAt.get(answer)) ?? ended;
      return [{ id: String(n), serial: serialOf(device), took: (end ?? length) - at, pending: state === 'pending' }];
    }),
  };
}

/** A report that was due and did not arrive: an exchange that failed. */
function missingReports({ serials, windows }: SituationFault): readonly TraceEvent[] {
  const [[serial] = [0]] = serials ?? [];
  return windows.map(({ from }) => ({ kind: 'device.wake', at: from, serial, why: 'report' }));
}

function isUsers(type: RecordedDownlink['type']): type is 'data' | 'shell' | 'config' | 'firmware' {
  return type === 'data' || type === 'shell' || type === 'config' || type === 'firmware';
}

/** A message that arrived: an exchange that worked out. */
function uplinkEvents({ n, at, type }: RecordedUplink, serial: number): readonly TraceEvent[] {
  const traced = TRACED[type];
  return [
    { kind: 'device.wake', at, serial, why: type === 'session' ? 'boot' : type === 'shell' ? 'answer' : 'report' },
    { kind: 'cloud.stored', at, serial, type: traced, message: String(n), copy: false },
    { kind: 'uplink.acked', at, serial, uplink: n, type: traced },
  ];
}

const TRACED: Readonly<Record<RecordedUplink['type'], TracedUplink>> = {
  ...{ session: 'session', data: 'data', config: 'config', decoder: 'codec', encoder: 'codec', shell: 'shell' },
  ...{ firmware: 'firmware', stats: 'stats', other: 'data' },
};

function downlinkEvents(
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

/** Intervals from the configuration messages of the device; without such messages, from the times of its reports. */
function partOf(
  { device, type, firmware }: RecordedDevice,
  serial: number,
  uplinks: readonly RecordedUplink[],
  speed: number,
): FleetPart {
  const configured = (key: 'reportEvery' | 'pollEvery') => {
    const found = uplinks.findLast((uplink) => uplink[key] !== null)?.[key];
    return found === null || found === undefined ? undefined : seconds(found) / speed;
  };
  return {
    ...{
      group: device,
      serials: [[serial, serial]],
      profile: type ?? 'unknown',
      firmware: firmware ?? 'unknown',
      encoder: true,
    },
    reportEvery: configured('reportEvery') ?? typicalInterval(uplinks) ?? null,
    jitter: JITTER,
    sendLimit: null,
    pollEvery: configured('pollEvery') ?? 0,
  };
}

function typicalInterval(uplinks: readonly RecordedUplink[]): Millis | undefined {
  const reports = uplinks.filter(({ type }) => type === 'data');
  if (reports.length < ENOUGH) return undefined;
  return median(reports.slice(1).map(({ at }, i) => at - (reports[i]?.at ?? at)));
}

/** Times in which a report was due and no message came. */
function silenceOf(
  { serials, reportEvery }: FleetPart,
  uplinks: readonly RecordedUplink[],
  length: Millis,
): readonly SituationFault[] {
  if (reportEvery === null || reportEvery === 0) return [];
  const windows = uplinks.flatMap(({ at }, i) => {
    const next = uplinks[i + 1]?.at ?? length;
    return next - at > reportEvery * SILENT ? [{ from: at + reportEvery, until: next }] : [];
  });
  if (windows.length === 0) return [];
  const name = 'silence of the device, although a report was due';
  return [{ name, what: name, whom: '', serials, effect: 'blocks', sign: null, windows, ...UNKNOWN_FAULT }];
}
