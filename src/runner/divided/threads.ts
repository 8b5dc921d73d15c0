/**
 * The course of a plan whose devices are divided among threads, in virtual time. Each thread has a world of its own, with its part
 * of the devices and of the cloud. Window by window, their events are merged into the order that they have in one world: so the
 * digest and every number of the report are the same for any number of threads (ADR 18). Their databases become one at the end.
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
import { merged } from './merge.js';
import { type Lines, type PartEnd, WINDOWS_AHEAD } from './messages.js';
import { OwnPart } from './own-part.js';
import { type Part, ThreadPart } from './part.js';

/** Simulated time of all devices together in a window: so much that a thread rarely waits, and few enough events for the memory. */
const WINDOW = 100 * 3_600_000;
/** How often the clock of the run follows the events within a window. */
const STEPS = 20;

/**
 * Runs a plan in `count` threads.
 * @param started called before the threads begin
 * @throws UsageError if the world cannot be built
 */
export async function inThreads(
  { plan, profiles, transport, db, log }: WorldOptions,
  count: number,
  journal: Journal,
  started: (control: WorldControl) => void,
): Promise<CourseEnd> {
  // It follows the events: for the display of the progress.
  const clock = new VirtualClock({ start: plan.start });
  const window = windowOf(plan);
  const packed = packProfiles(plan, profiles);
  const own = ownShare(plan, count);
  const databases = db === 'memory' ? undefined : pathsOfParts(db, count);
  const rest = new CommonRest(count);
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
    // After a stop, the course also fails.
    course.catch(() => {});
    const end = await Promise.race([stopped, course]);
    isBuilt = true;
    const simulatedMs = Math.max(clock.now, ...ends.map((part) => part.simulatedMs));
    const happened = { plan, times: { waits: new Map(), console: [] } };
    return { end, simulatedMs, generator: null, audited: [], happened };
  } finally {
    await Promise.all(parts.map((part) => part.close()));
    journal.close();
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
      // The clock follows the events, for the display of the progress.
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

/** Shares of the devices, by the number of threads. From four on, the thread of the run has enough to do with the events. */
const OWN_SHARES: Readonly<Record<number, number>> = { 2: 0.42, 3: 0.21 };
/** Of fewer devices, a share could be none. */
const FEW = 100;

/**
 * The share of the devices that the thread of the run simulates itself, so that it needs as long as the others: it also merges
 * the events of all. Undefined: it only merges them.
 */
function ownShare({ devices }: Plan, count: number): number | undefined {
  const share = OWN_SHARES[count];
  return share !== undefined && devices.length < FEW ? 1 / count : share;
}

/** Shorter for a larger fleet, and long enough that messages between threads cost little. */
function windowOf({ devices, duration }: Plan): Millis {
  const whole = Math.max(seconds(1), Math.round(WINDOW / devices.length));
  return Math.min(whole, Math.max(seconds(1), Math.round(duration / (4 * WINDOWS_AHEAD))));
}
