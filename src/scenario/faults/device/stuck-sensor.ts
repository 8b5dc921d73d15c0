import type { Form } from '../../../input/checks.js';
import { sensor } from '../../steps/sensor.js';
import type { StepCheck } from '../../steps/step.js';
import type { DeviceFault, DeviceFaultKind } from './kind.js';

const stuck: StepCheck<DeviceFault> = (node, problems, scope) => {
  const options = sensor.check(node, problems, scope);
  if (options === undefined) return undefined;
  const waveforms = Object.entries(options);
  if (!waveforms.every(([, { kind }]) => kind === 'hold' || kind === 'silent')) {
    problems.add(node, '"stuck-sensor" accepts only a number or "silent" for each sensor');
    return undefined;
  }
  const freed = Object.fromEntries(waveforms.map(([name]) => [name, { kind: 'free' } as const]));
  return { begin: { step: 'sensor', options }, end: { step: 'sensor', options: freed }, every: null };
};

const form = (): Form => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: { anyOf: [{ type: 'number' }, { const: 'silent' }] },
});

export const stuckSensor: DeviceFaultKind = {
  about: 'sensors show a fixed value, or do not answer (silent); when the fault ends, their models take over',
  example: 'stuck-sensor: { hygrometer.temperature: 31.5 }',
  check: Object.assign(stuck, { form }),
};
