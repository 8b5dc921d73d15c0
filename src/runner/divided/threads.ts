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
import { WINDOWS_AHEAD } from './messages.js';
import { Part, type PartEnd } from './part.js';

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
  const used = { profiles: packProfiles(plan, profiles), transport, window };
  const databases = db === 'memory' ? undefined : pathsOfParts(db, count);
  const rest = new CommonRest(count);
  const parts = partsOf(plan, count).map(
    (part, index) => new Part({ plan: part, db: databases?.[index] ?? db, ...used }, rest, log),
  );
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
    for (const { event, line } of merged(
      reports.map((report) => (typeof report === 'string' ? report : report.lines)),
    )) {
      // The clock follows the events, for the display of the progress.
      if (event.at > clock.now + window / STEPS) await clock.runUntil(event.at);
      journal.add(event, line);
    }
    running = running.filter((_, i) => typeof reports[i] === 'string');
    ends.push(...reports.filter((report) => typeof report !== 'string'));
    for (const part of running) part.permit();
    complete += window;
    if (running.length > 0) await clock.runUntil(complete);
  }
}

/** Shorter for a larger fleet, and long enough that messages between threads cost little. */
function windowOf({ devices, duration }: Plan): Millis {
  const whole = Math.max(seconds(1), Math.round(WINDOW / devices.length));
  return Math.min(whole, Math.max(seconds(1), Math.round(duration / (4 * WINDOWS_AHEAD))));
}
