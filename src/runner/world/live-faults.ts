/**
 * The faults of a run in progress: those of its plan, and those that its user injects. A user can lift faults of both kinds.
 * Each period of a recurring fault is a fault of its own for the user.
 */
import { append } from '../../kernel/append.js';
import type { Clock } from '../../kernel/clock.js';
import { UsageError } from '../../kernel/errors.js';
import { type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import {
  datagramsOf,
  describeFault,
  type FaultCall,
  isOnce,
  kindOf,
  stepsOfFault,
  timedSteps,
  wayOf,
} from '../../scenario/faults/index.js';
import type { FaultKind } from '../../scenario/faults/kind.js';
import type { FaultWindow, Plan, PlannedAction, PlannedFault } from '../../scenario/model/plan.js';
import type { StepCall } from '../../scenario/steps/index.js';
import type { ScheduledFault, Way } from '../../transport/faults/fault.js';
import { FaultList } from '../../transport/faults/fault-list.js';
import type { Target } from '../targets/target.js';

/** A fault as the user of the run sees it. */
interface LiveFault {
  readonly id: string;
  /** `loss 10%` */
  readonly fault: string;
  readonly part: FaultKind<never>['part'];
  readonly way: Way | 'both';
  /** Selector of its devices; null for all devices. */
  readonly to: string | null;
  readonly from: Instant;
  /** Null if the fault has no planned end. */
  readonly until: Instant | null;
  readonly state: 'planned' | 'active' | 'over';
  readonly injected: boolean;
}

interface Injection {
  readonly call: FaultCall;
  /** Text of the selector of its devices; null for all devices. */
  readonly to: string | null;
  /** Indices into the devices of the plan; null for all devices. */
  readonly devices: readonly number[] | null;
  /** Undefined if the fault lasts until it is lifted. */
  readonly lasts: Millis | undefined;
}

/** One period of a planned or injected fault. */
interface Period {
  readonly id: string;
  readonly fault: PlannedFault;
  /** As planned or injected. */
  readonly window: FaultWindow;
  /** Set if the fault was lifted during the period. */
  readonly liftedAt?: Instant;
}

/** Maximum number of steps of an injected fault that repeats. */
const MOST_TIMES = 1_000;

export class LiveFaults {
  /** The faults that the transport applies. */
  readonly list: FaultList;
  readonly #plan: Plan;
  readonly #clock: Clock;
  readonly #scheduled = new Map<FaultWindow, ScheduledFault>();
  #periods: readonly Period[];
  /** The periods that were lifted or cancelled; the later steps of their faults are skipped. */
  #lifted: readonly { readonly fault: PlannedFault; readonly window: FaultWindow; readonly at: Instant }[] = [];
  /** The lifted periods with their places in the list, for {@link restore}. */
  readonly #restorable = new Map<string, { readonly period: Period; readonly index: number }>();
  /** The steps of injected faults, and those that end lifted faults. */
  #actions: readonly PlannedAction[] = [];
  #service: Target['faults'];
  #carryOut: (action: PlannedAction) => void = () => {};
  #injected = 0;

  constructor(plan: Plan, clock: Clock) {
    this.#plan = plan;
    this.#clock = clock;
    const periods = plan.faults.flatMap((fault) => fault.windows.map((window) => ({ fault, window })));
    this.#periods = periods.map((period, n) => ({ ...period, id: `planned-${n + 1}` }));
    this.list = new FaultList(periods.flatMap(({ fault, window }) => this.#schedule(fault, window) ?? []));
  }

  /** @param service carries out the faults of the cloud; undefined for a cloud that cannot have faults */
  serve(service: Target['faults']): void {
    this.#service = service;
  }

  /** From now on, passes the steps of injected faults to `carryOut`. */
  begin(carryOut: (action: PlannedAction) => void): void {
    this.#carryOut = carryOut;
  }

  /** Whether a step belongs to a fault that was lifted before the time of the step. */
  skips({ fault, at }: PlannedAction): boolean {
    return (
      fault !== undefined &&
      this.#lifted.some((each) => each.fault.id === fault && at > each.at && isIn(each.window, at))
    );
  }

  /** All faults in the order of the plan and of their injection, except planned ones that were cancelled. */
  all(): readonly LiveFault[] {
    const now = sinceStart(this.#clock.now);
    return this.#periods.map(({ id, fault, window: { from, until: planned }, liftedAt }) => {
      const until = liftedAt ?? planned;
      const { part } = kindOf(fault);
      return {
        id,
        fault: describeFault(fault),
        part,
        way: wayOf(fault),
        to: fault.to,
        from,
        until,
        injected: fault.id.startsWith('injected'),
        state: now < from ? 'planned' : until === null || now < until ? 'active' : 'over',
      };
    });
  }

  /** Ids of the faults that affect a device, or all devices. @param serial its serial number */
  affecting(serial: number): readonly string[] {
    const { devices: all } = this.#plan;
    return this.#periods.flatMap(({ id, fault: { devices } }) =>
      devices === null || devices.some((index) => all[index]?.serial === serial) ? [id] : [],
    );
  }

  /** The plan with the faults as they happened: it includes the injected faults, and a lifted fault ends when it was lifted. */
  get happened(): Plan {
    const windows = new Map<PlannedFault, FaultWindow[]>();
    for (const { fault, window, liftedAt } of this.#periods) {
      const ended = liftedAt === undefined ? window : { ...window, until: liftedAt };
      append(windows, fault, ended);
    }
    return {
      ...this.#plan,
      faults: [...windows].map(([fault, ended]) => ({ ...fault, windows: ended })),
      actions: [...this.#plan.actions, ...this.#actions]
        .filter((action) => !this.skips(action))
        .sort((a, b) => a.at - b.at),
    };
  }

  /** Begins a fault now; returns its id. @throws UsageError if it needs the embedded cloud and the run has another */
  inject({ call, to, devices, lasts }: Injection): string {
    const { duration, service } = kindOf(call);
    if (service && !this.#service) {
      throw new UsageError('bad-fault', `the fault ${call.kind} requires the embedded cloud`);
    }
    const from = sinceStart(this.#clock.now);
    const length = lasts ?? duration?.of(call.options) ?? undefined;
    const window = { from, until: isOnce(call) ? from : length === undefined ? null : from + length };
    const id = `injected-${++this.#injected}` as const;
    const fault: PlannedFault = { ...call, id, to, devices, windows: [window] };
    this.#periods = [...this.#periods, { id, fault, window }];
    const scheduled = this.#schedule(fault, window);
    if (scheduled) this.list.add(scheduled);
    if (service) this.#service?.add(fault, window);
    for (const { at, call: step } of timedSteps(call, window, this.#plan.duration).slice(0, MOST_TIMES)) {
      this.#carry(step, at, fault);
    }
    return id;
  }

  /** Ends an active fault now, or cancels a planned one. Returns false for an unknown fault, and for one that is over. */
  lift(id: string): boolean {
    const now = sinceStart(this.#clock.now);
    const lifted = this.#periods.find((each) => each.id === id);
    if (lifted === undefined || now >= (lifted.liftedAt ?? lifted.window.until ?? Number.POSITIVE_INFINITY))
      return false;
    const { fault, window } = lifted;
    this.#restorable.set(id, { period: lifted, index: this.#periods.indexOf(lifted) });
    this.#lifted = [...this.#lifted, { fault, window, at: now }];
    const scheduled = this.#scheduled.get(window);
    if (scheduled) this.list.remove(scheduled);
    if (kindOf(fault).service) this.#service?.remove(fault, window);
    const end = stepsOfFault(fault)?.end ?? null;
    if (end !== null && now >= window.from) this.#carry(end, now, fault);
    const ended = now < window.from ? [] : [{ ...lifted, liftedAt: now }];
    this.#periods = this.#periods.flatMap((each) => (each === lifted ? ended : each));
    return true;
  }

  /**
   * Undoes {@link lift}: a planned fault is planned again, and another one begins again, as a new fault for the rest of its
   * time. Returns false if the fault was not lifted, or its time is over.
   */
  restore(id: string): boolean {
    const lifted = this.#restorable.get(id);
    if (lifted === undefined) return false;
    this.#restorable.delete(id);
    const { period, index } = lifted;
    const { fault, window } = period;
    const now = sinceStart(this.#clock.now);
    if (now >= window.from) {
      const lasts = window.until === null ? undefined : window.until - now;
      if (lasts !== undefined && lasts <= 0) return false;
      this.inject({ call: fault, to: fault.to, devices: fault.devices, lasts });
      return true;
    }
    this.#lifted = this.#lifted.filter((each) => each.window !== window);
    this.#periods = this.#periods.toSpliced(index, 0, period);
    const scheduled = this.#schedule(fault, window);
    if (scheduled) this.list.add(scheduled);
    if (kindOf(fault).service) this.#service?.add(fault, window);
    return true;
  }

  /** Carries out a step of a fault now or later. */
  #carry(call: StepCall, at: Instant, fault: PlannedFault): void {
    const devices = fault.devices ?? this.#plan.devices.map((_, index) => index);
    const action: PlannedAction = { ...call, origin: INJECTED, at, fault: fault.id, devices };
    this.#actions = [...this.#actions, action];
    this.#carryOut(action);
  }

  #schedule(fault: PlannedFault, window: FaultWindow): ScheduledFault | undefined {
    const datagrams = datagramsOf(fault);
    if (datagrams === undefined) return undefined;
    const { devices } = fault;
    const serials = new Set(devices?.map((index) => this.#plan.devices[index]?.serial));
    const hits = devices === null ? () => true : (serial: number) => serials.has(serial);
    const scheduled = { ...datagrams, from: window.from, until: window.until ?? Number.POSITIVE_INFINITY, hits };
    this.#scheduled.set(window, scheduled);
    return scheduled;
  }
}

/** Origin of the steps of injected faults: they are not in the scenario. */
const INJECTED = -1;

/** Whether a step at `at` belongs to the period: the step that ends a fault is at the end of the period. */
function isIn({ from, until }: FaultWindow, at: Instant): boolean {
  return at >= from && (until === null || at <= until);
}
