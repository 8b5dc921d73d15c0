import type { Form } from '../../input/checks.js';
import type { StepCall } from '../steps/index.js';
import { sensor } from '../steps/sensor.js';
import type { StepCheck } from '../steps/step.js';
import type { DeviceFaultKind } from './kind.js';

/** A number to show or `silent`, by sensor, as for the step `sensor`. */
type Stuck = StepCall<'sensor'>['options'];

const stuck: StepCheck<Stuck> = (node, problems, scope) => {
  const options = sensor.check(node, problems, scope);
  if (options === undefined) return undefined;
  if (Object.values(options).every(({ kind }) => kind === 'hold' || kind === 'silent')) return options;
  problems.add(node, '"stuck-sensor" accepts only a number or "silent" for each sensor');
  return undefined;
};

const form = (): Form => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: { anyOf: [{ type: 'number' }, { const: 'silent' }] },
});

export const stuckSensor: DeviceFaultKind<Stuck> = {
  part: 'device',
  about: 'sensors show a fixed value, or do not answer (silent); when the fault ends, their models take over',
  example: 'stuck-sensor: { hygrometer.temperature: 31.5 }',
  check: Object.assign(stuck, { form }),
  steps: (options) => {
    const freed = Object.fromEntries(Object.keys(options).map((name) => [name, { kind: 'free' } as const]));
    return { begin: { step: 'sensor', options }, end: { step: 'sensor', options: freed }, every: null };
  },
};
