/**
 * Runs a plan in virtual time with its devices divided among threads. Each thread has a world of its own: a clock, a part of
 * the devices, and a cloud for them. After each window of simulated time, the events of all threads are merged into the order
 * that they would have in one world. So the digest and every number of the report are the same for any number of threads (ADR
 * 18). If the run writes its data to a file, the database files of the threads are merged into this file at the end.
 */
import { discardDatabases, gatherDatabases, pathsOfParts } from '../../cloud/store/sqlite/gather.js';
import type { GhostfleetError } from '../../kernel/errors.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import { VirtualClock } from '../../kernel/virtual-clock.js';
import type { Plan } from '../../scenario/model/plan.js';
import { partsOf } from '../../scenario/plan/divide.js';
import type { CourseEnd, WorldControl, WorldOptions } from '../world/course.js';
import type { End } from '../world/end.js';
import type { Journal } from '../world/journal.js';
import { packProfiles } from '../world/plan-profiles.js';
import { CommonRest } from './common-rest.js';
import { endOfAll } from './ends.js';
import { tuneCollections } from './garbage.js';
import { merged } from './merge.js';
import { type Lines, type PartEnd, WINDOWS_AHEAD } from './messages.js';
import { OwnPart } from './own-part.js';
import { type Part, ThreadPart } from './part.js';

/**
 * Length of a window times the number of devices: 100 device hours, in ms. Large enough that a thread rarely waits, and small
 * enough that the events of a window fit in memory.
 */
const WINDOW = 100 * 3_600_000;
/** Maximum number of times that the clock of the run advances within a window. */
const STEPS = 20;

/**
 * Runs a plan in `count` threads.
 * @param started called before the threads begin
 * @throws UsageError if the cloud or the fleet cannot be set up
 */
export async function inThreads(
  { plan, profiles, transport, db, log }: WorldOptions,
  count: number,
  journal: Journal,
  started: (control: WorldControl) => void,
): Promise<CourseEnd> {
  // Advances with the merged events, for the progress display.
  const clock = new VirtualClock({ start: plan.start });
  const window = windowOf(plan);
  const packed = packProfiles(plan, profiles);
  const own = ownShare(plan, count);
  const databases = db === 'memory' ? undefined : pathsOfParts(db, count);
  const rest = new CommonRest(count);
  const collectAsBefore = tuneCollections({ threads: count, isLarge: isLarge(plan) });
  const parts = partsOf(plan, count, own).map((part, index): Part => {
    const task = { plan: part, db: databases?.[index] ?? db, transport, window };
    if (index === 0 && own !== undefined) return new OwnPart({ ...task, profiles, log }, rest);
    return new ThreadPart({ ...task, profiles: packed }, rest, log);
  });
  const stopped = new Promise<End>((resolve) => {
    const stop = (reason: GhostfleetError) => {
      resolve({ exitCode: reason.exit, failure: reason.message });
      clock.stop(reason);
    };
    started({ clock, stop });
  });
  const ends: PartEnd[] = [];
  let isBuilt = false;
  try {
    const course = follow(parts, ends, journal, clock, window).then(() =>
      endOfAll(
        plan,
        ends.map(({ end }) => end),
      ),
    );
    // After a stop, `course` also rejects; its error is ignored.
    course.catch(() => {});
    const end = await Promise.race([stopped, course]);
    isBuilt = true;
    const simulatedMs = Math.max(clock.now, ...ends.map((part) => part.simulatedMs));
    const happened = { plan, times: { waits: new Map(), console: [] } };
    return { end, simulatedMs, generator: null, audited: [], happened };
  } finally {
    await Promise.all(parts.map((part) => part.close()));
    journal.close();
    collectAsBefore();
    if (databases !== undefined) (isBuilt ? gatherDatabases : discardDatabases)(databases);
  }
}

/** Passes the events of all parts to the journal until all have ended. */
async function follow(
  parts: readonly Part[],
  ends: PartEnd[],
  journal: Journal,
  clock: VirtualClock,
  window: Millis,
): Promise<void> {
  let running = parts;
  /** End of the last window that all parts have finished. */
  let complete: Instant = 0;
  while (running.length > 0) {
    const reports = await Promise.all(running.map((part) => part.next()));
    for (const { event, line } of merged(reports.map((report) => (isEnd(report) ? report.lines : report)))) {
      if (event.at > clock.now + window / STEPS) await clock.runUntil(event.at);
      journal.add(event, line);
    }
    running = running.filter((_, i) => !isEnd(reports[i]));
    ends.push(...reports.filter(isEnd));
    for (const part of running) part.permit();
    complete += window;
    if (running.length > 0) await clock.runUntil(complete);
  }
}

function isEnd(report: Lines | PartEnd | undefined): report is PartEnd {
  return typeof report === 'object' && 'kind' in report;
}

/**
 * Share of the devices that the thread of the run simulates, by number of threads. With four or more threads, merging the
 * events takes all its time.
 */
const OWN_SHARES: Readonly<Record<number, number>> = { 2: 0.42, 3: 0.21 };
/** With fewer devices than this, all threads have equal shares: a small share could be no device at all. */
const FEW = 100;
/**
 * From this number of devices on, the thread of the run simulates none of them, and one more thread is started instead. That
 * thread has a larger heap for short-lived objects (part.ts), which saves more time than its start takes.
 */
const MANY = 20_000;

function isLarge({ devices }: Plan): boolean {
  return devices.length >= MANY;
}

/**
 * The share of the devices that the thread of the run simulates itself; undefined if this thread only merges the events of all
 * threads. In a fleet of 100 devices or more, the share is smaller than those of the other threads, because this thread merges
 * as well and all threads should finish at the same time.
 */
function ownShare(plan: Plan, count: number): number | undefined {
  const share = isLarge(plan) ? undefined : OWN_SHARES[count];
  return share !== undefined && plan.devices.length < FEW ? 1 / count : share;
}

/** Length of a window: shorter for a larger fleet, but at least 1 s, so that messages between threads cost little time. */
function windowOf({ devices, duration }: Plan): Millis {
  const whole = Math.max(seconds(1), Math.round(WINDOW / devices.length));
  return Math.min(whole, Math.max(seconds(1), Math.round(duration / (4 * WINDOWS_AHEAD))));
}
