/** Collects what is known about one device from its events. */
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import { dispatchTo } from '../trace/dispatch.js';
import { DownlinkLedger, type DownlinkRecord, isTracked } from '../trace/downlinks/ledger.js';
import type { TraceEvent } from '../trace/events.js';
import { type JudgedChance, judge } from './blockers.js';
import { type Chance, findChances } from './chances.js';
import {
  contains,
  FaultCalendar,
  type FaultWindow,
  type FleetPart,
  type IntervalChange,
  type IntervalSetting,
  type Intervals,
  type Situation,
  type SituationFault,
} from './situation.js';

/** The events of one device, and those of the run that concern all devices. */
export interface DeviceHistory {
  readonly serial: number;
  /** As they were recorded: events of another cloud, which are read from its API, come after later events of the device. */
  readonly events: readonly TraceEvent[];
  /** Whether the run is still in progress. Its events are then known up to the time of the last one. */
  readonly goesOn?: boolean;
}

/** What is known about the device of a downlink. */
export interface DeviceFacts {
  readonly chances: readonly JudgedChance[];
  readonly calendar: FaultCalendar;
  readonly part: FleetPart | undefined;
  /** When the sessions of the device were set up. */
  readonly ready: readonly Instant[];
  /** First power-up; undefined if the trace has none. */
  readonly firstBoot: Instant | undefined;
  /** Times in which a firmware update was scheduled, downloading or swapping. */
  readonly updates: readonly { readonly from: Instant; readonly until: Instant }[];
  /** All downlinks of users to the device, in the order of the queue. */
  readonly downlinks: readonly DownlinkRecord[];
  /** Ids of the downlinks that steps queued, by the step: `commands: info show 0`, numbered from 0 if there are equal ones. */
  readonly byStep: ReadonlyMap<string, string>;
  /** The intervals that a configuration sets, by the id of its downlink. */
  readonly settings: ReadonlyMap<string, Partial<Intervals>>;
  /** Time from which devices begin nothing new; the time of the last event if the trace does not contain the end of the run. */
  readonly closing: Instant;
  /** Time of the last event. */
  readonly lastAt: Instant;
  /** Whether the run is still in progress, so that missing events may still occur. */
  readonly goesOn: boolean;
}

export function collectFacts(
  { serial, events: recorded, goesOn = false }: DeviceHistory,
  situation: Situation,
): DeviceFacts {
  const ledger = new DownlinkLedger();
  const handlers = dispatchTo([ledger]);
  // In the order of the recording, as for the tables of the run, so that both have the same waits.
  for (const event of recorded) for (const handler of handlers.get(event.kind) ?? []) handler(event);
  const events = [...recorded].sort((a, b) => a.at - b.at);
  const chances = findChances(events);
  const downlinks = [...ledger.records];
  const calendar = new FaultCalendar(addRests(dropHarmless(situation.faults, chances), events), serial);
  const closing = events.find(({ kind }) => kind === 'world.closing')?.at ?? events.at(-1)?.at ?? 0;
  return {
    calendar,
    chances: judge(chances, calendar, goesOn ? closing : undefined),
    part: situation.fleet.find(({ serials }) => contains(serials, serial)),
    ready: events.filter(({ kind }) => kind === 'device.ready').map(({ at }) => at),
    firstBoot: findFirstBoot(events),
    updates: findUpdates(events),
    downlinks,
    byStep: matchSteps(events),
    settings: assignSettings(downlinks, situation.settings, serial),
    closing,
    lastAt: events.at(-1)?.at ?? 0,
    goesOn,
  };
}

/**
 * Removes the times in which a weak battery did no harm: at least one exchange succeeded, and no exchange was cut off by a
 * brown-out. Whether a weak battery fails depends on the temperature and the device.
 */
function dropHarmless(faults: readonly SituationFault[], chances: readonly Chance[]): readonly SituationFault[] {
  return faults.map((fault) => {
    if (fault.sign !== BROWN_OUT) return fault;
    const harms = ({ from, until }: FaultWindow) => {
      const within = chances.filter(
        (chance) => chance.at >= from && chance.until <= (until ?? Number.POSITIVE_INFINITY),
      );
      const worked = within.some(({ result }) => result === 'reached');
      return !worked || within.some(({ cutBy, booted }) => cutBy === BROWN_OUT || booted === BROWN_OUT);
    };
    return { ...fault, windows: fault.windows.filter(harms) };
  });
}

/** `sign` of a weak battery. It appears as the cause of a boot, not in `net.fault` events. */
const BROWN_OUT = 'brown-out';

/** The API accepts a downlink at most this long after its step. */
const ACCEPTED: Millis = seconds(10);

/**
 * Assigns the interval settings of steps to the queued configurations. The settings of steps with the same time are assigned in
 * the order in which the configurations were queued.
 */
function assignSettings(
  downlinks: readonly DownlinkRecord[],
  settings: readonly IntervalSetting[],
  serial: number,
): DeviceFacts['settings'] {
  const open = settings.filter(({ serials }) => contains(serials, serial));
  const found = new Map<string, Partial<Intervals>>();
  for (const { id, type, queuedAt } of downlinks) {
    const index = open.findIndex(({ at }) => at <= queuedAt && queuedAt - at <= ACCEPTED);
    const [setting] = type === 'config' && index >= 0 ? open.splice(index, 1) : [];
    if (setting !== undefined) found.set(id, setting);
  }
  return found;
}

/** The event of a step follows the downlink that the step queued for the device; a rejected step has an event only. */
function matchSteps(events: readonly TraceEvent[]): ReadonlyMap<string, string> {
  const byStep = new Map<string, string>();
  const counts = new Map<string, number>();
  let queued: string | undefined;
  for (const event of events) {
    if (event.kind === 'downlink.queued' && isTracked(event.type)) queued = event.downlink;
    if (event.kind !== 'step') continue;
    const count = counts.get(event.step) ?? 0;
    counts.set(event.step, count + 1);
    if (queued !== undefined) byStep.set(`${event.step} ${count}`, queued);
    queued = undefined;
  }
  return byStep;
}

/** A device that acts before its first known boot was on from the beginning: its history lacks the start. */
function findFirstBoot(events: readonly TraceEvent[]): Instant | undefined {
  const first = events.find(({ kind }) => kind === 'device.boot' || ACTS.has(kind));
  return first?.kind === 'device.boot' ? first.at : first && 0;
}

const ACTS: ReadonlySet<string> = new Set<TraceEvent['kind']>([
  'device.wake',
  'device.repeat',
  'uplink.made',
  'uplink.sent',
  'uplink.acked',
  'net.fault',
]);

function findUpdates(events: readonly TraceEvent[]): DeviceFacts['updates'] {
  const open = new Map<string, Instant>();
  const updates: { from: Instant; until: Instant }[] = [];
  for (const event of events) {
    if (event.kind !== 'update.moved') continue;
    const from = open.get(event.update);
    const runs = event.state === 'scheduled' || event.state === 'downloading' || event.state === 'swapping';
    if (runs && from === undefined) open.set(event.update, event.at);
    else if (!runs && from !== undefined) {
      updates.push({ from, until: event.at });
      open.delete(event.update);
    }
  }
  return [...updates, ...[...open.values()].map((from) => ({ from, until: Number.POSITIVE_INFINITY }))];
}

interface Rest {
  readonly at: Instant;
  readonly lasts: Millis;
}

/** A fault that makes the modem fail switches the modem off within this time. */
const AT_ONCE: Millis = seconds(1);

/**
 * Returns `faults` with one change: a fault that made the modem fail once (`disturbs`) blocks for as long as the modem was off.
 * @param events of one device, in order
 */
function addRests(faults: readonly SituationFault[], events: readonly TraceEvent[]): readonly SituationFault[] {
  const rests = events.flatMap((event): readonly Rest[] => (event.kind === 'radio.paused' ? [event] : []));
  return faults.map((fault): SituationFault => {
    if (fault.effect !== 'disturbs') return fault;
    const windows = fault.windows.flatMap(({ from }) => {
      const rest = rests.find(({ at }) => at >= from && at - from <= AT_ONCE);
      return rest === undefined ? [] : [{ from, until: rest.at + rest.lasts }];
    });
    return windows.length === 0 ? fault : { ...fault, effect: 'blocks', on: 'modem', windows };
  });
}

/** The intervals at the first boot, and those that configurations set in the trace or that the device reported, in order. */
function listIntervalChanges({ part, downlinks, settings }: DeviceFacts): readonly IntervalChange[] {
  const initial = { at: 0, reportEvery: part?.reportEvery ?? null, pollEvery: part === undefined ? 0 : part.pollEvery };
  const later = downlinks.flatMap(({ id, reached: { executed: at } }) => {
    const setting = settings.get(id);
    return setting === undefined || at === undefined ? [] : [{ ...setting, at }];
  });
  return [initial, ...[...later, ...(part?.reported ?? [])].sort((a, b) => a.at - b.at)];
}

/** The group of the device with the intervals at `at`; undefined if it is not known. */
export function findPart(facts: DeviceFacts, at: Instant): FleetPart | undefined {
  if (facts.part === undefined) return undefined;
  let part = facts.part;
  for (const { at: since, reportEvery, pollEvery } of listIntervalChanges(facts)) {
    if (since > at) break;
    part = {
      ...part,
      ...(reportEvery !== undefined && { reportEvery }),
      ...(pollEvery !== undefined && { pollEvery }),
    };
  }
  return part;
}
