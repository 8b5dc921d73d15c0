/**
 * Faults of devices. Each is made of steps that somebody at the bench could take as well: one that begins it, and one that ends
 * it. To add one: describe it here.
 */
import {
  type Check,
  complain,
  duration,
  eitherForm,
  type Form,
  formOf,
  oneOf,
  optional,
  record,
  refine,
} from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { Millis } from '../../kernel/time.js';
import { type StepCall, stepCheck } from '../steps/index.js';
import type { StepScope } from '../steps/step.js';

/** What a fault does to each of its devices. */
export interface DeviceFault {
  readonly begin: StepCall;
  /** null: it is over at once. */
  readonly end: StepCall | null;
  /** It happens again and again, so often; null: once. */
  readonly every: Millis | null;
}

export interface DeviceFaultKind {
  /** One line for `ghostfleet list faults`. */
  readonly about: string;
  readonly example: string;
  readonly form: () => Form;
  readonly check: (node: LocatedNode, problems: Problems, scope: StepScope) => DeviceFault | undefined;
}

/** A fault whose options are those of a step. */
function ofStep<K extends StepCall['step']>(
  name: K,
  end: StepCall,
  wanted: (call: StepCall) => boolean = () => true,
  otherwise = '',
): Pick<DeviceFaultKind, 'form' | 'check'> {
  const { form, check } = stepCheck(name);
  return {
    form,
    check: (node, problems, scope) => {
      const begin = check(node, problems, scope);
      if (begin === undefined || wanted(begin)) return begin && { begin, end, every: null };
      return complain(node, problems, otherwise);
    },
  };
}

/** A fault without options. */
function plain(begin: StepCall, end: StepCall): Pick<DeviceFaultKind, 'form' | 'check'> {
  const { form } = stepCheck('power-cycle');
  return {
    form,
    check: (node, problems) =>
      node.kind === 'scalar' && node.value === null
        ? { begin, end, every: null }
        : complain(node, problems, 'left empty'),
  };
}

const REBOOT = record('reboot', { every: optional(duration, null) });
/** The firmware of a device is up again after less. */
const SHORTEST: Millis = 1000;

const reboot: Check<DeviceFault> = refine(REBOOT, ({ every }, node, problems) => {
  if (every !== null && every < SHORTEST) return complain(node, problems, 'a reboot every second or more rarely');
  return { begin: { step: 'power-cycle', options: null }, end: null, every };
});

const modem = oneOf(['mute', 'no-sim', 'no-socket']);

export const DEVICE_FAULTS = {
  reboot: {
    about: 'the power fails for a moment, once or again and again; RAM is lost',
    example: 'reboot: { every: 20m }',
    form: () => eitherForm({ type: 'null' }, formOf(REBOOT)),
    check: (node, problems) =>
      node.kind === 'scalar' && node.value === null
        ? { begin: { step: 'power-cycle', options: null }, end: null, every: null }
        : reboot(node, problems),
  },
  'brown-out': {
    about: 'the battery is so empty that the transmitter can not be fed; ends with a new one',
    example: 'brown-out:',
    ...plain(
      { step: 'battery', options: { kind: 'voltage', volts: 3 } },
      { step: 'battery', options: { kind: 'new' } },
    ),
  },
  signal: {
    about: 'the device has this signal: a weak one costs attach time and datagrams',
    example: 'signal: { rsrp: -121 }',
    ...ofStep('antenna', { step: 'antenna', options: 'free' }, ({ options }) => options !== 'free', 'a signal'),
  },
  'no-signal': {
    about: 'the device has no network at all',
    example: 'no-signal:',
    ...plain({ step: 'radio', options: 'off' }, { step: 'radio', options: 'on' }),
  },
  'clock-drift': {
    about: 'the clock of the device runs fast, or slow below 0; what sets it sets it right, and it drifts on',
    example: 'clock-drift: { drift: 120ppm }',
    ...ofStep('clock', { step: 'clock', options: 0 }),
  },
  'flash-failure': {
    about: 'settings can not be saved any more',
    example: 'flash-failure:',
    ...plain({ step: 'flash', options: 0 }, { step: 'flash', options: null }),
  },
  'modem-failure': {
    about: 'the modem is mute, finds no SIM, or opens no socket',
    example: 'modem-failure: no-sim',
    form: () => formOf(modem),
    check: (node, problems) => {
      const trouble = modem(node, problems);
      if (trouble === undefined) return undefined;
      return { begin: { step: 'modem', options: trouble }, end: { step: 'modem', options: 'mended' }, every: null };
    },
  },
  'stuck-sensor': {
    about: 'sensors show a value that does not move, or do not answer; then their models take over again',
    example: 'stuck-sensor: { hygrometer.temperature: 31.5 }',
    form: () => ({
      type: 'object',
      minProperties: 1,
      additionalProperties: { anyOf: [{ type: 'number' }, { const: 'silent' }] },
    }),
    check: (node, problems, scope) => {
      const begin = stepCheck('sensor').check(node, problems, scope);
      if (begin?.step !== 'sensor') return undefined;
      const courses = Object.entries(begin.options);
      if (!courses.every(([, { kind }]) => kind === 'hold' || kind === 'silent')) {
        return complain(node, problems, 'sensors that are stuck: each with a number, or "silent"');
      }
      const freed = Object.fromEntries(courses.map(([name]) => [name, { kind: 'free' } as const]));
      return { begin, end: { step: 'sensor', options: freed }, every: null };
    },
  },
} as const satisfies Readonly<Record<string, DeviceFaultKind>>;

export type DeviceFaultName = keyof typeof DEVICE_FAULTS;
