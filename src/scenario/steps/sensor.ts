import { complain, dictionary } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { StepKind } from './step.js';

/** Sensor names with the value they are held at, or null when the model takes over again. */
export type SensorOptions = Readonly<Record<string, number | null>>;

/** Holds sensors at a value, or lets them go. */
export const sensor: StepKind<SensorOptions> = {
  about: 'holds sensors of the device at a value; "free" lets their model take over again',
  example: 'sensor: { hygrometer.temperature: 31.5 }',
  check: (node, problems) => {
    const values = dictionary(numberOrFree)(node, problems);
    if (values?.size === 0) return complain(node, problems, 'a map of sensors to numbers');
    return values && Object.fromEntries(values);
  },
  describe: (values) =>
    Object.entries(values)
      .map(([name, value]) => (value === null ? `${name} free` : `${name} = ${value}`))
      .join(', '),
  run: async (_world, device, values) => {
    for (const [name, value] of Object.entries(values)) device.sensor(name, value);
  },
};

function numberOrFree(node: LocatedNode, problems: Problems): number | null | undefined {
  if (node.kind === 'scalar' && typeof node.value === 'number' && Number.isFinite(node.value)) return node.value;
  return node.kind === 'scalar' && node.value === 'free' ? null : complain(node, problems, 'a number or "free"');
}
