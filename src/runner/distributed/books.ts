/**
 * The books of one part of a run: which of its planned work is done. If its worker is lost, all other work that was planned until the
 * end of the run is lost with it, so that everything planned is either done or lost.
 */
import { seededRandom } from '../../kernel/random.js';
import type { Instant } from '../../kernel/time.js';
import type { Plan, PlannedLoad } from '../../scenario/model/plan.js';
import { describeStep, queuedBy } from '../../scenario/steps/index.js';
import { dispatchTo, type Handlers } from '../../trace/dispatch.js';
import type { TraceEvent, UplinkType } from '../../trace/events.js';
import { ownArrivals } from '../load/own-arrivals.js';

/** Numbers of what was lost. */
export interface LostCounts {
  /** Uplinks that were ready and neither acknowledged nor dropped. */
  uplinks: number;
  /** Downlinks that were queued and neither delivered, cancelled nor expired. */
  downlinks: number;
  /** Planned steps, one per device. */
  steps: number;
  /** Planned API requests of loads at a rate. */
  requests: number;
}

interface OpenUplink {
  readonly serial: number;
  readonly uplink: number;
  readonly type: UplinkType;
}

export class PartBooks {
  readonly #plan: Plan;
  readonly #uplinks = new Map<string, OpenUplink>();
  readonly #downlinks = new Set<string>();
  /** Executions of each step by serial number. */
  readonly #steps = new Map<string, Map<number, number>>();
  /** Requests of each load that were sent or dropped. */
  readonly #requests = new Map<string, number>();
  /** Requests that were due until the part closed a load. */
  readonly #closedLoads = new Map<string, number>();
  #sent = 0;
  readonly #dispatch = dispatchTo([{ on: this.#handlers() }]);

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Requests of all loads that were sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Takes an event of the part. */
  take(event: TraceEvent): void {
    for (const handler of this.#dispatch.get(event.kind) ?? []) handler(event);
  }

  /**
   * The events that account for the lost work, and at last its numbers.
   * @param at when the run ended
   * @param until work that was planned for a later time is not lost: the run was stopped before
   * @param why such as `lost with worker 3`
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

  /** Requests at a rate are counted by their times. A user of a closed load has no requests but those that it made. */
  *#loseRequests(load: PlannedLoad, at: Instant, until: Instant, why: string): Generator<TraceEvent, number> {
    const { name: call, pace } = load;
    const closedLoop = pace.kind === 'closed';
    const closed = this.#closedLoads.get(call);
    if (closed !== undefined && closedLoop) return 0;
    const known = closed ?? this.#requestsOf(call);
    let planned = closedLoop ? known : 0;
    if (!closedLoop) {
      for (const intended of ownArrivals(load, seededRandom(this.#plan.seed))) {
        if (intended > until) break;
        // Which of the requests were done is not known exactly: the last ones count as lost.
        if (++planned > known) yield { kind: 'call.dropped', at, call, intended, why };
      }
    }
    const lost = Math.max(0, planned - known);
    // What the part has closed is in the books already.
    yield { kind: 'load.closed', at, call, planned: closed === undefined ? planned : lost, closedLoop };
    return lost;
  }

  #handlers(): Handlers {
    const uplinkEnds = ({ serial, uplink }: OpenUplink) => void this.#uplinks.delete(`${serial}/${uplink}`);
    const downlinkEnds = ({ downlink }: { readonly downlink: string }) => void this.#downlinks.delete(downlink);
    const requested = ({ call }: { readonly call: string }) =>
      void this.#requests.set(call, this.#requestsOf(call) + 1);
    const sent = (request: { readonly call: string }) => {
      this.#sent++;
      requested(request);
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
      'call.done': sent,
      'call.dropped': requested,
      'call.open': sent,
      'load.closed': ({ call, planned }) => void this.#closedLoads.set(call, planned),
    };
  }

  #requestsOf(load: string): number {
    return this.#requests.get(load) ?? 0;
  }

  /** Whether the step was executed for the device, once for each call. */
  #isDone(step: string, serial: number): boolean {
    const bySerial = this.#steps.get(step);
    const times = bySerial?.get(serial) ?? 0;
    if (times > 0) bySerial?.set(serial, times - 1);
    return times > 0;
  }
}
