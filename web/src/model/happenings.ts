/** What happened last in the space, in sentences. */
import type { HealthEvent, Message } from '../../../src/client/types.js';
import type { RunState } from '../../../src/control/run-state.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { faultName, isLasting } from './faults.js';
import type { Station } from './feed.js';
import { lengthText } from './length.js';

export interface Happening {
  /** Unix time in ms. */
  readonly at: number;
  /** Text after the name of the device, or the whole sentence. */
  readonly text: string;
  /** The device that it is about; undefined if it is about none or several. */
  readonly deviceId: string | undefined;
  readonly tone: 'plain' | 'good' | 'late' | 'bad' | 'accent';
  /** What several devices did, and their ids, if one sentence counts them. */
  readonly together?: Together;
  /** A sentence about reports, of which only the latest {@link MOST_REPORTS} are kept. */
  readonly isRoutine?: true;
}

interface Together {
  /** `reported` */
  readonly what: string;
  /** It grows in place: a large fleet sends thousands of reports a second. */
  readonly ids: Set<string>;
}

const MOST = 40;
/** Reports are most of what happens, and hide what is new. */
const MOST_REPORTS = 3;
/** Faults can begin and end every few seconds. */
const MOST_EARLIER = 8;
/** What devices do together within this time, in ms, is one sentence. */
const TOGETHER = 60_000;

/** Adds a happening; the newest is first. The state of a run, and so the end of a fault, arrives later than messages. */
export function withHappening(all: readonly Happening[], added: Happening | undefined): readonly Happening[] {
  if (added === undefined) return all;
  const { together, isRoutine } = added;
  if (!together) return withEarlier([added], all);
  const isSame = (each: Happening) => each.together?.what === together.what;
  const before = all.find((each) => isSame(each) && added.at - each.at < TOGETHER);
  if (!before?.together) {
    let reports = isRoutine ? 1 : 0;
    const kept = all.filter((each) => !each.isRoutine || ++reports <= MOST_REPORTS);
    // Only the latest sentence keeps the ids, which may be many.
    return withEarlier(
      [added],
      kept.map((each) => (isSame(each) ? withoutIds(each) : each)),
    );
  }
  const { what, ids } = before.together;
  const known = ids.size;
  for (const id of together.ids) ids.add(id);
  if (ids.size === known) return all;
  const joined = { ...before, deviceId: undefined, text: `${ids.size} devices ${what}` };
  return all.map((each) => (each === before ? joined : each));
}

function withoutIds({ together: _, ...rest }: Happening): Happening {
  return rest;
}

/** A message as a happening; undefined if it says nothing new to a user. */
export function ofMessage({ type, direction, device_id, created_at }: Message): Happening | undefined {
  if (direction !== 'up') return undefined;
  const about = { at: Date.parse(created_at), deviceId: device_id };
  if (type === 'data')
    return { ...about, text: 'reported', tone: 'plain', isRoutine: true, together: doing('reported', device_id) };
  if (type === 'session') return { ...about, text: 'began a session', tone: 'good' };
  if (type === 'firmware') return { ...about, text: 'reported the progress of its firmware update', tone: 'accent' };
  return undefined;
}

function doing(what: string, deviceId: string): Together {
  return { what, ids: new Set([deviceId]) };
}

/** What a downlink is, and the same after "has". */
const NAMES: Readonly<Record<string, readonly [string, string]>> = {
  shell: ['command', 'a command'],
  config: ['configuration', 'a configuration'],
  data: ['data', 'data'],
  firmware: ['part of its firmware', 'a part of its firmware'],
};

/** @param queuedAt when the downlink was queued, in Unix ms; undefined if it is not known */
export function ofStation(
  { type, what, at, detail, device_id }: Station,
  queuedAt: number | undefined,
): Happening | undefined {
  // The cloud itself queues the other types when a device starts.
  if (NAMES[type] === undefined) return undefined;
  const [name, one] = NAMES[type];
  const time = Date.parse(at);
  const about = { at: time, deviceId: device_id };
  const after = queuedAt === undefined || time <= queuedAt ? '' : ` after ${lengthText(time - queuedAt)}`;
  switch (what) {
    case 'queued':
      return { ...about, text: `has ${one} waiting: it gets it at its next contact`, tone: 'accent' };
    case 'waiting':
      return {
        ...about,
        text: `cannot get its ${name} yet: ${printableLine(detail ?? 'the reason is unknown')}`,
        tone: 'late',
      };
    case 'sent':
      return { ...about, text: `received its ${name}${after}`, tone: 'good' };
    case 'answered':
      return { ...about, text: `answered its ${name}${after}`, tone: 'good' };
    case 'expired':
      return { ...about, text: `never fetched its ${name}, which has expired`, tone: 'bad' };
    case 'cancelled':
      return { ...about, text: `no longer gets its ${name}: it was cancelled`, tone: 'plain' };
    default:
      return undefined;
  }
}

export function ofHealth({ device_id, at, health, last_contact, contact_every }: HealthEvent): Happening {
  const silence =
    last_contact === null ? '' : `: no contact for ${lengthText(Date.parse(at) - Date.parse(last_contact))}`;
  const rhythm = contact_every === null ? '' : `, expected every ${lengthText(contact_every * 1000)}`;
  return {
    ...{ at: Date.parse(at), deviceId: device_id },
    ...{ text: `is ${health}${silence}${rhythm}`, tone: health === 'silent' ? 'bad' : 'late' },
    together: doing(`became ${health}`, device_id),
  };
}

/** The latest faults of a run that began before the console was opened, oldest first. @param start of the run, in Unix ms */
export function ofEarlierFaults(faults: RunState['faults'], start: number): readonly Happening[] {
  return faults
    .filter((fault) => !isLasting(fault) && fault.state !== 'planned')
    .flatMap((fault): Happening[] => {
      const { from, until, state } = fault;
      const begun = ofFaults([], [{ ...fault, state: 'active' }], start + from);
      return state === 'active' ? [...begun] : [...begun, ...ofFaults([], [fault], start + (until ?? from))];
    })
    .sort((a, b) => a.at - b.at)
    .slice(-MOST_EARLIER);
}

/** Adds what happened earlier to the other happenings, by time. What both have is there once. */
export function withEarlier(all: readonly Happening[], earlier: readonly Happening[]): readonly Happening[] {
  const found = new Map([...all, ...earlier].reverse().map((each) => [keyOf(each), each]));
  return [...found.values()]
    .reverse()
    .sort((a, b) => b.at - a.at)
    .slice(0, MOST);
}

/** Different for different sentences. */
export function keyOf({ at, deviceId, text }: Happening): string {
  return `${at} ${deviceId} ${text}`;
}

/** The faults that have begun or ended between two states of a run. @param now Unix time in ms */
export function ofFaults(before: RunState['faults'], after: RunState['faults'], now: number): readonly Happening[] {
  const known = new Map(before.map(({ id, state }) => [id, state]));
  return after.flatMap((fault): Happening[] => {
    const { id, state } = fault;
    const earlier = known.get(id) ?? 'planned';
    if (state === earlier) return [];
    const name = faultName(fault);
    const about = { at: now, deviceId: undefined };
    if (state === 'active') return [{ ...about, text: `Fault: ${name} has begun`, tone: 'bad' }];
    return state === 'over' ? [{ ...about, text: `Fault: ${name} is over`, tone: 'good' }] : [];
  });
}
