/** The network faults of a running world: those of its plan, and those that its user injects. Each can be lifted. */
import type { Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import { describeFaultSpec } from '../../scenario/faults/network.js';
import type { Plan, PlannedFault } from '../../scenario/model/plan.js';
import type { ScheduledFault, Way } from '../../transport/faults/fault.js';
import { FaultList } from '../../transport/faults/fault-list.js';
import type { FaultSpec } from '../../transport/faults/index.js';

/** A fault as its user sees it. */
interface LiveFault {
  readonly id: string;
  /** `loss 10%` */
  readonly fault: string;
  readonly way: Way | 'both';
  /** Selector of its devices; null: all. */
  readonly to: string | null;
  readonly from: Instant;
  /** Null: until it is lifted. */
  readonly until: Instant | null;
  readonly state: 'planned' | 'active' | 'over';
  readonly injected: boolean;
}

interface Injection extends Omit<PlannedFault, 'from' | 'until'> {
  /** Undefined: until it is lifted. */
  readonly lasts: Millis | undefined;
}

interface Kept {
  readonly id: string;
  readonly injected: boolean;
  readonly fault: PlannedFault;
  readonly scheduled: ScheduledFault<FaultSpec>;
}

export class LiveFaults {
  /** What the transport applies. */
  readonly list: FaultList;
  readonly #plan: Plan;
  readonly #clock: Clock;
  #faults: readonly Kept[];
  #injected = 0;

  constructor(plan: Plan, clock: Clock) {
    this.#plan = plan;
    this.#clock = clock;
    this.#faults = plan.network.map((fault, n): Kept => this.#kept(`planned-${n + 1}`, fault, false));
    this.list = new FaultList(this.#faults.map(({ scheduled }) => scheduled));
  }

  /** All faults in the order of the plan and of their injection, except planned ones that were cancelled. */
  all(): readonly LiveFault[] {
    const now = sinceStart(this.#clock.now);
    return this.#faults.map(({ id, injected, fault: { fault, way, to, from, until } }) => ({
      ...{ id, fault: describeFaultSpec(fault), way, to, from, until, injected },
      state: now < from ? 'planned' : until === null || now < until ? 'active' : 'over',
    }));
  }

  /** The plan with the faults as they are: injected ones, and the ends of those that were lifted. */
  get happened(): Plan {
    return { ...this.#plan, network: this.#faults.map(({ fault }) => fault) };
  }

  /** Begins a fault now; returns its id. */
  inject({ lasts, ...fault }: Injection): string {
    const from = sinceStart(this.#clock.now);
    const until = lasts === undefined ? null : from + lasts;
    const kept = this.#kept(`injected-${++this.#injected}`, { ...fault, from, until }, true);
    this.#faults = [...this.#faults, kept];
    this.list.add(kept.scheduled);
    return kept.id;
  }

  /** Ends a fault now, or cancels a planned one. False for an unknown fault, and for one that is over. */
  lift(id: string): boolean {
    const now = sinceStart(this.#clock.now);
    const lifted = this.#faults.find((each) => each.id === id);
    if (lifted === undefined || now >= (lifted.fault.until ?? Number.POSITIVE_INFINITY)) return false;
    this.list.remove(lifted.scheduled);
    const ended = now < lifted.fault.from ? [] : [{ ...lifted, fault: { ...lifted.fault, until: now } }];
    this.#faults = this.#faults.flatMap((each) => (each === lifted ? ended : each));
    return true;
  }

  #kept(id: string, fault: PlannedFault, injected: boolean): Kept {
    const { from, until, devices, way } = fault;
    const serials = new Set(devices?.map((index) => this.#plan.devices[index]?.serial));
    const hits = devices === null ? () => true : (serial: number) => serials.has(serial);
    const scheduled = { fault: fault.fault, from, until: until ?? Number.POSITIVE_INFINITY, way, hits };
    return { id, injected, fault, scheduled };
  }
}
