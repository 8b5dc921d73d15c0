/** Carries out a part of a run in this thread or process, and reports to the run through a channel. */
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { EXIT, GhostfleetError, isError, messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { WorldControl } from '../world/options.js';
import { ChannelLost, type PartChannel } from './channel.js';
import { errorOf, failureOf, type PartTask, type ToPart } from './messages.js';
import { type PartOptions, type PartTime, SharedStart, Windows } from './part-time.js';

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
  readonly #channel: PartChannel;
  readonly #time: PartTime;
  #control: Pick<WorldControl, 'stop'> | undefined;
  #stopped: GhostfleetError | undefined;
  /** Why the worker has ended the part by itself; undefined if it has not. */
  #left: GhostfleetError | undefined;
  /** Why the connection with the run was lost; undefined if it was not. */
  #orphaned: GhostfleetError | undefined;

  constructor(task: PartTask, options: PartOptions) {
    this.#channel = options.channel;
    const surroundings = { ...options, log: this.#log(), lost: (error: unknown) => this.#orphan(error) };
    this.#time = task.clock === 'real' ? new SharedStart(task, surroundings) : new Windows(task, surroundings);
  }

  leave(reason: GhostfleetError): void {
    if (this.#stopped === undefined) this.#left = reason;
    this.#stop(reason);
  }

  #stop(reason: GhostfleetError): void {
    this.#stopped ??= reason;
    this.#control?.stop(this.#stopped);
    this.#time.stop();
  }

  async carryOut(): Promise<GhostfleetError | undefined> {
    this.#channel.send({ kind: 'taken', host: hostname(), pid });
    void this.#listen();
    try {
      const end = await this.#time.pass((control) => {
        this.#control = control;
        if (this.#stopped !== undefined) control.stop(this.#stopped);
      });
      this.#channel.send(this.#left === undefined ? end : { kind: 'left', why: this.#left.message });
    } catch (error) {
      const failure = error instanceof GhostfleetError ? error : bug(error);
      this.#channel.send({ kind: 'failed', error: failureOf(failure) });
    }
    const orphaned = this.#orphaned;
    await this.#channel.close();
    return orphaned;
  }

  async #listen(): Promise<void> {
    try {
      for (;;) this.#obey(await this.#channel.next());
    } catch (error) {
      this.#orphan(error);
    }
  }

  #obey(message: ToPart): void {
    if (message.kind === 'stop') this.#stop(errorOf(message.reason));
    else this.#time.take(message);
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
  const text = isError(error) ? (error.stack ?? error.message) : messageOf(error);
  return new GhostfleetError('internal', `a bug in ghostfleet: ${text}`, EXIT.internal);
}
