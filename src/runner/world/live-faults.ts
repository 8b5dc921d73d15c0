/**
 * The faults of a run in progress: those of its plan, and those that its user injects. A user can lift faults of both kinds.
 */
import type { Clock } from '../../kernel/clock.js';
import { UsageError } from '../../kernel/errors.js';
import { type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import { describeFaultSpec } from '../../scenario/faults/network.js';
import { describeServiceFault } from '../../scenario/faults/service.js';
import type {
  Plan,
  PlannedAction,
  PlannedDeviceFault,
  PlannedFault,
  PlannedServiceFault,
} from '../../scenario/model/plan.js';
import { describeFault, type FaultCall } from '../../scenario/parse/fault-call.js';
import type { StepCall } from '../../scenario/steps/index.js';
import type { ScheduledFault, Way } from '../../transport/faults/fault.js';
import { FaultList } from '../../transport/faults/fault-list.js';
import type { FaultSpec } from '../../transport/faults/index.js';
import type { Target } from '../targets/target.js';
import { namedNetworkFaults } from './in-force.js';

/** A fault as the user of the run sees it. */
interface LiveFault {
  readonly id: string;
  /** `loss 10%` */
  readonly fault: string;
  readonly part: FaultCall['part'];
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

/** A planned or injected fault, with its entries in the plan: a network fault, a service fault, both, or a device fault. */
interface Kept {
  readonly id: string;
  readonly name: string;
  readonly part: FaultCall['part'];
  readonly way: Way | 'both';
  readonly to: string | null;
  readonly from: Instant;
  readonly until: Instant | null;
  readonly injected: boolean;
  readonly network?: PlannedFault;
  readonly service?: PlannedServiceFault;
  /** Index into the faults of devices, first the planned ones, then the injected ones. */
  readonly device?: number;
}

/** Maximum number of steps of an injected fault that repeats. */
const MOST_TIMES = 1_000;

export class LiveFaults {
  /** The network faults that the transport applies. */
  readonly list: FaultList;
  readonly #plan: Plan;
  readonly #clock: Clock;
  readonly #scheduled = new Map<PlannedFault, ScheduledFault<FaultSpec>>();
  #faults: readonly Kept[];
  #deviceFaults: readonly PlannedDeviceFault[];
  /** The steps of injected faults of devices. */
  #actions: readonly PlannedAction[] = [];
  /** The step that ends each lasting device fault, by index of the fault. */
  readonly #ends = new Map<number, StepCall>();
  /** Time at which device faults were lifted, by index of the fault. Their later steps are skipped. */
  readonly #lifted = new Map<number, Instant>();
  #service: Target['faults'];
  #carryOut: (action: PlannedAction) => void = () => {};
  #injected = 0;

  constructor(plan: Plan, clock: Clock) {
    this.#plan = plan;
    this.#clock = clock;
    this.#deviceFaults = plan.deviceFaults ?? [];
    const common = { way: 'both', injected: false, id: '' } as const;
    const faults = [
      ...namedNetworkFaults(plan).map((network) => {
        const { fault, from, until, to, way } = network;
        return { ...common, part: 'network' as const, name: describeFaultSpec(fault), way, to, from, until, network };
      }),
      ...(plan.serviceFaults ?? []).map((service) => {
        const { fault, from, until } = service;
        const network = plan.network.find((each) => each.from === from && each.until === until && isDown(service));
        const name = describeServiceFault(fault);
        return {
          ...common,
          part: 'service' as const,
          name,
          to: null,
          from,
          until,
          service,
          ...(network && { network }),
        };
      }),
      ...this.#deviceFaults.map(({ fault, from, until, to }, device) => {
        return { ...common, part: 'device' as const, name: fault, to, from, until, device };
      }),
    ];
    this.#faults = faults.map((fault, n) => ({ ...fault, id: `planned-${n + 1}` }));
    this.list = new FaultList(plan.network.map((fault) => this.#schedule(fault)));
    for (const { step, options, fault, at } of plan.actions) {
      // The cast is safe because a step with its options is a `StepCall`.
      if (fault !== undefined && at === this.#deviceFaults[fault]?.until)
        this.#ends.set(fault, { step, options } as StepCall);
    }
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
    const lifted = fault === undefined ? undefined : this.#lifted.get(fault);
    return lifted !== undefined && at > lifted;
  }

  /** All faults in the order of the plan and of their injection, except planned ones that were cancelled. */
  all(): readonly LiveFault[] {
    const now = sinceStart(this.#clock.now);
    return this.#faults.map(({ id, name, part, way, to, from, until, injected }) => ({
      ...{ id, fault: name, part, way, to, from, until, injected },
      state: now < from ? 'planned' : until === null || now < until ? 'active' : 'over',
    }));
  }

  /** The plan with the faults as they happened: it includes the injected faults, and a lifted fault ends when it was lifted. */
  get happened(): Plan {
    const network = this.#faults.flatMap((each) => each.network ?? []);
    const serviceFaults = this.#faults.flatMap((each) => each.service ?? []);
    const { serviceFaults: _, deviceFaults: __, ...plan } = this.#plan;
    return {
      ...plan,
      network,
      ...(serviceFaults.length > 0 && { serviceFaults }),
      ...(this.#deviceFaults.length > 0 && { deviceFaults: this.#deviceFaults }),
      actions: [...plan.actions, ...this.#actions].filter((action) => !this.skips(action)).sort((a, b) => a.at - b.at),
    };
  }

  /** Begins a fault now; returns its id. @throws UsageError if it needs the embedded cloud and the run has another */
  inject(injection: Injection): string {
    const { call, to } = injection;
    const from = sinceStart(this.#clock.now);
    const away = call.part === 'service' && call.fault.kind === 'service-restart' ? call.fault.away : null;
    const lasts = injection.lasts ?? away ?? undefined;
    const until = lasts === undefined ? null : from + lasts;
    const common = {
      name: describeFault(call),
      part: call.part,
      way: 'both',
      to,
      from,
      until,
      injected: true,
    } as const;
    const id = `injected-${this.#injected + 1}`;
    switch (call.part) {
      case 'network': {
        const { fault, way } = call;
        const network = { fault, way, from, until, to, devices: injection.devices };
        this.list.add(this.#schedule(network));
        this.#faults = [...this.#faults, { ...common, id, way, network }];
        break;
      }
      case 'service':
        this.#faults = [...this.#faults, { ...common, id, ...this.#begunService({ fault: call.fault, from, until }) }];
        break;
      case 'device':
        this.#faults = [...this.#faults, { ...common, id, ...this.#begunOnDevices(call, injection, from, until) }];
        break;
      default:
        return call satisfies never;
    }
    this.#injected++;
    return id;
  }

  /**
   * Ends an active fault now, or cancels a planned one. Returns false for an unknown fault, and for one that is over.
   * @throws UsageError for a fault of devices that lasts until the end of the scenario, because the plan has no step to end it
   */
  lift(id: string): boolean {
    const now = sinceStart(this.#clock.now);
    const lifted = this.#faults.find((each) => each.id === id);
    if (lifted === undefined || now >= (lifted.until ?? Number.POSITIVE_INFINITY)) return false;
    const { network, service, device } = lifted;
    if (device !== undefined) this.#liftFromDevices(device, lifted, now);
    const scheduled = network && this.#scheduled.get(network);
    if (scheduled) this.list.remove(scheduled);
    if (service) this.#service?.remove(service);
    const ended = now < lifted.from ? [] : [{ ...lifted, ...endedAt(lifted, now) }];
    this.#faults = this.#faults.flatMap((each) => (each === lifted ? ended : each));
    return true;
  }

  #begunService(service: PlannedServiceFault): Pick<Kept, 'service' | 'network'> {
    if (!this.#service) {
      throw new UsageError('bad-fault', `the fault ${service.fault.kind} requires the embedded cloud`);
    }
    this.#service.add(service);
    if (!isDown(service)) return { service };
    const { from, until } = service;
    const network: PlannedFault = { fault: { kind: 'outage' }, way: 'both', from, until, to: null, devices: null };
    this.list.add(this.#schedule(network));
    return { service, network };
  }

  #begunOnDevices(
    { name, begin, end, every }: Extract<FaultCall, { readonly part: 'device' }>,
    { to, devices }: Injection,
    from: Instant,
    until: Instant | null,
  ): Pick<Kept, 'device' | 'until'> {
    const fault = this.#deviceFaults.length;
    const isOnce = end === null && every === null;
    const last = until ?? this.#plan.duration;
    const times = every === null ? 1 : Math.min(MOST_TIMES, Math.ceil((last - from) / every));
    const steps = Array.from({ length: times }, (_, i) => this.#action(begin, from + i * (every ?? 0), devices, fault));
    if (end !== null) this.#ends.set(fault, end);
    const over = end !== null && until !== null ? [this.#action(end, until, devices, fault)] : [];
    this.#deviceFaults = [...this.#deviceFaults, { fault: name, from, until: isOnce ? from : until, to }];
    for (const action of [...steps, ...over]) this.#carry(action);
    return { device: fault, until: isOnce ? from : until };
  }

  #liftFromDevices(fault: number, { from, until, to, name }: Kept, now: Instant): void {
    const end = this.#ends.get(fault);
    const isPlanned = fault < (this.#plan.deviceFaults?.length ?? 0);
    if (end === undefined && isPlanned && until === null && now >= from) {
      throw new UsageError('bad-fault', `${name} lasts until the end of the scenario and cannot be lifted`);
    }
    this.#lifted.set(fault, now);
    this.#deviceFaults = this.#deviceFaults.map((each, i) =>
      i === fault ? { fault: name, from, until: Math.max(from, now), to } : each,
    );
    if (end === undefined || now < from) return;
    const begun = [...this.#plan.actions, ...this.#actions].find((action) => action.fault === fault);
    this.#carry(this.#action(end, now, begun?.devices ?? null, fault));
  }

  #carry(action: PlannedAction): void {
    this.#actions = [...this.#actions, action];
    this.#carryOut(action);
  }

  #action(call: StepCall, at: Instant, devices: readonly number[] | null, fault: number): PlannedAction {
    return { ...call, origin: INJECTED, at, fault, devices: devices ?? this.#plan.devices.map((_, index) => index) };
  }

  #schedule(planned: PlannedFault): ScheduledFault<FaultSpec> {
    const { fault, from, until, devices, way } = planned;
    const serials = new Set(devices?.map((index) => this.#plan.devices[index]?.serial));
    const hits = devices === null ? () => true : (serial: number) => serials.has(serial);
    const scheduled = { fault, from, until: until ?? Number.POSITIVE_INFINITY, way, hits };
    this.#scheduled.set(planned, scheduled);
    return scheduled;
  }
}

/** Origin of the steps of injected faults: they are not in the scenario. */
const INJECTED = -1;

function isDown({ fault }: PlannedServiceFault): boolean {
  return fault.kind === 'service-down';
}

function endedAt({ network, service }: Kept, until: Instant): Partial<Kept> {
  return {
    until,
    ...(network && { network: { ...network, until } }),
    ...(service && { service: { ...service, until } }),
  };
}
