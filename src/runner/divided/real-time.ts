/**
 * Runs a plan in real time. The plan is divided among workers in other threads, processes or machines. This process runs the
 * setup in the cloud, lets all parts start at the same moment, merges their events into one stream for the journal, and cleans
 * up after workers that are lost (ADR 22). If the run has an embedded cloud, the cloud runs in this thread.
 */
import { EndingClock } from '../../kernel/ending-clock.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import { seededRandom } from '../../kernel/random.js';
import { RealClock } from '../../kernel/real-clock.js';
import { type Millis, sinceStart, type UnixMillis } from '../../kernel/time.js';
import { partsOf } from '../../scenario/plan/divide.js';
import { RunPatience } from '../targets/paced.js';
import { mergeOffsets } from '../targets/target-clock.js';
import { listUndeleted } from '../world/clean-up.js';
import { watchExpectations } from '../world/early-end.js';
import type { End } from '../world/end.js';
import type { Journal } from '../world/journal.js';
import type { CourseEnd, WorldControl } from '../world/options.js';
import { packProfiles } from '../world/plan-profiles.js';
import { ChannelLost, type RunChannel } from './channel.js';
import { type ClockReading, readClock, systemClock } from './clock-offset.js';
import type { DividedOptions } from './crew.js';
import { endOfAll } from './ends.js';
import { Member, type Progress } from './member.js';
import { Merge } from './merge.js';
import type { TogetherTask } from './messages.js';
import { OwnCloud } from './own-cloud.js';
import { SharedRemoteCloud } from './remote-cloud.js';
import type { SharedCloud } from './shared-cloud.js';
import { generatorOfAll, reportOf } from './worker-reports.js';

/**
 * Runs a plan in parts.
 * @param started called before the provisioning
 * @throws UsageError if the cloud or the fleet cannot be set up, GhostfleetError if a worker is lost before the start
 */
export async function runInRealTime(
  options: DividedOptions,
  journal: Journal,
  started: (control: WorldControl) => void,
): Promise<CourseEnd> {
  const { crew } = options;
  const conductor = new Conductor(options, journal);
  started(conductor.control);
  let shared: SharedCloud | undefined;
  try {
    shared = await conductor.openCloud();
    return await conductor.run(shared);
  } finally {
    await crew.close();
    if (shared !== undefined) await conductor.cleanUp(shared);
    await shared?.close();
    conductor.close();
  }
}

class Conductor {
  readonly #options: DividedOptions;
  readonly #journal: Journal;
  readonly #clock: RealClock;
  /** Real time; `#clock` has the time of the run. */
  readonly #time = new RealClock();
  readonly #abort = new AbortController();
  readonly #patience: RunPatience;
  readonly #merge: Merge;
  /** Indices of the parts by the serial numbers of their devices. */
  readonly #parts = new Map<number, number>();
  #members: readonly Member[] = [];
  /** The cloud of the run until it is cleaned up. */
  #shared: SharedCloud | undefined;
  #stopped: GhostfleetError | undefined;
  /** The system clock of this machine, to compare with those of the workers (clock-offset.ts); undefined before the start. */
  #systemClock: UnixMillis | undefined;
  /** Why a part could not begin; undefined if all parts could. */
  #unready: GhostfleetError | undefined;
  /** Time of the run at which it was stopped, 0 if that was before its start; undefined if it was not stopped. */
  #stoppedAt: Millis | undefined;
  /** Whether all parts have ended, so that the embedded cloud writes no further events. */
  #isOver = false;
  #isStopped = (): void => {};
  readonly #stop = new Promise<void>((resolve) => {
    this.#isStopped = resolve;
  });

  constructor(options: DividedOptions, journal: Journal) {
    this.#options = options;
    this.#journal = journal;
    this.#patience = new RunPatience(options.waits, options.cloud?.pace);
    this.#clock = new RealClock({ speed: options.speed, frozen: true });
    this.#merge = new Merge(options.workers, () => (this.#isOver ? Number.POSITIVE_INFINITY : this.#clock.now));
  }

  get control(): WorldControl {
    return { clock: this.#clock, stop: (reason) => this.stop(reason) };
  }

  /** Ends the run early: all workers end their parts and clean up. */
  stop(reason: GhostfleetError): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = reason;
    this.#stoppedAt = sinceStart(this.#clock.now);
    this.#abort.abort(reason);
    this.#patience.end(reason);
    this.#clock.stop(reason);
    for (const member of this.#members) member.stop(reason);
    void this.#options.crew.giveUp(reason);
    this.#isStopped();
    this.#recordLeftovers();
  }

  /** Records what the parts and the run will delete: devices by their serial numbers, because only the parts know more. */
  #recordLeftovers(): void {
    const { plan, keep, left, cloud } = this.#options;
    const shared = this.#shared;
    if (cloud === undefined || keep !== undefined || shared === undefined) return;
    const devices = plan.devices.map(({ name, serial }) => ({ what: `device "${name}"`, space: null, serial }));
    const things = listUndeleted([...devices, ...shared.made.toReversed()]);
    left?.({ spaceId: shared.spaceId, since: shared.since, things });
  }

  async openCloud(): Promise<SharedCloud> {
    try {
      this.#shared = await this.#patience.opening(undefined, () => this.#opened());
      return this.#shared;
    } catch (error) {
      throw this.#stopped ?? error;
    }
  }

  #opened(): Promise<SharedCloud> {
    const { cloud, profiles, plan } = this.#options;
    if (cloud !== undefined) return SharedRemoteCloud.open(cloud, profiles, this.#patience, plan.secrets);
    const random = seededRandom(plan.seed);
    // The parts report the failures of their devices.
    return OwnCloud.open(this.#options, {
      clock: this.#clock,
      trace: this.#merge.own,
      random,
      failed: () => {},
      patience: this.#patience,
    });
  }

  async run(shared: SharedCloud): Promise<CourseEnd> {
    const { plan, crew } = this.#options;
    const tasks = await this.#tasks(shared);
    this.#patience.runBegins();
    const agenda = new EndingClock(this.#clock);
    try {
      if (this.#stopped === undefined) {
        const channels = await crew.engage(tasks, shared.apiKey).catch((error: unknown) => {
          throw error instanceof ChannelLost ? queueLost(error) : error;
        });
        this.#members = channels.map((channel, part) => this.#member(tasks[part] as TogetherTask, channel));
        await this.#stopAgain();
        await this.#ready();
        await this.#begin(agenda, shared);
        await Promise.all(this.#members.map(({ over }) => over));
        if (this.#unready !== undefined) throw this.#unready;
      }
    } finally {
      agenda.end();
      shared.end();
      this.#settle();
      this.#journal.close();
    }
    const workers = this.#members.map((member) => reportOf(member, this.#systemClock));
    const targetClock = mergeOffsets(this.#members.flatMap(({ end }) => end?.targetClock ?? []));
    return {
      end: this.#end(),
      simulatedMs: this.#ended,
      generator: generatorOfAll(this.#members),
      audited: this.#members.flatMap(({ end }) => end?.audited ?? []),
      happened: { plan },
      workers,
      targetClock,
    };
  }

  /** Sends the stop again, for workers that were engaged while the run was being stopped. */
  async #stopAgain(): Promise<void> {
    const reason = this.#stopped;
    if (reason === undefined) return;
    for (const member of this.#members) member.stop(reason);
    await this.#options.crew.giveUp(reason);
  }

  /** Called when all requests have ended. */
  close(): void {
    this.#patience.close();
  }

  /** Deletes what is left in the target when all workers have ended, or passes its names to `keep`. */
  async cleanUp(shared: SharedCloud): Promise<void> {
    const { keep, left, cloud } = this.#options;
    this.#patience.beginCleanUp();
    const lost = this.#members.filter((member) => member.lost !== undefined);
    if (keep !== undefined) {
      const maybe = lost.flatMap(({ number, plan }) =>
        plan.devices.map(({ name }) => `device "${name}" of the lost worker ${number}, if it was created`),
      );
      return keep([
        ...shared.made.map(({ what }) => what),
        ...this.#members.flatMap(({ end }) => end?.kept ?? []),
        ...maybe,
      ]);
    }
    const failed = this.#members.filter((member) => member.failed !== undefined);
    const things = [
      ...this.#members.flatMap(({ end }) => end?.left ?? []),
      ...(await shared.tidy([...lost, ...failed].map(({ plan }) => plan))),
    ];
    if (cloud !== undefined) left?.({ spaceId: shared.spaceId, since: shared.since, things });
    this.#shared = undefined;
  }

  async #tasks(shared: SharedCloud): Promise<readonly TogetherTask[]> {
    const { plan, profiles, speed, keep, workers } = this.#options;
    const things = await shared.setUp(plan, this.#abort.signal);
    const { setup: _, ...rest } = plan;
    return partsOf(rest, workers).map((part, index) => ({
      clock: 'real',
      number: index + 1,
      parts: workers,
      plan: part,
      profiles: packProfiles(plan, profiles),
      speed,
      cloud: shared.reachedBy(workers),
      shared: things,
      keep: keep !== undefined,
    }));
  }

  #member({ number, plan }: TogetherTask, channel: RunChannel): Member {
    for (const { serial } of plan.devices) this.#parts.set(serial, number - 1);
    const now = () => sinceStart(this.#clock.now);
    const member = new Member(number, plan, channel, { now, handle: this.#handle });
    void member.over.then(() => {
      this.#merge.end(number - 1);
      this.#record();
      if (member.lost !== undefined) void this.#options.crew.dismiss(number);
    });
    return member;
  }

  readonly #handle = ({ number, name }: Member, message: Progress): void => {
    if (message.kind === 'log') return this.#options.log[message.level](message.fields, `${name}: ${message.message}`);
    if (message.kind === 'waits') return this.#options.waits?.(message.wait ?? undefined);
    if (message.kind !== 'events') return;
    this.#merge.add(number - 1, message.lines, message.until);
    this.#record();
  };

  /** Waits until the devices of all parts are created, or the run is stopped. */
  async #ready(): Promise<void> {
    await Promise.race([this.#stop, Promise.all(this.#members.map((member) => this.#readyOrFailed(member)))]);
  }

  async #readyOrFailed(member: Member): Promise<void> {
    await member.ready;
    if (this.#stopped !== undefined) return;
    const { failed, lost, name } = member;
    const reason =
      failed ??
      (lost && new GhostfleetError('worker-lost', `${name} was lost before the start: ${lost.why}`, EXIT.invalid));
    if (reason === undefined) return;
    this.#unready = reason;
    this.stop(reason);
  }

  /** Starts all parts at the same moment. */
  async #begin(agenda: EndingClock, shared: SharedCloud): Promise<void> {
    if (this.#stopped !== undefined) return;
    const { plan, crew } = this.#options;
    let reading: ClockReading;
    let at: number;
    try {
      reading = await readClock(() => crew.sharedNow(), this.#time);
      this.#systemClock = systemClock(reading, this.#time);
      at = sinceStart(this.#time.now) + reading.offset + crew.lead;
    } catch (error) {
      if (error instanceof ChannelLost) return this.stop(queueLost(error));
      throw error;
    }
    for (const member of this.#members) member.send({ kind: 'start', at });
    const ago = () => sinceStart(this.#time.now) - (at - reading.offset);
    const begins = new Promise<void>((resolve) =>
      this.#time.after(Math.max(0, -ago()), 'the start of the run', resolve),
    );
    await Promise.race([this.#stop, begins]);
    this.#clock.begin(ago());
    shared.begin();
    const evidence = () => this.#journal.evidence(Math.min(this.#merge.complete, sinceStart(this.#clock.now)));
    watchExpectations(plan.expectations, evidence, agenda, (reason) => this.stop(reason));
  }

  /** Passes the events that can be recorded by now to the journal, and to the accounting of their parts. */
  #record(): void {
    for (const { event, line, part } of this.#merge.take()) {
      // An event of the embedded cloud belongs to the part of its device.
      const of = part ?? ('serial' in event ? this.#parts.get(event.serial) : undefined);
      if (of !== undefined) this.#members[of]?.work.take(event);
      this.#journal.add(event, line);
    }
  }

  /** Passes the last events to the journal, and adds the events for the lost work. */
  #settle(): void {
    this.#isOver = true;
    for (const { number } of this.#members) this.#merge.end(number - 1);
    this.#record();
    const { duration } = this.#options.plan;
    const until = Math.min(this.#stoppedAt ?? duration, duration);
    for (const member of this.#members) {
      if (member.lost === undefined) continue;
      const losing = member.work.lose(this.#ended, until, `lost with worker ${member.number}`);
      let next = losing.next();
      for (; !next.done; next = losing.next()) this.#journal.add(next.value, JSON.stringify(next.value));
      member.losses = next.value;
    }
  }

  /** Time at which the last part came to rest, or at which a part was lost if that was later. */
  get #ended(): Millis {
    return Math.max(0, ...this.#members.map(({ end, lost }) => end?.simulatedMs ?? sinceStart(lost?.at ?? 0)));
  }

  #end(): End {
    if (this.#stopped !== undefined) return { exitCode: this.#stopped.exit, failure: this.#stopped.message };
    return endOfAll(
      this.#options.plan,
      this.#members.flatMap(({ end }) => end?.end ?? []),
    );
  }
}

function queueLost({ message }: ChannelLost): GhostfleetError {
  return new GhostfleetError('queue-lost', message, EXIT.invalid);
}
