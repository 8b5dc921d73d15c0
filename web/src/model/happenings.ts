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
  /**
   * Ids of the devices whose reports are counted in this sentence. It grows in place: a large fleet sends thousands of reports a
   * second.
   */
  readonly reporters?: Set<string>;
  /** A sentence about reports, of which only the latest {@link MOST_REPORTS} are kept. */
  readonly isRoutine?: true;
}

const MOST = 40;
/** Reports are most of what happens, and hide what is new. */
const MOST_REPORTS = 3;
/** Faults can begin and end every few seconds. */
const MOST_EARLIER = 8;
/** Reports within this time, in ms, are one sentence. */
const TOGETHER = 60_000;

/** Adds a happening; the newest is first. The state of a run, and so the end of a fault, arrives later than messages. */
export function withHappening(all: readonly Happening[], added: Happening | undefined): readonly Happening[] {
  if (added === undefined) return all;
  if (!added.reporters) return withEarlier([added], all);
  const i = all.findIndex(({ reporters, at }) => reporters !== undefined && added.at - at < TOGETHER);
  const before = all[i];
  // Only the latest sentence about reports keeps the ids, which may be many.
  if (!before?.reporters) {
    let reports = 1;
    const kept = all.filter(({ isRoutine }) => !isRoutine || ++reports <= MOST_REPORTS);
    return withEarlier(
      [added],
      kept.map(({ reporters: _, ...rest }) => rest),
    );
  }
  const { reporters } = before;
  const known = reporters.size;
  for (const id of added.reporters) reporters.add(id);
  if (reporters.size === known) return all;
  const joined = { ...before, deviceId: undefined, text: `${reporters.size} devices reported` };
  return all.map((each, n) => (n === i ? joined : each));
}

/** A message as a happening; undefined if it says nothing new to a user. */
export function ofMessage({ type, direction, device_id, created_at }: Message): Happening | undefined {
  if (direction !== 'up') return undefined;
  const about = { at: Date.parse(created_at), deviceId: device_id };
  if (type === 'data')
    return { ...about, text: 'reported', tone: 'plain', isRoutine: true, reporters: new Set([device_id]) };
  if (type === 'session') return { ...about, text: 'began a session', tone: 'good' };
  if (type === 'firmware') return { ...about, text: 'reported the progress of its firmware update', tone: 'accent' };
  return undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  shell: 'command',
  config: 'configuration',
  data: 'data',
  firmware: 'part of its firmware',
};

/** @param queuedAt when the downlink was queued, in Unix ms; undefined if it is not known */
export function ofStation(
  { type, what, at, detail, device_id }: Station,
  queuedAt: number | undefined,
): Happening | undefined {
  const name = NAMES[type];
  // The cloud itself queues the other types when a device starts.
  if (name === undefined) return undefined;
  const time = Date.parse(at);
  const about = { at: time, deviceId: device_id };
  const after = queuedAt === undefined || time <= queuedAt ? '' : ` after ${lengthText(time - queuedAt)}`;
  switch (what) {
    case 'queued':
      return { ...about, text: `has a ${name} waiting: it gets it at its next contact`, tone: 'accent' };
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

/** Adds what happened earlier to the other happenings, by time. */
export function withEarlier(all: readonly Happening[], earlier: readonly Happening[]): readonly Happening[] {
  return [...all, ...earlier].sort((a, b) => b.at - a.at).slice(0, MOST);
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
