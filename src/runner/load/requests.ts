/**
 * The requests of one load, and their accounting. A request is sent as soon as a connection is free; the waiting time is part
 * of its latency. Every request is accounted for: answered, failed, open at the end, or dropped for a reason.
 */
import type { EdgeClock } from '../../kernel/clock.js';
import { ClockHold } from '../../kernel/clock-hold.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import { findUselessReason, getDownlinkType, isOfDevice, makeRequest } from '../../scenario/load/calls.js';
import type { PlannedLoad } from '../../scenario/model/plan.js';
import type { DeviceHandle } from '../../scenario/world.js';
import type { DownlinkType, Trace } from '../../trace/events.js';
import { isAnswered } from '../../trace/metrics/calls.js';
import type { Admission } from '../targets/target.js';
import { isUndecided } from '../targets/undecided.js';
import type { Caller } from './callers.js';

export interface RequestContext {
  readonly clock: EdgeClock;
  readonly trace: Trace;
  /** All devices of the plan, in its order. */
  readonly handles: readonly DeviceHandle[];
  /** Called before every request; undefined if no fault can delay or stop it. */
  readonly admit?: Admission | undefined;
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

/** Real time. A shorter wait for a connection does not show that the runner has too few. */
const SHORTLY: Millis = seconds(1);

/** Limit of requests that wait for a connection. */
const MOST_WAITING = 100_000;

interface PendingRequest {
  /** When it was due. */
  readonly intended: Instant;
  /** Device of the request; undefined for a request about the space. */
  readonly device: DeviceHandle | undefined;
  /** Id of the device in the cloud; empty for a request about the space. */
  readonly cloudId: string;
  /** When it was sent, or passed to {@link RequestContext.admit}; undefined before that. */
  sent: Instant | undefined;
  /** Set if it has waited for a connection. */
  waited?: true;
}

export class Requests {
  readonly #load: PlannedLoad;
  readonly #context: RequestContext;
  readonly #caller: Caller;
  readonly #unfinished = new Set<PendingRequest>();
  /** Type of the downlink that each request queues; undefined if requests of this load queue none. */
  readonly #queues: DownlinkType | undefined;
  readonly #what: string;
  #count = 0;
  #closed = false;

  constructor(load: PlannedLoad, context: RequestContext, caller: Caller) {
    this.#load = load;
    this.#context = context;
    this.#caller = caller;
    this.#queues = getDownlinkType(load.call);
    this.#what = `a request of the load "${load.name}"`;
  }

  /** Number of requests that were due and are not finished. */
  get unfinished(): number {
    return this.#unfinished.size;
  }

  /** Makes a request due at `intended` for the next device. `done` gets the demanded wait. False if the request is dropped. */
  make(intended: Instant, done: (away: Millis) => void = () => {}): boolean {
    const { clock, admit } = this.#context;
    const { connections } = this.#caller;
    const device = this.#findNextDevice();
    const cloudId = isOfDevice(this.#load.call.kind) ? device?.cloudId : '';
    if (cloudId === undefined) {
      this.drop(intended, 'the device does not exist in the cloud');
      this.#noteRejected(device);
      return false;
    }
    if (connections.waiting >= MOST_WAITING) return this.drop(intended, UNSENT[0]);
    const pending: PendingRequest = { intended, device, cloudId, sent: undefined };
    this.#unfinished.add(pending);
    const hold = new ClockHold(clock, this.#what);
    const over = (away: Millis) => {
      done(away);
      hold.end();
    };
    if (admit === undefined) this.#acquire(pending, over);
    else void this.#pass(admit, pending, hold, over);
    return true;
  }

  /** The device of the next request; undefined if the requests of the load are about the space. */
  #findNextDevice(): DeviceHandle | undefined {
    const { call, devices } = this.#load;
    if (!isOfDevice(call.kind)) return undefined;
    return this.#context.handles[devices[this.#count++ % devices.length] ?? -1];
  }

  /** Counts a request that is not sent. */
  drop(intended: Instant, why: string, { waited }: Pick<PendingRequest, 'waited'> = {}): false {
    const { clock, trace } = this.#context;
    trace.emit({
      kind: 'call.dropped',
      at: clock.now,
      call: this.#load.name,
      intended,
      why,
      ...(waited && { waited }),
    });
    return false;
  }

  /**
   * Ends the accounting: each request that still waits for a connection is dropped; later responses do not count.
   * @param planned number of requests that were due, as counted by the load
   */
  close(planned: number): void {
    const { clock, trace, speed = 1 } = this.#context;
    const { name: call, pace } = this.#load;
    this.#closed = true;
    for (const pending of this.#unfinished) {
      const { intended, sent, device, cloudId } = pending;
      if (sent === undefined) this.drop(intended, clock.now - intended < SHORTLY * speed ? OVER : UNSENT[1], pending);
      else this.#noteUnanswered(device, cloudId);
    }
    trace.emit({ kind: 'load.closed', at: clock.now, call, planned, closedLoop: pace.kind === 'closed' });
  }

  async #pass(admit: Admission, pending: PendingRequest, hold: ClockHold, over: (away: Millis) => void): Promise<void> {
    const sent = this.#noteSent(pending);
    if (await admit(hold)) return this.#acquire(pending, over);
    this.#noteDone(pending, { at: this.#context.clock.now, sent, status: 0, why: 'ECONNREFUSED' });
    over(0);
  }

  /** Sends a request as soon as a connection is free. */
  #acquire(pending: PendingRequest, over: (away: Millis) => void): void {
    const { connections } = this.#caller;
    connections.acquire(() =>
      this.#send(pending, (away) => {
        connections.release();
        over(away);
      }),
    );
    if (pending.sent !== undefined) return;
    const { clock, trace } = this.#context;
    pending.waited = true;
    trace.emit({ kind: 'call.waits', at: clock.now, call: this.#load.name, intended: pending.intended });
  }

  /** Notes that a request is sent now; returns the time. */
  #noteSent(pending: PendingRequest): Instant {
    const { clock, trace } = this.#context;
    const { intended, waited } = pending;
    const at = clock.now;
    pending.sent = at;
    trace.emit({ kind: 'call.sent', at, call: this.#load.name, intended, ...(waited && { waited }) });
    return at;
  }

  #send(pending: PendingRequest, over: (away: Millis) => void): void {
    if (this.#closed) return over(0);
    const { clock, accepted, serviceSpeed = 1 } = this.#context;
    const { space, sender } = this.#caller;
    const { cloudId } = pending;
    const sent = pending.sent ?? this.#noteSent(pending);
    const { call } = this.#load;
    const request = makeRequest(call, { space, device: cloudId });
    const judged = (body: string, compressed: string | undefined): string => {
      const useless = findUselessReason(call, body, cloudId, compressed);
      if (useless !== '' || this.#queues === undefined) return useless;
      return accepted(body, request.body ?? 'null') ? '' : 'the answer names no downlink';
    };
    sender.send(request, ({ status, why, body, retryAfter, compressed }) => {
      if (this.#closed) return over(0);
      // The time that this process takes to read the body is not part of the latency.
      const at = clock.now;
      const isAccepted = status >= 200 && status < 300;
      if (isUndecided(status) || (isAccepted && why !== '')) this.#noteUnanswered(pending.device, cloudId);
      this.#noteDone(pending, { at, sent, status, why: isAccepted && why === '' ? judged(body, compressed) : why });
      over(retryAfter * serviceSpeed);
    });
  }

  #noteDone(
    pending: PendingRequest,
    {
      at,
      sent,
      status,
      why,
    }: { readonly at: Instant; readonly sent: Instant; readonly status: number; readonly why: string },
  ): void {
    if (this.#closed) return;
    this.#unfinished.delete(pending);
    const { intended } = pending;
    this.#context.trace.emit({ kind: 'call.done', at, call: this.#load.name, intended, sent, status, why });
    if (!isAnswered({ status, why })) this.#noteRejected(pending.device);
  }

  /** Reports a request without an answer: if the load queues downlinks, the cloud may or may not have queued one. */
  #noteUnanswered(device: DeviceHandle | undefined, cloudId: string): void {
    if (this.#queues === undefined || device === undefined) return;
    const { body = 'null' } = makeRequest(this.#load.call, { space: this.#caller.space, device: cloudId });
    this.#context.unanswered?.(device.serial, this.#queues, JSON.parse(body));
  }

  /** Called for an unknown device or an unusable answer: a load of downlinks counts one as rejected. */
  #noteRejected(device: DeviceHandle | undefined): void {
    const { clock, trace } = this.#context;
    if (this.#queues === undefined || device === undefined) return;
    trace.emit({ kind: 'downlink.rejected', at: clock.now, serial: device.serial, type: this.#queues });
  }
}
