/**
 * Steps that delay the exchanges of devices, each with the time at which its effect ends. The effect of a lasting step, such as
 * `radio: off`, ends with the next step of its kind.
 */
import { append } from '../kernel/append.js';
import type { Instant } from '../kernel/time.js';
import type { FaultId, PlannedAction, PlannedFault } from '../scenario/model/plan.js';
import type { PlanEntry } from '../scenario/plan/change.js';
import { findEndedKind, stepKindOf } from '../scenario/steps/index.js';
import type { StepEffect } from '../scenario/steps/step.js';

/** An action with its time, and its entry in the plan; without an entry if a user typed it on a console. */
export type TimedAction = PlannedAction & { readonly entry?: PlanEntry };

/** A step that affects exchanges of devices, and the properties of its effect. */
interface DeviceEffect extends Omit<StepEffect, 'lasts'> {
  readonly action: TimedAction;
  /** The fault that the step begins; undefined for a step of its own. */
  readonly fault: PlannedFault | undefined;
  readonly from: Instant;
  /** null if the effect lasts until the end of the run. Equal to `from` for a step that happens once. */
  readonly until: Instant | null;
  /** The action that ends the effect and has no effect of its own; undefined if there is none. */
  readonly endedBy: TimedAction | undefined;
  /** Indices into the devices of the plan, ascending. */
  readonly devices: readonly number[];
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
      // A disturbance passes, and what lasts goes on.
      if (effect?.effect !== 'disturbs') open.end(action, device);
      if (effect?.lasts) open.begin(action, device, endless);
      else if (effect) open.add(action, { until: action.at, endedBy: undefined }, device);
    }
  }
  return open.close().map(({ action, until, endedBy, devices }) => {
    // The cast is safe because only steps with an effect are collected.
    const { effect, sign, on } = effectOf(action) as StepEffect;
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
    append(ends, end, device);
    this.#ended.set(action, ends);
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
  return `${findEndedKind(step)}/${device}`;
}

function effectOf(action: PlannedAction): StepEffect | undefined {
  return stepKindOf(action).effect(action.options);
}
