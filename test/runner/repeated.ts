/** A run of a small scenario, and repetitions of its first device. */
import { defineScenario, run, type ScenarioDefinition } from '../../src/index.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { getWhatIf } from '../../src/runner/explainers.js';
import type { PlanChange } from '../../src/runner/shared-worlds.js';
import type { TraceEvent } from '../../src/trace/events.js';

const FLEET = [{ name: 'clime', profile: 'clime', count: 3, config: { 'interval-report': 300 } }];
const OUTAGE = [{ outage: 'both', from: '66m', until: '80m', to: 'clime/1' }];
export const STEPS = [{ at: '65m', commands: ['info show'] }];
export const profiles = packagedProfiles();

export function planOf(change: Partial<ScenarioDefinition> = {}) {
  return defineScenario({ name: 'repeated', duration: '2h', fleet: FLEET, faults: OUTAGE, steps: STEPS, ...change });
}

const CALM: PlanChange = { key: 'calm', without: new Set(['fault-1']), apply: (plan) => plan };

const REPEATED = new Map<string, ReturnType<typeof repeat>>();

/** Runs a plan; returns the repetitions of its first device without a change, and without its outage. Tests share them. */
export function repeated(change: Partial<ScenarioDefinition> = {}): ReturnType<typeof repeat> {
  const key = JSON.stringify(change);
  const made = REPEATED.get(key) ?? repeat(change);
  REPEATED.set(key, made);
  return made;
}

async function repeat(change: Partial<ScenarioDefinition>) {
  const plan = planOf(change);
  const events: TraceEvent[] = [];
  const result = await run(plan, { watch: { take: (event: TraceEvent) => void events.push(event) } } as object);
  const serial = plan.devices[0]?.serial ?? 0;
  const repetitions = getWhatIf(result);
  if (repetitions === undefined) throw new Error('the run cannot be repeated');
  const [same, calm] = [await repetitions.repeatDevice(serial), await repetitions.repeatDevice(serial, CALM)];
  return { plan, serial, result, same, calm };
}
