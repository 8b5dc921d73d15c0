/**
 * How a part of a run keeps time with the other parts. In real time, all parts begin at the same moment. In virtual time, each
 * part runs as fast as it can, sends its events after each window of simulated time, and does not get far ahead of the others.
 */
import type { Log } from '../../kernel/log.js';
import { openFileLimit } from '../../kernel/open-files.js';
import { RealClock } from '../../kernel/real-clock.js';
import { type Instant, type Millis, seconds, sinceStart } from '../../kernel/time.js';
import type { LeftThing } from '../../report/result.js';
import { InstantOrder } from '../../trace/instant-order.js';
import { runInOneWorld } from '../world/course.js';
import { refuseEvidence } from '../world/journal.js';
import { checkOpenFiles } from '../world/open-files.js';
import type { WorldControl, WorldOptions } from '../world/options.js';
import { unpackProfiles } from '../world/plan-profiles.js';
import type { PartChannel } from './channel.js';
import { type ClockReading, readClock, systemClock } from './clock-offset.js';
import type { PartEnd, TogetherTask, ToPart, WindowsTask } from './messages.js';
import { Outbox } from './outbox.js';
import { WindowClock } from './window-clock.js';

/** Real time between two batches of events, because each batch that goes through a database needs a transaction. */
const SEND_EVERY: Millis = seconds(0.5);

export interface PartOptions extends Pick<WorldOptions, 'meter'> {
  /** API key of the target. Secret. */
  readonly apiKey: string;
  readonly channel: PartChannel;
  /** In real time: real time between two batches of events. Default: 0.5 s */
  readonly sendEvery?: Millis;
}

/** What a part uses besides its task. */
interface Surroundings extends PartOptions {
  readonly log: Log;
  /** Called if the shared clock cannot be read. */
  readonly lost: (error: unknown) => void;
}

type Started = (control: Pick<WorldControl, 'clock' | 'stop'>) => void;

export interface PartTime {
  /** Takes a message of the run, except `stop`. */
  take(message: Exclude<ToPart, { readonly kind: 'stop' }>): void;
  /** Lets the time of the part pass. Resolves with its last message. @param started called before the provisioning */
  pass(started: Started): Promise<PartEnd>;
  /** Ends the wait for a message of the run, because the part is being stopped. */
  stop(): void;
}

export class SharedStart implements PartTime {
  readonly #task: TogetherTask;
  readonly #options: Surroundings;
  readonly #channel: PartChannel;
  /** Real time. */
  readonly #time = new RealClock();
  #reading: ClockReading | undefined;
  readonly #stopped = new AbortController();
  #begin: (since: (() => Millis) | undefined) => void = () => {};
  readonly #begins = new Promise<(() => Millis) | undefined>((resolve) => {
    this.#begin = resolve;
  });

  constructor(task: TogetherTask, options: Surroundings) {
    this.#task = task;
    this.#options = options;
    this.#channel = options.channel;
  }

  take(message: ToPart): void {
    if (message.kind !== 'start') return;
    const start = message.at - (this.#reading?.offset ?? 0);
    const ago = () => sinceStart(this.#time.now) - start;
    this.#time.after(Math.max(0, -ago()), 'the start of the run', () => this.#begin(ago));
  }

  stop(): void {
    this.#stopped.abort();
    this.#begin(undefined);
  }

  async pass(started: Started): Promise<PartEnd> {
    const { plan, speed, cloud, shared, keep } = this.#task;
    const profiles = unpackProfiles(this.#task.profiles);
    const { apiKey, meter, log, sendEvery = SEND_EVERY } = this.#options;
    if (cloud.kind === 'other') {
      const sockets = { udp: cloud.gateway !== null, service: false, virtual: false };
      checkOpenFiles(plan, profiles, sockets, openFileLimit());
    }
    let now = (): Instant => 0;
    const outbox = new Outbox(this.#channel, () => now(), { time: this.#time, every: sendEvery });
    const kept: string[] = [];
    const left: LeftThing[] = [];
    const keyOf = () => {
      throw new Error('further spaces are opened by the run, not by its parts');
    };
    try {
      const { end, simulatedMs, generator, audited, targetClock } = await runInOneWorld(
        {
          plan,
          profiles,
          speed,
          clock: 'real',
          transport: 'memory',
          db: 'memory',
          log,
          cloud: cloud.kind === 'other' ? { ...cloud, apiKey, keyOf } : undefined,
          part: { shared, begins: () => this.#ready(), cloud: cloud.kind === 'own' ? { ...cloud, apiKey } : undefined },
          keep: keep ? (what: readonly string[]) => void kept.push(...what) : undefined,
          left: ({ things }) => void left.push(...things),
          meter,
          signal: this.#stopped.signal,
          waits: (wait) => this.#channel.send({ kind: 'waits', wait: wait ?? null }),
        },
        { trace: outbox.trace, evidence: refuseEvidence, settle: () => {}, close: () => outbox.close() },
        (control) => {
          now = () => control.clock.now;
          started(control);
        },
      );
      const clock = targetClock && { targetClock };
      return { kind: 'end', end, simulatedMs, generator, audited, ...clock, kept, ...(left.length > 0 && { left }) };
    } catch (error) {
      outbox.close();
      throw error;
    }
  }

  /**
   * Reports to the run that the devices are created. Resolves when the run begins, with a function that returns the real time
   * since then. Resolves with undefined if the part is stopped before.
   */
  async #ready(): Promise<(() => Millis) | undefined> {
    if (this.#stopped.signal.aborted) return undefined;
    try {
      this.#reading = await readClock(() => this.#channel.sharedNow(), this.#time);
      this.#channel.send({ kind: 'ready', clock: this.#reading, systemClock: systemClock(this.#reading, this.#time) });
    } catch (error) {
      this.#options.lost(error);
    }
    return this.#begins;
  }
}

export class Windows implements PartTime {
  readonly #task: WindowsTask;
  readonly #channel: PartChannel;
  readonly #log: Log;
  /** Until when the part may run. */
  #until: Instant;
  #goOn = (): void => {};
  #settle = (_all: boolean): void => {};

  constructor(task: WindowsTask, { channel, log }: Pick<Surroundings, 'channel' | 'log'>) {
    this.#task = task;
    this.#channel = channel;
    this.#log = log;
    this.#until = task.until;
  }

  take(message: ToPart): void {
    if (message.kind === 'rest') return this.#settle(message.all);
    if (message.kind === 'go') this.#run(message.until);
  }

  stop(): void {
    this.#run(Number.POSITIVE_INFINITY);
    this.#settle(true);
  }

  async pass(started: Started): Promise<PartEnd> {
    const { plan, window, transport, db } = this.#task;
    const pause = async () => {
      trace.settle();
      outbox.send();
      while (clock.now >= this.#until) await new Promise<void>((resolve) => (this.#goOn = resolve));
    };
    const clock = new WindowClock({ start: plan.start, window, pause });
    const outbox = new Outbox(this.#channel, () => clock.now);
    const trace = new InstantOrder(outbox.trace);
    const settle = () => trace.settle();
    const close = () => {
      settle();
      outbox.close();
    };
    const profiles = unpackProfiles(this.#task.profiles);
    const atRest = (isAtRest: boolean) => this.#areAllAtRest(isAtRest);
    const { end, simulatedMs } = await runInOneWorld(
      { clock: 'virtual', speed: 1, plan, profiles, transport, db, log: this.#log, atRest },
      { trace, evidence: refuseEvidence, settle, close },
      started,
      clock,
    );
    return { kind: 'end', end, simulatedMs, generator: null, audited: [], kept: [] };
  }

  #run(until: Instant): void {
    this.#until = until;
    this.#goOn();
  }

  #areAllAtRest(isAtRest: boolean): Promise<boolean> {
    const answer = new Promise<boolean>((resolve) => {
      this.#settle = resolve;
    });
    this.#channel.send({ kind: 'rest', isAtRest });
    return answer;
  }
}
