/**
 * Records which planned work of one part of a run is done. If the worker of the part is lost, the rest of the work that was
 * planned until the end of the run counts as lost. So all planned work is either done or lost.
 */
import { seededRandom } from '../../kernel/random.js';
import type { Instant } from '../../kernel/time.js';
import { prepare } from '../../scenario/load/ready.js';
import type { Plan, PlannedLoad } from '../../scenario/model/plan.js';
import { describeStep, queuedBy } from '../../scenario/steps/index.js';
import { dispatchTo, type Handlers } from '../../trace/dispatch.js';
import type { TraceEvent, UplinkType } from '../../trace/events.js';
import { drawOwnArrivals } from '../load/own-arrivals.js';

/** Amounts of lost work. */
export interface LostCounts {
  /** Uplinks that were ready and neither acknowledged nor dropped. */
  uplinks: number;
  /** Downlinks that were queued and neither delivered, cancelled nor expired. */
  downlinks: number;
  /** Planned steps that were not executed. A step for three devices counts three times. */
  steps: number;
  /** API requests that loads with a rate had planned and neither sent nor dropped. */
  requests: number;
}

interface OpenUplink {
  readonly serial: number;
  readonly uplink: number;
  readonly type: UplinkType;
}

interface OpenRequest {
  readonly call: string;
  readonly intended: Instant;
}

export class PartWork {
  readonly #plan: Plan;
  readonly #uplinks = new Map<string, OpenUplink>();
  readonly #downlinks = new Set<string>();
  /** Number of executions of each step, by serial number. */
  readonly #steps = new Map<string, Map<number, number>>();
  /** Number of requests that were sent or dropped, by load. */
  readonly #requests = new Map<string, number>();
  /** Due times of the requests that wait for a connection, by load. */
  readonly #waiting = new Map<string, Instant[]>();
  /** Number of requests that were due when the part ended the load, by load. */
  readonly #closedLoads = new Map<string, number>();
  #sent = 0;
  readonly #dispatch = dispatchTo([{ on: this.#handlers() }]);

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Number of requests that were sent, for all loads together. */
  get sent(): number {
    return this.#sent;
  }

  /** Takes an event of the part. */
  take(event: TraceEvent): void {
    for (const handler of this.#dispatch.get(event.kind) ?? []) handler(event);
  }

  /**
   * Yields the events that account for the lost work, and returns the amounts.
   * @param at when the run ended
   * @param until work that was planned for a later time does not count as lost, because the run had ended by then
   * @param why reason for the events, such as `lost with worker 3`
   */
  *lose(at: Instant, until: Instant, why: string): Generator<TraceEvent, LostCounts> {
    const counts = { uplinks: this.#uplinks.size, downlinks: this.#downlinks.size, steps: 0, requests: 0 };
    for (const { serial, uplink, type } of this.#uplinks.values()) {
      yield { kind: 'uplink.dropped', at, serial, uplink, type, why };
    }
    for (const action of this.#plan.actions) {
      if (action.at > until) continue;
      const step = describeStep(action);
      const queues = queuedBy(action.step);
      for (const index of action.devices) {
        const serial = this.#plan.devices[index]?.serial ?? 0;
        if (this.#isDone(step, serial)) continue;
        counts.steps++;
        yield { kind: 'step', at, serial, step, ok: false, note: why };
        if (queues !== undefined) yield { kind: 'downlink.rejected', at, serial, type: queues };
      }
    }
    for (const load of this.#plan.loads) {
      counts.requests += yield* this.#loseRequests(load, at, until, why);
    }
    return counts;
  }

  /**
   * A load with a rate loses the requests that were due until `until` and are not done. A closed-loop load loses only those
   * that wait for a connection, because its requests are not planned in advance. The same holds for all requests of a chain
   * after its first one.
   */
  *#loseRequests(load: PlannedLoad, at: Instant, until: Instant, why: string): Generator<TraceEvent, number> {
    const random = seededRandom(this.#plan.seed);
    const { labels, chained, chainOf } = prepare(load, random);
    const closedLoop = load.pace.kind === 'closed';
    const due = new Map(labels.map((label) => [label, [] as Instant[]]));
    if (!closedLoop) {
      for (const { k, due: intended } of drawOwnArrivals(load, random)) {
        if (intended > until) break;
        due.get(chainOf(k)[0]?.label ?? '')?.push(intended);
      }
    }
    let lost = 0;
    for (const call of labels) {
      const own = { call, closedLoop, ...(chained && { chain: load.name }) };
      lost += yield* this.#loseOf(own, due.get(call) ?? [], at, why);
    }
    return lost;
  }

  /** @param due the due times of its planned requests */
  *#loseOf(
    { closedLoop, ...labelled }: { readonly call: string; readonly closedLoop: boolean; readonly chain?: string },
    due: readonly Instant[],
    at: Instant,
    why: string,
  ): Generator<TraceEvent, number> {
    const { call } = labelled;
    const closed = this.#closedLoads.get(call);
    if (closed !== undefined && closedLoop) return 0;
    const known = closed ?? this.#requestsOf(call);
    const waiting = this.#waiting.get(call) ?? [];
    for (const intended of waiting) yield { kind: 'call.dropped', at, ...labelled, intended, why, waited: true };
    const accounted = known + waiting.length;
    // Only the number of done requests is known, not which ones: the earliest count as done, the rest as lost.
    for (const intended of due.slice(accounted)) {
      const iteration = labelled.chain === undefined ? undefined : { at, call: labelled.chain, intended };
      if (iteration) yield { kind: 'chain.began', ...iteration };
      yield { kind: 'call.dropped', at, ...labelled, intended, why };
      if (iteration) yield { kind: 'chain.ended', ...iteration, ok: false };
    }
    const planned = Math.max(accounted, due.length);
    const lost = Math.max(0, planned - known);
    // If the part has ended the load itself, its own event has already reported the requests that were due by then.
    yield { kind: 'load.closed', at, call, planned: closed === undefined ? planned : lost, closedLoop };
    return lost;
  }

  #handlers(): Handlers {
    const uplinkEnds = ({ serial, uplink }: OpenUplink) => void this.#uplinks.delete(`${serial}/${uplink}`);
    const downlinkEnds = ({ downlink }: { readonly downlink: string }) => void this.#downlinks.delete(downlink);
    const requested = ({ call }: { readonly call: string }) =>
      void this.#requests.set(call, this.#requestsOf(call) + 1);
    const waits = ({ call, intended }: OpenRequest) => {
      const waiting = this.#waiting.get(call);
      if (waiting === undefined) this.#waiting.set(call, [intended]);
      else waiting.push(intended);
    };
    const waited = ({ call, intended }: OpenRequest) => {
      const waiting = this.#waiting.get(call) ?? [];
      waiting.splice(waiting.indexOf(intended), 1);
    };
    return {
      'uplink.made': (event) => void this.#uplinks.set(`${event.serial}/${event.uplink}`, event),
      'uplink.acked': uplinkEnds,
      'uplink.dropped': uplinkEnds,
      'downlink.queued': ({ downlink }) => void this.#downlinks.add(downlink),
      'downlink.delivered': downlinkEnds,
      'downlink.cancelled': downlinkEnds,
      'downlink.expired': downlinkEnds,
      step: ({ step, serial }) => {
        const bySerial = this.#steps.get(step) ?? new Map<number, number>();
        this.#steps.set(step, bySerial.set(serial, (bySerial.get(serial) ?? 0) + 1));
      },
      'call.waits': waits,
      'call.sent': (request) => {
        this.#sent++;
        requested(request);
        if (request.waited) waited(request);
      },
      'call.dropped': (request) => {
        requested(request);
        if (request.waited) waited(request);
      },
      'load.closed': ({ call, planned }) => void this.#closedLoads.set(call, planned),
    };
  }

  #requestsOf(load: string): number {
    return this.#requests.get(load) ?? 0;
  }

  /**
   * Whether the step was executed for the device. Each call uses up one execution, because a step may be planned several times.
   */
  #isDone(step: string, serial: number): boolean {
    const bySerial = this.#steps.get(step);
    const times = bySerial?.get(serial) ?? 0;
    if (times > 0) bySerial?.set(serial, times - 1);
    return times > 0;
  }
}
