/** A meter for runs in real time on a machine of any speed: lateness does not make such a run invalid. */
import type { GeneratorMeter } from '../../src/runner/world/generator.js';

export const unhurried = (): GeneratorMeter => ({
  late: () => {},
  end: () => ({ lateness: undefined, eventLoopDelay: 0, stall: 0, busy: 0, cpu: 0, gc: 0, spoiled: null }),
});
