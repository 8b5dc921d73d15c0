/**
 * The requests of one load, and their accounting, each under its label. A request is sent as soon as a connection is free; the
 * waiting time is part of its latency. Every request is accounted for: answered, failed, open at the end, or dropped for a reason.
 */
import type { EdgeClock } from '../../kernel/clock.js';
import { ClockHold } from '../../kernel/clock-hold.js';
import { foreignJson } from '../../kernel/json-text.js';
import { hideSecrets } from '../../kernel/known-secrets.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import type { CallRequest } from '../../scenario/load/calls.js';
import type { Keep, ReadyRequest, RequestPlace } from '../../scenario/load/ready.js';
import type { PlannedLoad } from '../../scenario/model/plan.js';
import type { DeviceHandle } from '../../scenario/world.js';
import type { DownlinkType, Trace, TraceEvent } from '../../trace/events.js';
import { isAnswered } from '../../trace/metrics/calls.js';
import type { RequestLimit } from '../targets/request-limit.js';
import type { Admission } from '../targets/target.js';
import { isUndecided } from '../targets/undecided.js';
import type { Caller } from './callers.js';
import type { CallResult } from './connection.js';

export interface RequestContext {
  readonly clock: EdgeClock;
  readonly trace: Trace;
  /** All devices of the plan, in its order. */
  readonly handles: readonly DeviceHandle[];
  /** Texts that answers may repeat and no report shows. Default: none besides the keys of the callers. */
  readonly secrets?: readonly string[];
  /** Called before every request; undefined if no fault can delay or stop it. */
  readonly admit?: Admission | undefined;
  /** Admits every request before it is due; undefined for no limit. */
  readonly limit?: RequestLimit | undefined;
  /** Milliseconds of the run per real millisecond. Default: 1. */
  readonly speed?: number;
  /** Milliseconds of the run per millisecond of the service. Default: 1, because both have the same clock. */
  readonly serviceSpeed?: number;
  /** Reads a response that queued a downlink; false if it has none. `asked`: the request's body. */
  readonly accepted: (answer: string, asked: string) => boolean;
  /** Called if a request to queue a downlink ends without an answer. */
  readonly unanswered?: ((serial: number, type: DownlinkType, body: unknown) => void) | undefined;
}

/** Reasons for which the runner does not send a request, although it had time to do so. */
export const UNSENT = ['too many wait for a connection', 'no connection was free until the end'] as const;

/** Why a request is not sent that was due less than {@link SHORTLY} before the end. */
export const OVER = 'the run was over';
/** Why a request is not sent that {@link RequestContext.limit} has held back. */
export const HELD = 'the limit of requests a second (--rate) held it back until the end';
export const NOT_BEGUN = 'the load ended before its iterations';

/** Real time. A shorter wait for a connection does not show that the runner has too few. */
const SHORTLY: Millis = seconds(1);

/** Limit of requests that wait for a connection. */
const MOST_WAITING = 100_000;

type CallDone = Extract<TraceEvent, { kind: 'call.done' }>;

/** A request, and what it is about. */
interface Order {
  readonly request: ReadyRequest;
  /** Device of the iteration; undefined for one that is about no device. */
  readonly device: DeviceHandle | undefined;
  readonly lookUp: RequestPlace['lookUp'];
  readonly keep: Keep;
  /** For how long the limit of requests has held it back before it was due. */
  readonly held: Millis;
}

/** Called at the end of a request. `away`: the wait that the service demands. `ok`: whether it was answered as it should be. */
type RequestEnd = (away: Millis, ok: boolean) => void;

interface QueuedDownlink {
  readonly type: DownlinkType;
  readonly serial: number;
  /** As JSON. */
  readonly content: string;
}

interface PendingRequest {
  readonly order: Order;
  /** When it was due. */
  readonly intended: Instant;
  readonly place: RequestPlace;
  readonly made: CallRequest;
  /** When it was sent, or passed to {@link RequestContext.admit}; undefined before that. */
  sent: Instant | undefined;
  /** Set if it has waited for a connection. */
  waited?: true;
}

export class Requests {
  readonly #context: RequestContext;
  readonly #caller: Caller;
  readonly #unfinished = new Set<PendingRequest>();
  readonly #closedLoop: boolean;
  readonly #what: string;
  /** Fields of all its events: the load, if the requests are parts of chains. */
  readonly #chain: { readonly chain?: string };
  #closed = false;

  /** @param chained whether the requests are parts of chains */
  constructor({ name, pace }: PlannedLoad, chained: boolean, context: RequestContext, caller: Caller) {
    this.#context = context;
    this.#caller = caller;
    this.#closedLoop = pace.kind === 'closed';
    this.#chain = chained ? { chain: name } : {};
    this.#what = `a request of the load "${name}"`;
  }

  /** Number of requests that were due and are not finished. */
  get unfinished(): number {
    return this.#unfinished.size;
  }

  /**
   * Makes a request due at `intended` that the limit has admitted. `done` is not called if it is dropped, and then the result is
   * false.
   */
  make(intended: Instant, order: Order, done: RequestEnd): boolean {
    const isMade = this.#make(intended, order, done);
    if (!isMade) this.#context.limit?.giveBack();
    return isMade;
  }

  #make(intended: Instant, order: Order, done: RequestEnd): boolean {
    const { clock, admit, secrets = [] } = this.#context;
    const { connections, space, apiKey, base } = this.#caller;
    const { request, device, lookUp } = order;
    const cloudId = request.needsDevice ? device?.cloudId : '';
    if (cloudId === undefined) {
      this.drop(intended, request.label, 'the device does not exist in the cloud');
      const type = request.queues(NOTHING, '')?.type;
      if (type !== undefined && device !== undefined) this.#emitRejected(device.serial, type);
      return false;
    }
    if (connections.waiting >= MOST_WAITING) return this.drop(intended, request.label, UNSENT[0]);
    const place = { space, device: cloudId, lookUp, base, secrets: [apiKey, ...secrets] };
    const made = request.make(place);
    if (typeof made === 'string') return this.drop(intended, request.label, made);
    const pending: PendingRequest = { order, intended, place, made, sent: undefined };
    this.#unfinished.add(pending);
    const hold = new ClockHold(clock, this.#what);
    const over: RequestEnd = (away, ok) => {
      done(away, ok);
      hold.end();
    };
    if (admit === undefined) this.#acquire(pending, over);
    else void this.#pass(admit, pending, hold, over);
    return true;
  }

  /** Counts a request that is not sent. */
  drop(intended: Instant, call: string, why: string, { waited }: Pick<PendingRequest, 'waited'> = {}): false {
    const { clock, trace } = this.#context;
    trace.emit({
      kind: 'call.dropped',
      at: clock.now,
      call,
      intended,
      why,
      ...(waited && { waited }),
      ...this.#chain,
    });
    return false;
  }

  /**
   * Ends the accounting: each request that still waits for a connection is dropped; later responses do not count.
   * @param planned number of requests that were due by their labels, as counted by the load
   */
  close(planned: ReadonlyMap<string, number>): void {
    const { clock, trace, limit, speed = 1 } = this.#context;
    this.#closed = true;
    for (const pending of this.#unfinished) {
      const { intended, sent, order } = pending;
      const why = clock.now - intended < SHORTLY * speed ? OVER : UNSENT[1];
      if (sent !== undefined) {
        this.#noteUnanswered(pending);
        continue;
      }
      this.drop(intended, order.request.label, why, pending);
      limit?.giveBack();
    }
    for (const [call, count] of planned) {
      trace.emit({ kind: 'load.closed', at: clock.now, call, planned: count, closedLoop: this.#closedLoop });
    }
  }

  async #pass(admit: Admission, pending: PendingRequest, hold: ClockHold, over: RequestEnd): Promise<void> {
    const sent = this.#noteSent(pending);
    if (await admit(hold)) return this.#acquire(pending, over);
    this.#noteDone(pending, { at: this.#context.clock.now, sent, status: 0, why: 'ECONNREFUSED' });
    over(0, false);
  }

  /** Sends a request as soon as a connection is free. */
  #acquire(pending: PendingRequest, over: RequestEnd): void {
    const { connections } = this.#caller;
    connections.acquire(() =>
      this.#send(pending, (away, ok) => {
        connections.release();
        over(away, ok);
      }),
    );
    if (pending.sent !== undefined) return;
    const { clock, trace } = this.#context;
    pending.waited = true;
    const call = pending.order.request.label;
    trace.emit({ kind: 'call.waits', at: clock.now, call, intended: pending.intended, ...this.#chain });
  }

  /** Notes that a request is sent now; returns the time. */
  #noteSent(pending: PendingRequest): Instant {
    const { clock, trace, limit } = this.#context;
    const { intended, waited, order } = pending;
    const at = clock.now;
    pending.sent = at;
    limit?.sent();
    const call = order.request.label;
    const held = order.held > 0 && { held: order.held };
    trace.emit({ kind: 'call.sent', at, call, intended, ...(waited && { waited }), ...held, ...this.#chain });
    return at;
  }

  #send(pending: PendingRequest, over: RequestEnd): void {
    if (this.#closed) return over(0, false);
    const { clock, serviceSpeed = 1 } = this.#context;
    const sent = pending.sent ?? this.#noteSent(pending);
    this.#caller.sender.send(pending.made, (result) => {
      if (this.#closed) return over(0, false);
      // The time that this process takes to read the body is not part of the latency.
      const at = clock.now;
      const ok = this.#noteDone(pending, { at, sent, status: result.status, ...this.#judge(pending, result) });
      over(result.retryAfter * serviceSpeed, ok);
    });
  }

  #judge(pending: PendingRequest, result: CallResult): Pick<CallDone, 'why' | 'found' | 'expected'> {
    const { status, why: broken } = result;
    const { order, place } = pending;
    const { request, keep } = order;
    const isAccepted = status >= 200 && status < 300;
    if (isUndecided(status) || (isAccepted && broken !== '')) this.#noteUnanswered(pending);
    if (broken !== '' || status === 0 || !(isAccepted || request.anyStatus)) return { why: broken };
    const judgement = request.judge(result, place, keep);
    // The charset of an answer, for example, is a text of the service.
    if (judgement.why !== '') return { ...judgement, why: hideSecrets(judgement.why, place.secrets, '(hidden)') };
    if (!isAccepted) return { why: '', expected: true };
    const queued = this.#queued(pending);
    const isNamed = queued === undefined || this.#context.accepted(result.body, queued.content);
    return { why: isNamed ? '' : 'the answer names no downlink' };
  }

  /** Whether the request was answered as it should be. */
  #noteDone(
    pending: PendingRequest,
    end: Pick<CallDone, 'at' | 'sent' | 'status' | 'why' | 'found' | 'expected'>,
  ): boolean {
    if (this.#closed) return false;
    this.#unfinished.delete(pending);
    const { intended, order } = pending;
    const { at, ...rest } = end;
    const call = order.request.label;
    this.#context.trace.emit({ kind: 'call.done', at, call, intended, ...rest, ...this.#chain });
    const ok = isAnswered(end);
    if (!ok) this.#noteRejected(pending);
    return ok;
  }

  /** The downlink that a request queues, with the serial number of its device; undefined if it queues none. */
  #queued({ order, place, made }: PendingRequest): QueuedDownlink | undefined {
    const queued = order.request.queues(made, place.device);
    if (queued === undefined) return undefined;
    const { handles } = this.#context;
    const { device: id, type, content } = queued;
    const device = id === place.device ? order.device : handles.find(({ cloudId }) => cloudId === id);
    return device && { type, serial: device.serial, content };
  }

  /** Reports a request without an answer: if it queues a downlink, the cloud may or may not have queued one. */
  #noteUnanswered(pending: PendingRequest): void {
    const queued = this.#queued(pending);
    if (queued === undefined) return;
    // A load may send any text.
    this.#context.unanswered?.(queued.serial, queued.type, foreignJson(queued.content));
  }

  /** Called for an unusable answer: a request for a downlink counts one as rejected. */
  #noteRejected(pending: PendingRequest): void {
    const queued = this.#queued(pending);
    if (queued !== undefined) this.#emitRejected(queued.serial, queued.type);
  }

  #emitRejected(serial: number, type: DownlinkType): void {
    const { clock, trace } = this.#context;
    trace.emit({ kind: 'downlink.rejected', at: clock.now, serial, type });
  }
}

/** For a device that does not exist, no request is made: only the type of the downlink is asked for. */
const NOTHING: CallRequest = { method: 'POST', path: '', body: undefined };
