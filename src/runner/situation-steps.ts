/**
 * Steps that delay the exchanges of devices, each with the time at which its effect ends. The effect of a lasting step, such as
 * `radio: off`, ends with the next step of its kind.
 */
import { isLasting } from '../device/modem/faults.js';
import type { FaultEffect, FaultRecovery } from '../explain/situation.js';
import type { Ratio } from '../kernel/ratio.js';
import type { Instant } from '../kernel/time.js';
import type { Dbm } from '../kernel/units.js';
import type { Plan, PlannedAction } from '../scenario/model/plan.js';
import type { StepCall } from '../scenario/steps/index.js';

/** A step that affects exchanges of devices, and the properties of its effect. */
interface DeviceEffect {
  readonly action: PlannedAction;
  readonly effect: FaultEffect;
  /** Name in `net.fault` events; null if the step causes no such event. */
  readonly sign: string | null;
  readonly recovery: FaultRecovery;
  /** Share of the round trips that succeed during the effect, 0 to 1. */
  readonly passes: Ratio;
  readonly from: Instant;
  /** null if the effect lasts until the end of the run. Equal to `from` for a step that happens once. */
  readonly until: Instant | null;
  /** Indices into the devices of the plan, ascending. */
  readonly devices: readonly number[];
}

/** The properties of an effect that depend only on the step. */
interface Effect {
  readonly effect: FaultEffect;
  readonly sign: string | null;
  readonly recovery: FaultRecovery;
  readonly lasts: boolean;
  /** Share of the round trips that succeed during the effect, 0 to 1. */
  readonly passes: Ratio;
}

/**
 * The effects of steps. An effect that was begun by a step of the scenario file, or by a device fault without an end, lasts
 * until the next step of the same kind, or until a device fault of the same kind ends. The effect of a device fault with an end
 * lasts until that end, whatever steps follow.
 * @param actions sorted by time, which counts from the start of the run
 */
export function deviceEffects(
  actions: readonly PlannedAction[],
  deviceFaults: NonNullable<Plan['deviceFaults']>,
): readonly DeviceEffect[] {
  const open = new OpenEffects();
  for (const action of actions) {
    const effect = effectOf(action);
    const endless = action.fault === undefined || deviceFaults[action.fault]?.until === null;
    for (const device of action.devices) {
      if (endsLast(action, effect)) open.end(action, device);
      if (effect?.lasts) open.begin(action, device, endless);
      else if (effect) open.add(action, action.at, device);
    }
  }
  return open.close().map(({ action, until, devices }) => {
    // The cast is safe because only steps with an effect are collected.
    const { effect, sign, recovery, passes } = effectOf(action) as Effect;
    return { action, effect, sign, recovery, passes, from: action.at, until, devices };
  });
}

interface OpenEffect {
  readonly action: PlannedAction;
  /** Whether the effect has no end of its own. The next step of its kind then ends the effect. */
  readonly endless: boolean;
}

/** Finds out when the effects of steps end. Lasting effects are kept by kind and device until then. */
class OpenEffects {
  readonly #open = new Map<string, readonly OpenEffect[]>();
  readonly #ended = new Map<PlannedAction, Map<Instant | null, number[]>>();

  begin(action: PlannedAction, device: number, endless: boolean): void {
    const key = keyOf(action, device);
    this.#open.set(key, [...(this.#open.get(key) ?? []), { action, endless }]);
  }

  /**
   * Ends effects of the kind of `action` at the time of `action`. Always ends those of the same fault as `action`. If `action`
   * does not begin a fault, also ends those that have no end of their own.
   */
  end(action: PlannedAction, device: number): void {
    const key = keyOf(action, device);
    const begins = effectOf(action) !== undefined && action.fault !== undefined;
    const ends = (each: OpenEffect) => {
      if (each.action.fault !== undefined && each.action.fault === action.fault) return true;
      return each.endless && !begins;
    };
    const open = this.#open.get(key) ?? [];
    for (const each of open) if (ends(each)) this.add(each.action, action.at, device);
    this.#open.set(
      key,
      open.filter((each) => !ends(each)),
    );
  }

  /** Adds an effect whose end is known. */
  add(action: PlannedAction, until: Instant | null, device: number): void {
    const ends = this.#ended.get(action) ?? new Map<Instant | null, number[]>();
    this.#ended.set(action, ends.set(until, [...(ends.get(until) ?? []), device]));
  }

  /** All effects that began. Those that have not ended last until the end of the run. */
  close(): readonly { action: PlannedAction; until: Instant | null; devices: readonly number[] }[] {
    for (const [key, open] of this.#open) {
      for (const { action } of open) this.add(action, null, Number(key.slice(key.indexOf('/') + 1)));
    }
    return [...this.#ended].flatMap(([action, ends]) =>
      [...ends].map(([until, devices]) => ({ action, until, devices: devices.sort((a, b) => a - b) })),
    );
  }
}

function keyOf({ step }: PlannedAction, device: number): string {
  return `${FAMILY[step] ?? step}/${device}`;
}

/** `create-device` ends what `delete-device` began. */
const FAMILY: Readonly<Partial<Record<PlannedAction['step'], string>>> = { 'create-device': 'delete-device' };

/** Whether a step ends the lasting effect of its kind. Every step does, except a modem fault that happens once. */
function endsLast(action: PlannedAction, effect: Effect | undefined): boolean {
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
      return { ...BLOCKS, recovery: 'repeats' };
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
  const one = 1 - lossAt(rsrp);
  return rsrp < NO_SERVICE ? BLOCKS : { ...HINDERS, sign: 'weak-signal', passes: one * one };
}

function batteryEffect(options: StepCall<'battery'>['options']): Effect | undefined {
  if (options.kind === 'new') return undefined;
  return {
    ...(options.kind === 'voltage' && options.volts <= WEAK ? BLOCKS : HINDERS),
    sign: 'brown-out',
    recovery: 'boots',
  };
}

function modemEffect(fault: StepCall<'modem'>['options']): Effect | undefined {
  if (fault === 'mended') return undefined;
  return isLasting(fault) ? { ...BLOCKS, recovery: 'backs-off' } : DISTURBS;
}

const BLOCKS: Effect = { effect: 'blocks', sign: null, recovery: 'attaches', lasts: true, passes: 0 };
const HINDERS: Effect = { effect: 'hinders', sign: null, recovery: 'repeats', lasts: true, passes: 1 };
const RESTARTS: Effect = { effect: 'restarts', sign: null, recovery: 'repeats', lasts: false, passes: 1 };
const DISTURBS: Effect = { effect: 'disturbs', sign: null, recovery: 'repeats', lasts: false, passes: 1 };
/**
 * Received power in dBm: below `NO_SERVICE` a device finds no network, and below `GOOD` its signal is weak (docs/FIDELITY.md).
 */
const NO_SERVICE = -130;
const GOOD = -115;
/** A battery with at most this voltage at rest, in volts, breaks down at the first transmission. */
const WEAK = 3.05;
/** Approximate share of datagrams lost at this received power: none at -115 dBm, half at -130 dBm. */
function lossAt(rsrp: Dbm): Ratio {
  return ((GOOD - rsrp) / (GOOD - NO_SERVICE)) * 0.5;
}
