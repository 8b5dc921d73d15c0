/**
 * Measures the CPU time to simulate a day of a fleet, including samples, codec and signatures: once with one device type, and
 * once with all types, each with the settings that its vendor suggests. It is compared with the unavoidable work alone
 * (bare-day.ts): writing the same events, and signing and checking packets of the same size.
 */

import { runPlan } from '../src/library/scenario.js';
import { packagedProfiles } from '../src/profile/library.js';
import type { Profile } from '../src/profile/profile.js';
import { describeDeviceTypes } from '../src/runner/known-types.js';
import { parseScenario } from '../src/scenario/parse/scenario.js';
import { planScenario } from '../src/scenario/plan/plan-scenario.js';
import type { TraceEvent } from '../src/trace/events.js';
import { bareDay, cpuTime } from './bare-day.js';
import { dayScenario } from './day-scenario.js';
import type { GoalName } from './goals.js';
import type { Bench, BenchResult } from './result.js';
import { size } from './size.js';

const DEVICES = size({ quick: 150, usual: 1000 });
const HOURS = 24;
/**
 * Lowest accepted ratio of the CPU times (unavoidable work divided by simulation). CPU times are compared, because other
 * programs on the machine change them little.
 */
const LIMITS = { day: 0.06, dayOfAll: 0.04 };

export const virtualDay: Bench = {
  name: 'virtual-day',
  async run() {
    const profiles = packagedProfiles();
    const wanted = process.env.PROFILES?.split(',');
    const all = [...profiles.values()].filter(({ name }) => wanted === undefined || wanted.includes(name));
    const results: BenchResult[] = [];
    if (wanted === undefined) results.push(await dayOf('clime devices', all.slice(0, 1), 'day', profiles));
    results.push(await dayOf(`devices of ${all.length} types`, all, 'dayOfAll', profiles));
    return results;
  },
};

async function dayOf(
  what: string,
  types: readonly Profile[],
  goal: keyof typeof LIMITS & GoalName,
  profiles: ReadonlyMap<string, Profile>,
): Promise<BenchResult> {
  // JSON is valid YAML.
  const scenario = JSON.stringify(dayScenario({ name: 'virtual-day', types, devices: DEVICES, hours: HOURS }));
  const plan = planScenario(parseScenario(scenario, 'virtual-day', describeDeviceTypes(profiles)), { seed: 7 });
  // The measurement begins with the first event: it excludes the registration of 1,000 devices through the REST API.
  let began = Number.NaN;
  const events: TraceEvent[] = [];
  const take = (event: TraceEvent) => {
    if (events.length === 0) began = cpuTime();
    events.push(event);
  };
  const result = await runPlan(plan, { profiles, watch: { take } });
  const took = cpuTime() - began;
  if (!result.passed) throw new Error(`the run failed: ${JSON.stringify(result.expectations)} ${result.failure}`);
  const bare = bareDay(events);
  const speed = Math.round(result.simulatedMs / took).toLocaleString('en');
  return {
    what: `${DEVICES} ${what} × ${HOURS} h in virtual time, against the same events and packets alone`,
    ratio: bare / took,
    limit: LIMITS[goal],
    detail: `${speed} × real time: ${result.uplinks.byType.data?.stored} uplinks, ${result.events} events in ${seconds(took)} of CPU; the same events and packets alone take ${seconds(bare)}`,
    goals: { [goal]: took / DEVICES },
  };
}

function seconds(time: number): string {
  return `${(time / 1000).toFixed(1)} s`;
}
