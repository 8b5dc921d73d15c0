/** The kinds of steps by their names in scenarios. To add one, write its file and list it here. */
import type { Form } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { DownlinkType } from '../../trace/events.js';
import { kindForms } from '../values/kind-forms.js';
import type { DeviceHandle, World } from '../world.js';
import { antenna } from './antenna.js';
import { battery } from './battery.js';
import { button } from './button.js';
import { cancel } from './cancel.js';
import { clock } from './clock.js';
import { commands } from './commands.js';
import { config } from './config.js';
import { createDevice } from './create-device.js';
import { deleteDevice } from './delete-device.js';
import { downlink } from './downlink.js';
import { firmware } from './firmware.js';
import { flash } from './flash.js';
import { linePower } from './line-power.js';
import { modem } from './modem.js';
import { powerCycle } from './power-cycle.js';
import { powerSaving } from './power-saving.js';
import { pulse } from './pulse.js';
import { radio } from './radio.js';
import { sensor } from './sensor.js';
import { shell } from './shell.js';
import type { StepKind, StepScope } from './step.js';
import { tag } from './tag.js';
import { updateDevice } from './update-device.js';

export const STEPS = {
  config,
  commands,
  downlink,
  cancel,
  firmware,
  'create-device': createDevice,
  'update-device': updateDevice,
  'delete-device': deleteDevice,
  tag,
  shell,
  'power-cycle': powerCycle,
  'line-power': linePower,
  battery,
  radio,
  antenna,
  'power-saving': powerSaving,
  modem,
  sensor,
  pulse,
  button,
  flash,
  clock,
} as const;

export type StepName = keyof typeof STEPS;
// The cast is needed because `Object.keys` returns `string[]`.
export const STEP_NAMES = Object.keys(STEPS) as readonly StepName[];

/** The steps that send lines or data to devices. */
export const SENDING_STEPS: readonly StepName[] = ['config', 'commands', 'downlink', 'shell'];

type OptionsOf<K extends StepName> = {
  readonly [P in K]: (typeof STEPS)[P] extends StepKind<infer O> ? O : never;
}[K];
const KINDS: { readonly [K in StepName]: StepKind<OptionsOf<K>> } = STEPS;

/** A step with its options, as plain data. */
export type StepCall<K extends StepName = StepName> = {
  [P in K]: { readonly step: P; readonly options: OptionsOf<P> };
}[K];

/** JSON Schema of the value after the name of each step, for editors. */
export function stepForms(): Readonly<Record<string, Form>> {
  return kindForms(STEPS);
}

export function checkStep<K extends StepName>(
  name: K,
  node: LocatedNode,
  problems: Problems,
  scope: StepScope,
): StepCall | undefined {
  const options = KINDS[name].check(node, problems, scope);
  return options === undefined ? undefined : ({ step: name, options } as unknown as StepCall);
}

/** The kind of a step; its functions take the options of the step. */
export function stepKindOf<K extends StepName>({ step }: StepCall<K>): StepKind<OptionsOf<K>> {
  return KINDS[step];
}

/** The kind whose lasting effects a step ends. */
export function findEndedKind(step: StepName): StepName {
  const { endsEffectOf } = KINDS[step];
  return STEP_NAMES.find((name) => STEPS[name] === endsEffectOf) ?? step;
}

/** `config: app config interval-report 900` */
export function describeStep<K extends StepName>(call: StepCall<K>): string {
  const details = KINDS[call.step].describe(call.options);
  return details === '' ? call.step : `${call.step}: ${details}`;
}

/** Type of the downlink that a step queues; undefined if it queues none. */
export function queuedBy(name: StepName): DownlinkType | undefined {
  return KINDS[name].queues;
}

/** Executes a step for one device. @throws Error with the reason */
export function runStep<K extends StepName>(world: World, device: DeviceHandle, call: StepCall<K>): Promise<void> {
  return KINDS[call.step].run(world, device, call.options);
}
