/**
 * The journey of a downlink: its stops from the queue to the answer, where it is now, and what it waits for. Pure functions.
 * In a run, the run knows all stops and causes; without one, the cloud knows what its timeline has.
 */
import type { Message, TimelineEntry } from '../../../src/client/types.js';
import type { DownlinkWaits } from '../../../src/control/run-state.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { type Wait, waitsIn } from './causes.js';
import type { Downlink } from './downlinks.js';
import { lengthText } from './length.js';
import type { Contacts } from './story.js';

/** What is known about the way of a downlink. */
export interface Journey {
  readonly waits: readonly Wait[];
  /** What a pending downlink waits for now, in the words of explanations; undefined if that is not known (yet). */
  readonly now: string | undefined;
  /** Times since it was queued, in ms. `delivered`: the cloud counts it as received. */
  readonly stages: Readonly<Partial<Record<'offered' | 'received' | 'delivered' | 'executed' | 'answered', number>>>;
  /** Whether the stops `received` and `executed` are those of the device itself, which only a run knows. */
  readonly isOfRun: boolean;
}

export function journeyOfRun({ waits, now, stages_ms }: DownlinkWaits): Journey {
  return {
    waits: waits.map(({ what, time_ms }) => ({ what: printableLine(what), time: time_ms })),
    now: now === null ? undefined : printableLine(now),
    stages: stages_ms,
    isOfRun: true,
  };
}

/** @param others downlinks of the space */
export function journeyOfCloud(
  message: Message,
  entries: readonly TimelineEntry[],
  others: readonly Message[],
): Journey {
  const after = (what: string) => {
    const found = entries.find((entry) => entry.what === what);
    return found && sinceQueued(message, found.at);
  };
  const stages = defined({ offered: after('offered'), delivered: after('sent'), answered: after('answered') });
  return { waits: waitsIn(message, entries, others), now: undefined, stages, isOfRun: false };
}

/** Types of downlinks that users queue. Devices cause the others by their start. */
const USER_TYPES: readonly string[] = ['config', 'shell', 'data'];

export const STOPS = ['queued', 'waiting', 'offered', 'received', 'executed', 'answered'] as const;
export type StopName = (typeof STOPS)[number];

interface Stop {
  readonly name: StopName;
  readonly state: 'passed' | 'here' | 'ahead';
  /** Time since the downlink was queued, in ms; undefined if it is not known, or lies ahead. */
  readonly at: number | undefined;
}

/** A downlink on its way, for display. */
export interface Lane {
  readonly message: Message;
  readonly stops: readonly Stop[];
  /** Heading of the lanes with the same cause. */
  readonly group: string;
  /** Where it is, in words. */
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'late' | 'bad';
  readonly isOver: boolean;
}

const GROUP_OVER = 'Arrived or ended';
export const GROUP_RECEIVED = 'Received, not answered yet';
export const GROUP_UNKNOWN = 'The cause is not computed yet';

interface Around {
  /** Number of pending downlinks of the device before this one. */
  readonly ahead: number;
  /** Undefined if the device is not known (yet). */
  readonly contacts: Contacts | undefined;
  /** Whether there is a run, which computes the causes. */
  readonly isRun: boolean;
  /** Unix time in ms. */
  readonly now: number;
}

/** What the lanes of all downlinks share. */
interface Surroundings extends Pick<Around, 'isRun' | 'now'> {
  readonly contactsOf: (deviceId: string) => Contacts | undefined;
}

/** The lanes of the downlinks that users queued, and of parts of firmware updates, oldest first. */
export function lanesOf(
  downlinks: readonly Downlink[],
  journeys: ReadonlyMap<string, Journey>,
  { isRun, now, contactsOf }: Surroundings,
): readonly Lane[] {
  const pending = new Map<string, number>();
  return downlinks
    .filter(
      ({ message: { type, down_state } }) =>
        USER_TYPES.includes(type) || (type === 'firmware' && down_state === 'pending'),
    )
    .sort((a, b) => (a.message.id < b.message.id ? -1 : 1))
    .map((downlink) => {
      const { id, device_id, down_state } = downlink.message;
      const ahead = pending.get(device_id) ?? 0;
      if (down_state === 'pending') pending.set(device_id, ahead + 1);
      return laneOf(downlink, journeys.get(id), { ahead, contacts: contactsOf(device_id), isRun, now });
    });
}

/** A device that has received a downlink executes and answers it within this time, unless something prevents it. In ms. */
const PATIENCE = 600_000;

function laneOf(downlink: Downlink, journey: Journey | undefined, around: Around): Lane {
  const { message } = downlink;
  const isWatched = journey?.isOfRun ?? around.isRun;
  const stages = stagesOf(downlink, journey, isWatched);
  const isAnswerable = message.type === 'shell' || message.type === 'config';
  // Only a run sees what the device does with a downlink.
  const names = STOPS.filter((name) => (name === 'executed' ? isWatched : name !== 'answered' || isAnswerable));
  const place = names.findLastIndex((name) => stages[name] !== undefined);
  const age = Math.max(0, around.now - Date.parse(message.created_at));
  const { group, text, tone } = describe(downlink, journey, {
    ...around,
    stages,
    age,
    isLast: place === names.length - 1,
  });
  const isOver = group === GROUP_OVER;
  const stops = names.map((name, n): Stop => {
    return {
      name,
      state: n > place ? 'ahead' : n === place && !isOver ? 'here' : 'passed',
      at: stages[name] ?? undefined,
    };
  });
  return { message, stops, group, text, tone, isOver };
}

/** Times by stop; null if the downlink has passed the stop at an unknown time. */
type Stages = Readonly<Partial<Record<StopName, number | null>>>;

function stagesOf({ message, station }: Downlink, journey: Journey | undefined, isWatched: boolean): Stages {
  const { down_state, down_attempt } = message;
  const { offered, received, delivered, executed, answered } = journey?.stages ?? {};
  const sent = down_state === 'sent' ? (delivered ?? endOf(message)) : undefined;
  // Until the run has seen the delivery, a downlink that the cloud has delivered counts as received.
  const arrived = received ?? (isWatched && delivered !== undefined ? undefined : sent);
  return defined({
    ...{ queued: 0, waiting: 0 },
    offered: offered ?? (down_attempt > 0 || sent !== undefined ? null : undefined),
    ...{ received: arrived, executed },
    answered: answered ?? (station?.what === 'answered' ? sinceQueued(message, station.at) : undefined),
  });
}

function sinceQueued({ created_at }: Message, at: string): number {
  return Math.max(0, Date.parse(at) - Date.parse(created_at));
}

/** Time from queued to the latest state; null if it is not known. */
function endOf(message: Message): number | null {
  return message.down_state_at === null ? null : sinceQueued(message, message.down_state_at);
}

/** The entries with a value. */
function defined<K extends string, V>(entries: Readonly<Record<K, V | undefined>>): Readonly<Partial<Record<K, V>>> {
  // The cast is safe because the filter removes what the type of the result does not have.
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as Partial<
    Record<K, V>
  >;
}

interface Found extends Around {
  readonly stages: Stages;
  /** Since it was queued, in ms. */
  readonly age: number;
  /** Whether it has reached its last stop. */
  readonly isLast: boolean;
}

type Reason = Pick<Lane, 'group' | 'text' | 'tone'>;

function describe(downlink: Downlink, journey: Journey | undefined, found: Found): Reason {
  const { stages, age, isLast } = found;
  const { down_state, type } = downlink.message;
  const over = (text: string, tone: Lane['tone']) => ({ group: GROUP_OVER, text, tone });
  const ended = timeText(endOf(downlink.message));
  if (down_state === 'expired') return over(`expired after ${ended}: the device never fetched it`, 'bad');
  if (down_state === 'cancelled') return over(`cancelled after ${ended}`, 'plain');
  if (stages.answered !== undefined) return over(`answered after ${timeText(stages.answered)}`, 'good');
  if (isLast && stages.executed !== undefined) return over(`executed after ${timeText(stages.executed)}`, 'good');
  if (isLast) return over(`delivered after ${timeText(stages.received)}`, 'good');
  if (down_state === 'sent') {
    if (journey === undefined) return over(`delivered after ${ended}`, 'plain');
    if (stages.received === undefined) return over(LOST, 'bad');
    const missing = type === 'data' ? 'executed' : 'answered';
    const arrived = `received after ${timeText(stages.received)}`;
    if (age - (stages.received ?? 0) > PATIENCE) return over(`${arrived}, never ${missing}`, 'late');
    return { group: GROUP_RECEIVED, text: `${arrived}, not ${missing} yet`, tone: 'plain' };
  }
  // The heading of the group says why.
  const wait = waitOf(downlink, journey, found);
  const waits = `waits ${humanDuration(age)}`;
  return { ...wait, text: wait.text === '' ? waits : `${waits} · ${wait.text}` };
}

const LOST = 'lost: the cloud counts it as delivered, but the device has not received it';

function timeText(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? 'an unknown time' : humanDuration(ms);
}

/** What a pending downlink waits for. */
function waitOf({ message, station }: Downlink, journey: Journey | undefined, found: Found): Reason {
  const { ahead, contacts, isRun, stages } = found;
  if (station?.what === 'waiting') {
    const reason = printableLine(station.detail ?? 'the reason is unknown');
    return { group: `Held back by the cloud: ${reason}`, text: '', tone: 'late' };
  }
  if (isRun) return waitInRun(journey, found);
  if (contacts !== undefined && contacts.last === undefined)
    return { group: 'Waits for the first contact of the device', text: '', tone: 'late' };
  if (ahead > 0) return behind(ahead);
  if (stages.offered !== undefined) {
    const { down_attempt } = message;
    const times = down_attempt > 1 ? `, ${down_attempt} times` : '';
    return { group: 'Waits for the confirmation of the device', text: `offered${times}`, tone: 'late' };
  }
  return {
    group: 'Waits for the next contact of the device',
    text: expected(found) ?? 'no contact since',
    tone: 'plain',
  };
}

function behind(ahead: number): Reason {
  const others = ahead === 1 ? '1 other' : `${ahead} others`;
  return {
    group: 'Behind other downlinks of the device',
    text: ahead === 0 ? 'behind others' : `behind ${others}`,
    tone: 'plain',
  };
}

function waitInRun(journey: Journey | undefined, found: Found): Reason {
  if (journey?.now === undefined) return { group: GROUP_UNKNOWN, text: '', tone: 'plain' };
  const known = RESTS.get(journey.now);
  // The cloud has just offered it: what the run has answered is older.
  if (known === ASLEEP && found.stages.offered === null) return { ...known, text: 'offered just now' };
  const soon = expected(found);
  if (known === ASLEEP && soon !== undefined) return { ...known, text: soon };
  if (known) return known;
  if (journey.now === 'other downlinks first') return behind(found.ahead);
  return { group: journey.now, text: '', tone: 'bad' };
}

/** `contact in about 12m`; undefined if no contact is expected, or if it is overdue. */
function expected({ contacts, now }: Found): string | undefined {
  const left = (contacts?.next ?? 0) - now;
  return left > 0 ? `contact in about ${lengthText(left)}` : undefined;
}

const ASLEEP: Reason = {
  group: 'The device sleeps until its next report or poll',
  text: '',
  tone: 'plain',
};

/** Waits that are no faults, by their names in explanations. */
const RESTS: ReadonlyMap<string, Reason> = new Map(
  Object.entries({
    'next report or poll': ASLEEP,
    'not switched on yet': { group: 'The device is not switched on yet', text: '', tone: 'late' },
    'no encoder': {
      group: 'No encoder: the cloud cannot write the data for the device',
      text: '',
      tone: 'late',
    },
    'longer than the buffer': {
      group: 'Longer than the buffer of the device: it never arrives',
      text: '',
      tone: 'bad',
    },
    'firmware update first': {
      group: 'Behind a firmware update of the device',
      text: '',
      tone: 'plain',
    },
    exchange: { group: 'In the exchange with the device', text: '', tone: 'good' },
    unknown: { group: 'The cause is not known', text: '', tone: 'late' },
  } as const satisfies Readonly<Record<string, Reason>>),
);
