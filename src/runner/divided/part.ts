/** Carries out a part of a run in this thread or process, and reports to the run through a channel. */
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { EXIT, GhostfleetError, messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { openFileLimit } from '../../kernel/open-files.js';
import { RealClock } from '../../kernel/real-clock.js';
import { type Millis, seconds, sinceStart } from '../../kernel/time.js';
import type { LeftThing } from '../../report/result.js';
import { errorOf, failureOf } from '../parallel/messages.js';
import { inOneWorld, type WorldControl, type WorldOptions } from '../world/course.js';
import { noEvidence } from '../world/journal.js';
import { checkOpenFiles } from '../world/open-files.js';
import { unpackProfiles } from '../world/plan-profiles.js';
import { ChannelLost, type PartChannel } from './channel.js';
import { type ClockReading, readClock, systemClock } from './clock-offset.js';
import type { FromPart, PartTask, ToPart } from './messages.js';
import { Outbox } from './outbox.js';

const SEND_EVERY: Millis = seconds(0.5);

interface PartOptions extends Pick<WorldOptions, 'meter'> {
  /** API key of the target. Secret. */
  readonly apiKey: string;
  readonly channel: PartChannel;
  /**
   * Real time between two batches of events. Default: 0.5 s, because each batch that goes through a database needs a
   * transaction.
   */
  readonly sendEvery?: Millis;
}

/** A part that is being carried out. */
export interface RunningPart {
  /**
   * Resolves when the part is over and has deleted what it created. The value is undefined, or, if the connection with the run
   * was lost, the reason for the loss.
   */
  readonly over: Promise<GhostfleetError | undefined>;
  /**
   * Ends the part early, for a worker that stops while the run continues. The part deletes what it created, and counts as lost.
   */
  leave(reason: GhostfleetError): void;
}

/** Begins to carry out a part. */
export function beginPart(task: PartTask, options: PartOptions): RunningPart {
  const part = new Part(task, options);
  return { over: part.carryOut(), leave: (reason) => part.leave(reason) };
}

class Part {
  readonly #task: PartTask;
  readonly #options: PartOptions;
  readonly #channel: PartChannel;
  #control: Pick<WorldControl, 'clock' | 'stop'> | undefined;
  #stopped: GhostfleetError | undefined;
  /** Why the worker has ended the part by itself; undefined if it has not. */
  #left: GhostfleetError | undefined;
  /** Why the connection with the run was lost; undefined if it was not. */
  #orphaned: GhostfleetError | undefined;
  #reading: ClockReading | undefined;
  /** Real time. */
  readonly #time = new RealClock();
  #begin: (since: (() => Millis) | undefined) => void = () => {};
  readonly #begins = new Promise<(() => Millis) | undefined>((resolve) => {
    this.#begin = resolve;
  });

  constructor(task: PartTask, options: PartOptions) {
    this.#task = task;
    this.#options = options;
    this.#channel = options.channel;
  }

  leave(reason: GhostfleetError): void {
    if (this.#stopped === undefined) this.#left = reason;
    this.#stop(reason);
  }

  #stop(reason: GhostfleetError): void {
    this.#stopped ??= reason;
    this.#control?.stop(this.#stopped);
    this.#begin(undefined);
  }

  async carryOut(): Promise<GhostfleetError | undefined> {
    this.#channel.send({ kind: 'taken', host: hostname(), pid });
    void this.#listen();
    const outbox = new Outbox(
      this.#channel,
      this.#time,
      () => this.#control?.clock.now ?? 0,
      this.#options.sendEvery ?? SEND_EVERY,
    );
    try {
      const end = await this.#course(outbox);
      this.#channel.send(this.#left === undefined ? end : { kind: 'left', why: this.#left.message });
    } catch (error) {
      outbox.close();
      const failure = error instanceof GhostfleetError ? error : bug(error);
      this.#channel.send({ kind: 'failed', error: failureOf(failure) });
    }
    const orphaned = this.#orphaned;
    await this.#channel.close();
    return orphaned;
  }

  async #course(outbox: Outbox): Promise<FromPart> {
    const { plan, speed, cloud, shared, keep } = this.#task;
    const profiles = unpackProfiles(this.#task.profiles);
    const { apiKey, meter } = this.#options;
    if (cloud.kind === 'other') {
      checkOpenFiles(plan, profiles, { udp: cloud.gateway !== null, service: false }, openFileLimit());
    }
    const kept: string[] = [];
    const left: LeftThing[] = [];
    const keyOf = () => {
      throw new Error('further spaces are opened by the run, not by its parts');
    };
    const course = await inOneWorld(
      {
        ...({ plan, profiles, speed, clock: 'real', transport: 'memory', db: 'memory', log: this.#log() } as const),
        ...(cloud.kind === 'other' && { cloud: { ...cloud, apiKey, keyOf } }),
        part: { shared, begins: () => this.#ready(), ...(cloud.kind === 'own' && { cloud: { ...cloud, apiKey } }) },
        ...(keep && { keep: (what: readonly string[]) => void kept.push(...what) }),
        left: ({ things }) => void left.push(...things),
        ...(meter && { meter }),
        waits: (wait) => this.#channel.send({ kind: 'waits', wait: wait ?? null }),
      },
      {
        trace: outbox.trace,
        evidence: noEvidence,
        settle: () => {},
        close: () => outbox.close(),
      },
      (control) => {
        this.#control = control;
        if (this.#stopped !== undefined) control.stop(this.#stopped);
      },
    );
    const { end, simulatedMs, generator, audited, targetClock } = course;
    return {
      kind: 'end',
      end,
      simulatedMs,
      generator,
      audited,
      ...(targetClock && { targetClock }),
      kept,
      ...(left.length > 0 && { left }),
    };
  }

  /**
   * Reports to the run that the devices are created. Resolves when the run begins, with a function that returns the real time
   * since then. Resolves with undefined if the part is stopped before.
   */
  async #ready(): Promise<(() => Millis) | undefined> {
    if (this.#stopped !== undefined) return undefined;
    try {
      this.#reading = await readClock(() => this.#channel.sharedNow(), this.#time);
      this.#channel.send({ kind: 'ready', clock: this.#reading, systemClock: systemClock(this.#reading, this.#time) });
    } catch (error) {
      this.#orphan(error);
    }
    return this.#begins;
  }

  async #listen(): Promise<void> {
    try {
      for (;;) this.#obey(await this.#channel.next());
    } catch (error) {
      this.#orphan(error);
    }
  }

  #obey(message: ToPart): void {
    if (message.kind === 'stop') return this.#stop(errorOf(message.reason));
    const start = message.at - (this.#reading?.offset ?? 0);
    const ago = () => sinceStart(this.#time.now) - start;
    this.#time.after(Math.max(0, -ago()), 'the start of the run', () => this.#begin(ago));
  }

  #orphan(error: unknown): void {
    if (!(error instanceof ChannelLost)) throw error;
    this.#orphaned ??= new GhostfleetError('run-lost', `the run is lost: ${error.message}`, EXIT.stuck);
    this.#stop(this.#orphaned);
  }

  #log(): Log {
    const at =
      (level: keyof Log): Log[typeof level] =>
      (fields, message) =>
        this.#channel.send({ kind: 'log', level, fields, message });
    return { info: at('info'), warn: at('warn'), error: at('error') };
  }
}

function bug(error: unknown): GhostfleetError {
  const text = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
  return new GhostfleetError('internal', `a bug in ghostfleet: ${text}`, EXIT.internal);
}
