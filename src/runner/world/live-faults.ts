/** The network faults of a running world: those of its plan, and those that its user injects. Each can be lifted. */
import type { Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import { describeFaultSpec } from '../../scenario/faults/network.js';
import type { Plan } from '../../scenario/model/plan.js';
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

interface Injection {
  readonly fault: FaultSpec;
  readonly way: Way | 'both';
  readonly to: string | null;
  /** Serial numbers of its devices; null: all. */
  readonly serials: ReadonlySet<number> | null;
  /** Undefined: until it is lifted. */
  readonly lasts: Millis | undefined;
}

interface Kept {
  readonly id: string;
  readonly to: string | null;
  readonly injected: boolean;
  readonly scheduled: ScheduledFault<FaultSpec>;
}

export class LiveFaults {
  /** What the transport applies. */
  readonly list: FaultList;
  readonly #clock: Clock;
  readonly #faults: Kept[];
  #injected = 0;

  constructor(plan: Plan, clock: Clock) {
    this.#clock = clock;
    this.#faults = plan.network.map(({ fault, from, until, devices, way, to }, n): Kept => {
      const serials = new Set(devices?.map((index) => plan.devices[index]?.serial));
      const hits = devices === null ? () => true : (serial: number) => serials.has(serial);
      const scheduled = { fault, from, until: until ?? Number.POSITIVE_INFINITY, way, hits };
      return { id: `planned-${n + 1}`, to, injected: false, scheduled };
    });
    this.list = new FaultList(this.#faults.map(({ scheduled }) => scheduled));
  }

  /** All faults that have not been lifted, in the order of the plan and of their injection. */
  all(): readonly LiveFault[] {
    const now = sinceStart(this.#clock.now);
    return this.#faults.map(({ id, to, injected, scheduled: { fault, way, from, until } }) => ({
      ...{ id, fault: describeFaultSpec(fault), way, to, from, until: Number.isFinite(until) ? until : null, injected },
      state: now < from ? 'planned' : now < until ? 'active' : 'over',
    }));
  }

  /** Begins a fault now; returns its id. */
  inject({ fault, way, to, serials, lasts }: Injection): string {
    const from = sinceStart(this.#clock.now);
    const until = lasts === undefined ? Number.POSITIVE_INFINITY : from + lasts;
    const hits = serials === null ? () => true : (serial: number) => serials.has(serial);
    const kept = {
      id: `injected-${++this.#injected}`,
      to,
      injected: true,
      scheduled: { fault, from, until, way, hits },
    };
    this.#faults.push(kept);
    this.list.add(kept.scheduled);
    return kept.id;
  }

  /** Ends a fault now, or cancels a planned one. False for an unknown id. */
  lift(id: string): boolean {
    const at = this.#faults.findIndex((each) => each.id === id);
    const [lifted] = at < 0 ? [] : this.#faults.splice(at, 1);
    if (lifted) this.list.remove(lifted.scheduled);
    return lifted !== undefined;
  }
}
