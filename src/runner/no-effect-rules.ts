/** Decides whether a fault or a step has no effect on a device, and gives the reason (see no-effect.ts). */

import { DeviceConfig } from '../device/config/device-config.js';
import { LINE_PRESENT } from '../device/environment/environment.js';
import { type MeasuringSettings, readSettings } from '../device/measuring/measuring-settings.js';
import { deviceType } from '../device/type/device-type.js';
import { append } from '../kernel/append.js';
import { formatDuration, type Instant, type Millis, seconds } from '../kernel/time.js';
import type { Profile } from '../profile/profile.js';
import { findQuantity } from '../profile/quantities.js';
import { chooseFirmware } from '../profile/versions.js';
import type { Plan, PlannedAction, PlannedGroup } from '../scenario/model/plan.js';
import { type StepCall, stepKindOf } from '../scenario/steps/index.js';
import { findFlashRefusal } from './world/flash-settings.js';

/** What may affect a device. */
export type Cause =
  | { readonly kind: 'network' }
  | { readonly kind: 'step'; readonly call: StepCall }
  /** One sensor of a step. */
  | { readonly kind: 'quantity'; readonly quantity: string };

/** One device, and when it is affected. */
export interface Hit {
  /** Index into {@link Plan.devices}. */
  readonly device: number;
  readonly at: Instant;
  /** Exclusive end; null if the effect lasts until the end of the run, or until another step. */
  readonly until: Instant | null;
  /** Latest possible time of the step; equal to `at` if the time is known before the run. */
  readonly latest: Instant;
}

type OptionsOfButton = Extract<StepCall, { readonly step: 'button' }>['options'];

/** Device type and configuration of a group at the first start. */
interface Group {
  readonly profile: Profile;
  readonly config: DeviceConfig;
  readonly settings: MeasuringSettings;
}

const LINE = 'backup.line_voltage';
/** The button on the board erases the settings if it is held for this long while the device starts (shell S-18). */
const HELD: Millis = seconds(5);

const NOT_ON = 'it ends before their first start; give it a later time, or "boot" of the fleet an earlier one';
const TOO_EARLY = 'it comes before their first start; give it a later time, or "boot" of the fleet an earlier one';
const SUPPLIED =
  'a device does not use its battery while the power line supplies it; add a step "line-power: off" at or before that time';

export class NoEffectRules {
  readonly #plan: Plan;
  readonly #groups: readonly Group[];
  readonly #actions: ReadonlyMap<number, readonly PlannedAction[]>;
  /** Devices whose configuration or firmware may change in the run. */
  readonly #changing: ReadonlySet<number>;

  constructor(plan: Plan, profiles: ReadonlyMap<string, Profile>) {
    this.#plan = plan;
    this.#groups = plan.groups.map((group) => groupOf(group, profiles));
    const actions = new Map<number, PlannedAction[]>();
    for (const action of plan.actions) {
      for (const device of action.devices) {
        append(actions, device, action);
      }
    }
    this.#actions = actions;
    const changed = plan.actions.flatMap((action) => (stepKindOf(action).actsOn === 'settings' ? action.devices : []));
    this.#changing = new Set([...changed, ...plan.loads.flatMap(({ devices }) => devices)]);
  }

  /** Why a device is not affected, and what to do; undefined if it is affected, or if only the run can show this. */
  reason(cause: Cause, hit: Hit): string | undefined {
    const group = this.#groups[this.#plan.devices[hit.device]?.group ?? -1];
    if (group === undefined) return undefined;
    switch (cause.kind) {
      case 'network':
        return this.#notOn(hit) ?? this.#silent(hit, group);
      case 'quantity':
        return this.#notOn(hit) ?? this.#unmeasured(cause.quantity, hit, group);
      case 'step':
        return this.#notOn(hit) ?? this.#tooEarly(cause.call, hit) ?? this.#step(cause.call, hit, group);
      default:
        return cause satisfies never;
    }
  }

  #step(call: StepCall, hit: Hit, group: Group): string | undefined {
    if (stepKindOf(call).actsOn === 'network') return this.#silent(hit, group);
    switch (call.step) {
      case 'battery':
        return call.options.kind === 'new' ? undefined : this.#supplied(hit, group);
      case 'button':
        return call.options.which === 'int' ? uselessPress(call.options, group.profile) : undefined;
      case 'pulse':
        return this.#unmeasured(call.options.input, hit, group);
      default:
        return undefined;
    }
  }

  #actionsOf({ device }: Hit): readonly PlannedAction[] {
    return this.#actions.get(device) ?? [];
  }

  #notOn(hit: Hit): string | undefined {
    const { at, until } = hit;
    if (until === null || until <= at || until > this.#firstStart(hit)) return undefined;
    return NOT_ON;
  }

  /** The reason, if the effect of the step is over before the first start. */
  #tooEarly(call: StepCall, hit: Hit): string | undefined {
    const lasts = beforeStart(call);
    return typeof lasts === 'number' && hit.latest + lasts < this.#firstStart(hit) ? TOO_EARLY : undefined;
  }

  /** Latest time of the first start of a device; 0 if a step may start the device earlier than planned. */
  #firstStart(hit: Hit): Instant {
    if (this.#actionsOf(hit).some((action) => beforeStart(action) === 'starts')) return 0;
    return this.#plan.devices[hit.device]?.bootAt ?? 0;
  }

  /** The reason, if the device never uses its LTE modem. */
  #silent(hit: Hit, { profile, config }: Group): string | undefined {
    const { mode } = profile.timing;
    if (mode === undefined || this.#changing.has(hit.device)) return undefined;
    const radio = config.text(mode.module, mode.name);
    if (radio === 'lte') return undefined;
    return `with "${mode.module} config ${mode.name} ${radio}" a device never connects over LTE; set it to "lte"`;
  }

  #supplied(hit: Hit, { profile }: Group): string | undefined {
    const address = findQuantity(profile, LINE);
    const model = address && profile.sensors[address.sensor]?.quantities[address.quantity]?.model;
    if (model?.kind !== 'constant' || model.value - model.spread <= LINE_PRESENT) return undefined;
    return this.#mayBeCut(hit) ? undefined : SUPPLIED;
  }

  /** Whether the power line may be off during the effect, which lasts until its known end or else the next `battery` step. */
  #mayBeCut(hit: Hit): boolean {
    const actions = this.#actionsOf(hit);
    const next = actions.find(({ step, at, wait }) => step === 'battery' && at > hit.at && wait === undefined);
    const end = hit.until ?? next?.at ?? Number.POSITIVE_INFINITY;
    let cut = false;
    for (const action of actions) {
      const cuts = cutsLine(action);
      if (cuts === undefined || (action.at >= end && action.wait === undefined)) continue;
      if (action.wait === undefined && action.at <= hit.at) cut = cuts;
      else if (cuts) return true;
    }
    return cut;
  }

  #unmeasured(quantity: string, hit: Hit, { profile, settings }: Group): string | undefined {
    const address = findQuantity(profile, quantity);
    if (address === undefined || this.#changing.has(hit.device)) return undefined;
    const { present, off } = settings;
    const absent = present[address.sensor]?.[address.number] === null;
    if (!absent && !off[address.sensor]?.[address.quantity]) return undefined;
    return `the configuration switches ${quantity} off; add the parameter that enables it to "config" of the group`;
  }
}

/** Why a press of the button on the board does nothing; undefined if it may have an effect. */
function uselessPress({ clicks, hold }: OptionsOfButton, { clicks: actions }: Profile): string | undefined {
  if (clicks !== null) {
    const some = (actions[clicks - 1] ?? []).length > 0;
    return some
      ? undefined
      : `the firmware has no action for ${clicks === 1 ? 'one click' : `${clicks} clicks`} that a report shows`;
  }
  if (hold === null || hold >= HELD) return undefined;
  return `the button erases the settings only if it is held for ${formatDuration(HELD)} or longer during a start`;
}

function beforeStart(call: StepCall): 'starts' | 'stays' | Millis {
  return stepKindOf(call).beforeStart(call.options);
}

/** Whether an action cuts the power line (true) or restores it (false); undefined if it does neither. */
function cutsLine(call: StepCall): boolean | undefined {
  if (call.step === 'line-power') return call.options === 'off';
  const waveform = call.step === 'sensor' ? call.options[LINE] : undefined;
  if (waveform === undefined) return undefined;
  return waveform.kind !== 'free' && !(waveform.kind === 'hold' && waveform.value > LINE_PRESENT);
}

function groupOf(group: PlannedGroup, profiles: ReadonlyMap<string, Profile>): Group {
  // The cast is safe because the scenario has been checked against these profiles.
  const profile = chooseFirmware(profiles.get(group.profile) as Profile, group.firmware ?? null);
  const config = new DeviceConfig(deviceType(profile).layout);
  for (const line of group.config) findFlashRefusal(config, line);
  config.save();
  config.boot();
  return { profile, config, settings: readSettings(profile, config) };
}
