/**
 * The iterations of one load. An iteration has a device if its requests are about one, and sends the requests of its chain one
 * after the other; it ends after the last one, or at the first one that fails.
 */
import type { Clock } from '../../kernel/clock.js';
import { between, type Random } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import { rowOf } from '../../scenario/load/data-rows.js';
import { prepare, type ReadyLoad, type ReadyRequest } from '../../scenario/load/ready.js';
import type { PlannedLoad } from '../../scenario/model/plan.js';
import type { DeviceHandle } from '../../scenario/world.js';
import { admitted } from '../targets/request-limit.js';
import type { Caller } from './callers.js';
import { type Captures, memoryOf } from './captures.js';
import { type RequestContext, Requests } from './requests.js';

export interface IterationContext extends RequestContext {
  readonly random: Random;
  /** For think times. */
  readonly pauses: Clock;
  readonly captures: Captures;
}

/** Called at the end of an iteration. @param away the wait that the service demands */
type IterationEnd = (away: Millis) => void;

export class Iterations {
  readonly #load: PlannedLoad;
  readonly #context: IterationContext;
  readonly #space: string;
  readonly #requests: Requests;
  readonly #ready: ReadyLoad;
  /** Requests that were due because earlier ones had ended, by label: no plan has their times. */
  readonly #due = new Map<string, number>();
  /** Iterations that wait for their next request. */
  #thinking = 0;
  /** Iterations of this part so far. */
  #begun = 0;
  #closed = false;

  constructor(load: PlannedLoad, context: IterationContext, caller: Caller) {
    this.#load = load;
    this.#context = context;
    this.#space = caller.space;
    this.#ready = prepare(load, context.random);
    this.#requests = new Requests(load, this.#ready.chained, context, caller);
  }

  get name(): string {
    return this.#load.name;
  }

  /** Number of requests that were due and are not finished. */
  get unfinished(): number {
    return this.#requests.unfinished;
  }

  /** Whether chains wait for the end of a think time. */
  get isThinking(): boolean {
    return this.#thinking > 0;
  }

  /**
   * Begins iteration `k` of the whole load, whose first request the limit has admitted. False if this request is dropped; `done`
   * is then not called.
   * @param held for how long the limit has held it back
   */
  begin(k: number, intended: Instant, held: Millis, done: IterationEnd = () => {}): boolean {
    const chain = this.#ready.chainOf(k);
    const { data, name } = this.#load;
    const iteration = new Iteration({
      k,
      intended,
      captures: this.#context.captures,
      space: this.#space,
      done,
      device: this.#findNextDevice(),
      data: data && { columns: data.rows.columns, row: rowOf(data, name, k, this.#context.random) },
    });
    this.#note('chain.began', intended);
    if (this.#load.pace.kind === 'closed') this.#count(chain, 0);
    if (this.#send(iteration, chain, 0, intended, held)) return true;
    this.#note('chain.ended', intended, false);
    iteration.forget();
    return false;
  }

  /** Counts an iteration that was due and is not begun. */
  drop(k: number, intended: Instant, why: string): void {
    const chain = this.#ready.chainOf(k);
    this.#note('chain.began', intended);
    if (this.#load.pace.kind === 'closed') this.#count(chain, 0);
    this.#requests.drop(intended, chain[0]?.label ?? this.name, why);
    this.#note('chain.ended', intended, false);
  }

  /** Ends the accounting. @param due numbers of the iterations that were due at a rate; none for users, who plan nothing */
  close(due: Iterable<number> = []): void {
    this.#closed = true;
    for (const k of due) this.#count(this.#ready.chainOf(k), 0);
    this.#requests.close(new Map(this.#ready.labels.map((label) => [label, this.#due.get(label) ?? 0])));
  }

  #count(chain: readonly ReadyRequest[], turn: number): void {
    const label = chain[turn]?.label ?? this.name;
    this.#due.set(label, (this.#due.get(label) ?? 0) + 1);
  }

  #findNextDevice(): DeviceHandle | undefined {
    const { devices } = this.#load;
    return devices.length === 0 ? undefined : this.#context.handles[devices[this.#begun++ % devices.length] ?? -1];
  }

  /** Sends request `turn` of the chain. False if it is dropped. */
  #send(iteration: Iteration, chain: readonly ReadyRequest[], turn: number, intended: Instant, held: Millis): boolean {
    const request = chain[turn] as ReadyRequest;
    const { facts, lookUp, keep } = iteration;
    const { device } = facts;
    return this.#requests.make(intended, { request, device, lookUp, keep, held }, (away, ok) => {
      if (ok && turn + 1 < chain.length) this.#follow(iteration, chain, turn, away);
      else this.#end(iteration, ok, away);
    });
  }

  /** Sends the next request after the think time, as soon as the limit admits it. */
  #follow(iteration: Iteration, chain: readonly ReadyRequest[], turn: number, away: Millis): void {
    const { clock, limit, pauses } = this.#context;
    this.#thinking++;
    const go = () =>
      admitted(limit, clock, (held) => {
        this.#thinking--;
        if (this.#closed) return limit?.giveBack();
        iteration.heldBack += held;
        this.#count(chain, turn + 1);
        if (!this.#send(iteration, chain, turn + 1, clock.now, held)) this.#end(iteration, false, away);
      });
    const pause = this.#drawPause(iteration, chain, turn);
    if (pause === 0) go();
    else pauses.after(pause, 'a chain of a load thinks', go);
  }

  #drawPause({ facts: { k } }: Iteration, chain: readonly ReadyRequest[], turn: number): Millis {
    const [shortest, longest] = chain[turn]?.think ?? [0, 0];
    if (shortest === longest) return shortest;
    const draws = this.#context.random.fork(`load/${this.name}/think/${k}/${turn}`);
    return Math.round(between(draws, shortest, longest));
  }

  #end(iteration: Iteration, ok: boolean, away: Millis): void {
    const { intended, done } = iteration.facts;
    iteration.forget();
    this.#note('chain.ended', intended, ok, iteration.heldBack);
    done(away);
  }

  #note(kind: 'chain.began' | 'chain.ended', intended: Instant, ok = false, held: Millis = 0): void {
    if (!this.#ready.chained || (this.#closed && kind === 'chain.ended')) return;
    const { clock, trace } = this.#context;
    const common = { at: clock.now, call: this.name, intended };
    trace.emit(kind === 'chain.began' ? { kind, ...common } : { kind, ...common, ok, ...(held > 0 && { held }) });
  }
}

interface IterationFacts {
  /** Number in the whole load, from 0. */
  readonly k: number;
  readonly intended: Instant;
  readonly captures: Captures;
  readonly space: string;
  readonly device: DeviceHandle | undefined;
  /** Its row of the data of the load, if there are any. */
  readonly data: { readonly columns: readonly string[]; readonly row: readonly unknown[] } | undefined;
  readonly done: IterationEnd;
}

/** The state of one iteration: what its placeholders stand for. */
class Iteration {
  readonly facts: IterationFacts;
  /** For how long the limit of requests has held back its requests since it was due. */
  heldBack: Millis = 0;
  #captured: Map<string, unknown> | undefined;
  /** Memory of the captured values, in bytes. */
  #held = 0;

  constructor(facts: IterationFacts) {
    this.facts = facts;
  }

  readonly keep = (name: string, value: unknown): string | undefined => {
    const bytes = memoryOf(value);
    const why = this.facts.captures.keep(bytes);
    if (why !== undefined) return why;
    this.#held += bytes;
    this.#captured ??= new Map();
    this.#captured.set(name, value);
    return undefined;
  };

  /** The iteration has ended. */
  forget(): void {
    this.facts.captures.release(this.#held);
    this.#held = 0;
    this.#captured = undefined;
  }

  readonly lookUp = (name: string): unknown => {
    if (this.#captured?.has(name)) return this.#captured.get(name);
    const { k, space, device, data } = this.facts;
    const column = data?.columns.indexOf(name) ?? -1;
    if (column >= 0) return data?.row[column];
    switch (name) {
      case 'space':
        return space;
      case 'iteration':
        return k + 1;
      case 'device':
        return device?.cloudId ?? '';
      default:
        return name === 'serial' ? device?.serial : device?.name;
    }
  };
}
