import { complain, type Form } from '../../../input/checks.js';
import { sensor } from '../../steps/sensor.js';
import type { StepCheck } from '../../steps/step.js';
import type { DeviceFault, DeviceFaultKind } from './kind.js';

const stuck: StepCheck<DeviceFault> = (node, problems, scope) => {
  const options = sensor.check(node, problems, scope);
  if (options === undefined) return undefined;
  const courses = Object.entries(options);
  if (!courses.every(([, { kind }]) => kind === 'hold' || kind === 'silent')) {
    return complain(node, problems, 'sensors that are stuck: each with a number, or "silent"');
  }
  const freed = Object.fromEntries(courses.map(([name]) => [name, { kind: 'free' } as const]));
  return { begin: { step: 'sensor', options }, end: { step: 'sensor', options: freed }, every: null };
};

const form = (): Form => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: { anyOf: [{ type: 'number' }, { const: 'silent' }] },
});

export const stuckSensor: DeviceFaultKind = {
  about: 'sensors show a value that does not move, or do not answer; then their models take over again',
  example: 'stuck-sensor: { hygrometer.temperature: 31.5 }',
  check: Object.assign(stuck, { form }),
};
