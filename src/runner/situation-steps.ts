/**
 * Steps that delay the exchanges of devices, each with the time at which its effect ends. The effect of a lasting step, such as
 * `radio: off`, ends with the next step of its kind.
 */
import { isLasting } from '../device/modem/faults.js';
import type { FaultEffect, FaultPlace } from '../explain/situation.js';
import type { Instant } from '../kernel/time.js';
import type { Dbm } from '../kernel/units.js';
import type { FaultId, PlannedAction, PlannedFault } from '../scenario/model/plan.js';
import type { PlanEntry } from '../scenario/plan/change.js';
import type { StepCall } from '../scenario/steps/index.js';

/** An action with its time, and its entry in the plan; without an entry if a user typed it on a console. */
export type TimedAction = PlannedAction & { readonly entry?: PlanEntry };

/** A step that affects exchanges of devices, and the properties of its effect. */
interface DeviceEffect {
  readonly action: TimedAction;
  /** The fault that the step begins; undefined for a step of its own. */
  readonly fault: PlannedFault | undefined;
  readonly effect: FaultEffect;
  /** Name in `net.fault` events; null if the step causes no such event. */
  readonly sign: string | null;
  readonly on: FaultPlace;
  readonly from: Instant;
  /** null if the effect lasts until the end of the run. Equal to `from` for a step that happens once. */
  readonly until: Instant | null;
  /** The action that ends the effect and has no effect of its own; undefined if there is none. */
  readonly endedBy: TimedAction | undefined;
  /** Indices into the devices of the plan, ascending. */
  readonly devices: readonly number[];
}

/** The properties of an effect that depend only on the step. */
interface Effect {
  readonly effect: FaultEffect;
  readonly sign: string | null;
  readonly on: FaultPlace;
  readonly lasts: boolean;
}

/**
 * The effects of steps. An effect that was begun by a step of the scenario file, or by a device fault without an end, lasts
 * until the next step of the same kind, or until a device fault of the same kind ends. The effect of a device fault with an end
 * lasts until that end, whatever steps follow.
 * @param actions sorted by time, which counts from the start of the run
 */
export function deviceEffects(
  actions: readonly TimedAction[],
  faults: readonly PlannedFault[],
): readonly DeviceEffect[] {
  const byId = new Map<FaultId | undefined, PlannedFault>(faults.map((fault) => [fault.id, fault]));
  const open = new OpenEffects();
  for (const action of actions) {
    const effect = effectOf(action);
    const endless = byId.get(action.fault)?.windows.some(({ until }) => until === null) ?? true;
    for (const device of action.devices) {
      if (endsLast(action, effect)) open.end(action, device);
      if (effect?.lasts) open.begin(action, device, endless);
      else if (effect) open.add(action, { until: action.at, endedBy: undefined }, device);
    }
  }
  return open.close().map(({ action, until, endedBy, devices }) => {
    // The cast is safe because only steps with an effect are collected.
    const { effect, sign, on } = effectOf(action) as Effect;
    return { action, fault: byId.get(action.fault), effect, sign, on, from: action.at, until, endedBy, devices };
  });
}

/** How an effect ends. */
type EffectEnd = Pick<DeviceEffect, 'until' | 'endedBy'>;

const NEVER: EffectEnd = { until: null, endedBy: undefined };

interface OpenEffect {
  readonly action: TimedAction;
  /** Whether the effect has no end of its own. The next step of its kind then ends the effect. */
  readonly endless: boolean;
}

/** Finds out when the effects of steps end. Lasting effects are kept by kind and device until then. */
class OpenEffects {
  readonly #open = new Map<string, readonly OpenEffect[]>();
  readonly #ended = new Map<TimedAction, Map<EffectEnd, number[]>>();
  readonly #ends = new Map<TimedAction, EffectEnd>();

  begin(action: TimedAction, device: number, endless: boolean): void {
    const key = keyOf(action, device);
    this.#open.set(key, [...(this.#open.get(key) ?? []), { action, endless }]);
  }

  /**
   * Ends effects of the kind of `action` at the time of `action`. Always ends those of the same fault as `action`. If `action`
   * does not begin a fault, also ends those that have no end of their own.
   */
  end(action: TimedAction, device: number): void {
    const key = keyOf(action, device);
    const begins = effectOf(action) !== undefined && action.fault !== undefined;
    const ends = (each: OpenEffect) => {
      if (each.action.fault !== undefined && each.action.fault === action.fault) return true;
      return each.endless && !begins;
    };
    const open = this.#open.get(key) ?? [];
    const end = this.#ends.get(action) ?? {
      until: action.at,
      endedBy: effectOf(action) === undefined && action.fault === undefined ? action : undefined,
    };
    this.#ends.set(action, end);
    for (const each of open) if (ends(each)) this.add(each.action, end, device);
    this.#open.set(
      key,
      open.filter((each) => !ends(each)),
    );
  }

  /** Adds an effect whose end is known. */
  add(action: TimedAction, end: EffectEnd, device: number): void {
    const ends = this.#ended.get(action) ?? new Map<EffectEnd, number[]>();
    this.#ended.set(action, ends.set(end, [...(ends.get(end) ?? []), device]));
  }

  /** All effects that began. Those that have not ended last until the end of the run. */
  close(): readonly (EffectEnd & Pick<DeviceEffect, 'action' | 'devices'>)[] {
    for (const [key, open] of this.#open) {
      for (const { action } of open) this.add(action, NEVER, Number(key.slice(key.indexOf('/') + 1)));
    }
    return [...this.#ended].flatMap(([action, ends]) =>
      [...ends].map(([end, devices]) => ({ action, ...end, devices: devices.sort((a, b) => a - b) })),
    );
  }
}

function keyOf({ step }: PlannedAction, device: number): string {
  return `${FAMILY[step] ?? step}/${device}`;
}

/** `create-device` ends what `delete-device` began. */
const FAMILY: Readonly<Partial<Record<PlannedAction['step'], string>>> = { 'create-device': 'delete-device' };

/** Whether a step ends the lasting effect of its kind. Every step does, except a modem fault that happens once. */
function endsLast(action: TimedAction, effect: Effect | undefined): boolean {
  return effect === undefined || effect.lasts || action.step !== 'modem';
}

/**
 * The effect of a step on the exchanges of its devices; undefined for a step without an effect, or one that only ends an
 * effect.
 */
function effectOf(action: PlannedAction): Effect | undefined {
  switch (action.step) {
    case 'radio':
      return action.options === 'off' ? BLOCKS : undefined;
    case 'delete-device':
      return { ...BLOCKS, on: 'datagrams' };
    case 'antenna':
      return action.options === 'free' ? undefined : signalEffect(action.options.rsrp);
    case 'battery':
      return batteryEffect(action.options);
    case 'power-saving':
      return action.options === 'off' ? HINDERS : undefined;
    case 'modem':
      return modemEffect(action.options);
    case 'power-cycle':
    case 'button':
    case 'shell':
      return RESTARTS;
    default:
      return undefined;
  }
}

function signalEffect(rsrp: Dbm): Effect | undefined {
  if (rsrp >= GOOD) return undefined;
  return rsrp < NO_SERVICE ? BLOCKS : { ...HINDERS, sign: 'weak-signal' };
}

function batteryEffect(options: StepCall<'battery'>['options']): Effect | undefined {
  if (options.kind === 'new') return undefined;
  return {
    ...(options.kind === 'voltage' && options.volts <= WEAK ? BLOCKS : HINDERS),
    sign: 'brown-out',
    on: 'device',
  };
}

function modemEffect(fault: StepCall<'modem'>['options']): Effect | undefined {
  if (fault === 'mended') return undefined;
  return isLasting(fault) ? BLOCKS : DISTURBS;
}

const BLOCKS: Effect = { effect: 'blocks', sign: null, on: 'device', lasts: true };
const HINDERS: Effect = { effect: 'hinders', sign: null, on: 'datagrams', lasts: true };
const RESTARTS: Effect = { effect: 'restarts', sign: null, on: 'datagrams', lasts: false };
const DISTURBS: Effect = { effect: 'disturbs', sign: null, on: 'datagrams', lasts: false };
/**
 * Received power in dBm: below `NO_SERVICE` a device finds no network, and below `GOOD` its signal is weak (docs/FIDELITY.md).
 */
const NO_SERVICE = -130;
const GOOD = -115;
/** A battery with at most this voltage at rest, in volts, breaks down at the first transmission. */
const WEAK = 3.05;
