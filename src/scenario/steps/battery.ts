import {
  complain,
  describeKey,
  eitherForm,
  formOf,
  number,
  optional,
  ratio,
  record,
  valueAt,
} from '../../input/checks.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import { BLOCKS, HINDERS, type StepEffect, type StepKind, stays } from './step.js';

/** A new battery, or a used one with a given charge or voltage at rest. */
type BatteryOptions =
  | { readonly kind: 'new' }
  | { readonly kind: 'left'; readonly left: Ratio }
  | { readonly kind: 'voltage'; readonly volts: number };

const shape = record('battery', {
  left: optional(describeKey('Charge that is left.', '5%', ratio)),
  voltage: optional(describeKey('Voltage at rest, in V.', 3.2, number())),
});
/** Voltages at rest of an empty and of a new battery pack (behaviour B-35). */
const VOLTS = [3, 3.7] as const;

/** A battery with at most this voltage at rest breaks down at the first transmission. */
const WEAK = 3.05;

/** Replaces the battery while the device keeps running. */
export const battery: StepKind<BatteryOptions> = {
  about: 'replaces the battery: a new one, or one with a given charge or voltage; the device keeps running',
  example: 'battery: { left: 5% }',
  form: () => eitherForm({ const: 'new' }, formOf(shape)),
  check: (node, problems) => {
    if (node.kind === 'scalar' && node.value === 'new') return { kind: 'new' };
    if (node.kind !== 'map')
      return complain(node, problems, '"new", or a battery such as { left: 5% } or { voltage: 3.2 }');
    const read = shape(node, problems);
    if (read === undefined) return undefined;
    const { left, voltage } = read;
    if ((left === undefined) === (voltage === undefined)) {
      problems.add(node, 'battery needs either "left" or "voltage"');
      return undefined;
    }
    if (left !== undefined) return { kind: 'left', left };
    if (voltage !== undefined && voltage >= VOLTS[0] && voltage <= VOLTS[1]) return { kind: 'voltage', volts: voltage };
    return complain(valueAt(node, 'voltage'), problems, `a voltage from ${VOLTS[0]} to ${VOLTS[1]}`);
  },
  describe: (options) => {
    if (options.kind === 'new') return 'new';
    return options.kind === 'left' ? `${formatRatio(options.left)} left` : `${options.volts} V`;
  },
  actsOn: 'device',
  effect: findEffect,
  beforeStart: stays,
  run: async (_world, device, options) => {
    if (options.kind === 'voltage') device.controls.batteryVoltage(options.volts);
    else device.controls.battery(options.kind === 'new' ? 0 : 1 - options.left);
  },
};

function findEffect(options: BatteryOptions): StepEffect | undefined {
  if (options.kind === 'new') return undefined;
  const isWeak = options.kind === 'voltage' && options.volts <= WEAK;
  return { ...(isWeak ? BLOCKS : HINDERS), sign: 'brown-out', on: 'device' };
}
