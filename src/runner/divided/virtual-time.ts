/**
 * Runs a plan in virtual time with its devices divided among threads. Each thread has a world of its own: a clock, a part of
 * the devices, and a cloud for them. After each window of simulated time, the events of all threads are merged into the order
 * that they would have in one world. So the digest and every number of the report are the same for any number of threads (ADR
 * 18). If the run writes its data to a file, the database files of the threads are merged into this file at the end.
 */
import { discardDatabases, gatherDatabases, pathsOfParts } from '../../cloud/store/sqlite/gather.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import { VirtualClock } from '../../kernel/virtual-clock.js';
import type { Plan } from '../../scenario/model/plan.js';
import { partsOf } from '../../scenario/plan/divide.js';
import type { End } from '../world/end.js';
import type { Journal } from '../world/journal.js';
import type { CourseEnd, WorldControl } from '../world/options.js';
import { packProfiles } from '../world/plan-profiles.js';
import type { DividedOptions } from './crew.js';
import { CommonRest, endOfAll } from './ends.js';
import { tuneCollections } from './garbage.js';
import { Member, type Progress } from './member.js';
import { Merge } from './merge.js';
import type { WindowsTask } from './messages.js';

/**
 * Length of a window times the number of devices: 100 device hours, in ms. Large enough that a thread rarely waits, and small
 * enough that the events of a window fit in memory.
 */
const WINDOW = 100 * 3_600_000;
/** Maximum number of windows by which a thread may be ahead of the slowest thread. */
const AHEAD = 3;
/** Maximum number of times that the clock of the run advances within a window. */
const STEPS = 20;
/** From this number of devices on, the garbage of the run is collected in a way that saves memory. */
const MANY = 20_000;

/**
 * Runs a plan in parts.
 * @param started called before the threads begin
 * @throws UsageError if the cloud or the fleet cannot be set up, GhostfleetError if a thread is lost
 */
export async function runInVirtualTime(
  options: DividedOptions,
  journal: Journal,
  started: (control: WorldControl) => void,
): Promise<CourseEnd> {
  const { plan, crew, db, workers } = options;
  const run = new WindowedRun(options, journal);
  const databases = db === 'memory' ? undefined : pathsOfParts(db, workers);
  const collectAsBefore = tuneCollections({ threads: workers, isLarge: plan.devices.length >= MANY });
  const stopped = new Promise<End>((resolve) => {
    const stop = (reason: GhostfleetError) => {
      resolve({ exitCode: reason.exit, failure: reason.message });
      run.clock.stop(reason);
    };
    started({ clock: run.clock, stop });
  });
  let isBuilt = false;
  try {
    const course = run.pass(databases);
    // After a stop, `course` also rejects; its error is ignored.
    course.catch(() => {});
    const end = await Promise.race([stopped, course]);
    isBuilt = true;
    return { end, simulatedMs: run.simulatedMs, generator: null, audited: [], happened: { plan } };
  } finally {
    await crew.close();
    journal.close();
    collectAsBefore();
    if (databases !== undefined) (isBuilt ? gatherDatabases : discardDatabases)(databases);
  }
}

class WindowedRun {
  /** Advances with the merged events, for the progress display. */
  readonly clock: VirtualClock;
  readonly #options: DividedOptions;
  readonly #journal: Journal;
  readonly #window: Millis;
  readonly #merge: Merge;
  readonly #rest: CommonRest;
  #members: readonly Member[] = [];
  /** Until when all events are recorded. */
  #complete: Instant = 0;
  /** Resolves when the events that have arrived are recorded. */
  #recorded: Promise<void> = Promise.resolve();

  constructor(options: DividedOptions, journal: Journal) {
    this.#options = options;
    this.#journal = journal;
    this.clock = new VirtualClock({ start: options.plan.start });
    this.#window = windowOf(options.plan);
    this.#merge = new Merge(options.workers);
    this.#rest = new CommonRest(options.workers);
  }

  get simulatedMs(): Millis {
    return Math.max(this.clock.now, ...this.#members.map(({ end }) => end?.simulatedMs ?? 0));
  }

  /** Passes the events of all parts to the journal until all parts have ended. @param databases the files of the parts */
  async pass(databases: readonly string[] | undefined): Promise<End> {
    const { plan, crew } = this.#options;
    const tasks = this.#tasks(databases);
    const channels = await crew.engage(tasks, '');
    this.#members = channels.map((channel, index) => {
      const { number, plan: part } = tasks[index] as WindowsTask;
      return new Member(number, part, channel, { now: () => this.clock.now, handle: this.#handle });
    });
    await Promise.all(this.#members.map((member) => this.#untilOver(member)));
    return endOfAll(
      plan,
      this.#members.flatMap(({ end }) => end?.end ?? []),
    );
  }

  #tasks(databases: readonly string[] | undefined): readonly WindowsTask[] {
    const { plan, profiles, transport, db, workers } = this.#options;
    const packed = packProfiles(plan, profiles);
    return partsOf(plan, workers).map((part, index) => ({
      clock: 'virtual',
      number: index + 1,
      parts: workers,
      plan: part,
      profiles: packed,
      transport,
      db: databases?.[index] ?? db,
      window: this.#window,
      until: AHEAD * this.#window,
    }));
  }

  readonly #handle = (member: Member, message: Progress): Promise<void> | void => {
    if (message.kind === 'log') return this.#options.log[message.level](message.fields, message.message);
    if (message.kind === 'rest') return this.#rest.ask(message.isAtRest, (all) => member.send({ kind: 'rest', all }));
    if (message.kind !== 'events') return;
    this.#merge.add(member.number - 1, message.lines, message.until);
    return this.#record();
  };

  /** @throws GhostfleetError if the part fails, or its thread is lost */
  async #untilOver(member: Member): Promise<void> {
    await member.over;
    const { failed, lost, name, number } = member;
    if (failed !== undefined) throw failed;
    if (lost !== undefined) throw new GhostfleetError('worker-lost', `${name} was lost: ${lost.why}`, EXIT.invalid);
    this.#merge.end(number - 1);
    this.#rest.leave();
    await this.#record();
  }

  #record(): Promise<void> {
    this.#recorded = this.#recorded.then(() => this.#recordDue());
    return this.#recorded;
  }

  /** Records the events that no part can precede, and lets all parts go on. */
  async #recordDue(): Promise<void> {
    const { complete } = this.#merge;
    if (complete <= this.#complete) return;
    this.#complete = complete;
    for (const { event, line } of this.#merge.take()) {
      if (event.at > this.clock.now + this.#window / STEPS) await this.clock.runUntil(event.at);
      this.#journal.add(event, line);
    }
    if (complete === Number.POSITIVE_INFINITY) return;
    for (const member of this.#members) member.send({ kind: 'go', until: complete + AHEAD * this.#window });
    await this.clock.runUntil(complete);
  }
}

/** Length of a window: shorter for a larger fleet, but at least 1 s, so that messages between threads cost little time. */
function windowOf({ devices, duration }: Plan): Millis {
  const whole = Math.max(seconds(1), Math.round(WINDOW / devices.length));
  return Math.min(whole, Math.max(seconds(1), Math.round(duration / (4 * AHEAD))));
}
