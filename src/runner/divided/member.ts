/** One part of a run as the conductor sees it: the connection with its worker, and the results of the part. */
import type { GhostfleetError } from '../../kernel/errors.js';
import type { Instant, UnixMillis } from '../../kernel/time.js';
import type { Plan } from '../../scenario/model/plan.js';
import { ChannelLost, type RunChannel } from './channel.js';
import type { ClockReading } from './clock-offset.js';
import { errorOf, type FromPart, failureOf, type PartEnd, type ToPart } from './messages.js';
import { type LostCounts, PartWork } from './part-work.js';

/** What a part reports until it is over. */
export type Progress = Extract<FromPart, { readonly kind: 'events' | 'rest' | 'log' | 'waits' }>;

interface Follower {
  /** Time of the run. */
  readonly now: () => Instant;
  /** Called with each report. The next one waits for the promise. */
  readonly handle: (member: Member, report: Progress) => Promise<void> | void;
}

export class Member {
  /** From 1. */
  readonly number: number;
  readonly plan: Plan;
  readonly #channel: RunChannel;
  readonly #follower: Follower;
  /** Where the worker of the part runs; undefined until a worker has taken the part. */
  place: { readonly host: string; readonly pid: number } | undefined;
  /** The clocks of the worker (clock-offset.ts); undefined until the devices of the part are created. */
  clock: (ClockReading & { readonly systemClock: UnixMillis }) | undefined;
  end: PartEnd | undefined;
  readonly work: PartWork;
  /** When and why the worker was lost; undefined if it was not. */
  lost: { readonly at: Instant; readonly why: string } | undefined;
  /** The work that was lost with the worker; undefined if the worker was not lost. */
  losses: LostCounts | undefined;
  /** Why the part could not be carried out; undefined if it did not fail. */
  failed: GhostfleetError | undefined;
  /** Resolves when the devices of the part are created, or when the part is over. */
  readonly ready: Promise<void>;
  /** Resolves when the part is over: ended, failed or lost. Rejects if a report cannot be handled. */
  readonly over: Promise<void>;
  #isReady = (): void => {};

  constructor(number: number, plan: Plan, channel: RunChannel, follower: Follower) {
    this.number = number;
    this.plan = plan;
    this.work = new PartWork(plan);
    this.#channel = channel;
    this.#follower = follower;
    this.ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
    this.over = this.#follow();
  }

  /** `worker 2 (host, process 123)` */
  get name(): string {
    return nameOf(this.number, this.place);
  }

  send(message: ToPart): void {
    this.#channel.send(message);
  }

  stop(reason: GhostfleetError): void {
    this.send({ kind: 'stop', reason: failureOf(reason) });
  }

  get #isOver(): boolean {
    return this.end !== undefined || this.failed !== undefined || this.lost !== undefined;
  }

  async #follow(): Promise<void> {
    try {
      while (!this.#isOver) await this.#take(await this.#channel.next());
    } catch (error) {
      if (!(error instanceof ChannelLost)) throw error;
      this.lost = { at: this.#follower.now(), why: error.message };
    } finally {
      this.#isReady();
      await this.#channel.close();
    }
  }

  #take(message: FromPart): Promise<void> | void {
    switch (message.kind) {
      case 'taken':
        this.place = message;
        return;
      case 'ready':
        this.clock = { ...message.clock, systemClock: message.systemClock };
        return this.#isReady();
      case 'end':
        this.end = message;
        return;
      case 'left':
        this.lost = { at: this.#follower.now(), why: message.why };
        return;
      case 'failed':
        this.failed = errorOf(message.error);
        return;
      default:
        return this.#follower.handle(this, message);
    }
  }
}

export function nameOf(number: number, place: Member['place']): string {
  return place === undefined ? `worker ${number}` : `worker ${number} (${place.host}, process ${place.pid})`;
}
