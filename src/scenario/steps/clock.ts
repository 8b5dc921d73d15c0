import { complain, formOf, record, valueAt } from '../../input/checks.js';
import type { StepKind } from './step.js';

/** Parts per million that the clock is too fast. */
export type ClockOptions = number;

const MOST_PPM = 100_000;
const shape = record('clock', { drift: (node) => node });

/** Lets the device's clock run too fast or too slow; a session or a timestamp sets it right for a while. */
export const clock: StepKind<ClockOptions> = {
  about: "lets the device's clock run fast, or slow below 0; sessions and timestamps set it, and it goes on drifting",
  example: 'clock: { drift: 120ppm }',
  form: () => ({ ...formOf(shape), properties: { drift: { type: 'string' } } }),
  check: (node, problems) => {
    const read = shape(node, problems);
    if (read === undefined || node.kind !== 'map') return undefined;
    const { drift } = read;
    const [, digits] = drift.kind === 'scalar' ? (/^([-+]?\d+(?:\.\d+)?) ?ppm$/.exec(drift.source) ?? []) : [];
    const ppm = Number(digits ?? Number.NaN);
    if (Math.abs(ppm) <= MOST_PPM) return ppm;
    return complain(
      valueAt(node, 'drift'),
      problems,
      `a drift such as "120ppm" or "-20ppm", of ${MOST_PPM}ppm at most`,
    );
  },
  describe: (ppm) => `${Math.abs(ppm)} ppm ${ppm < 0 ? 'slow' : 'fast'}`,
  run: async (_world, device, ppm) => device.bench.clock(ppm),
};
