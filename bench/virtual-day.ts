/**
 * How much faster than real time a day of a fleet is simulated, including samples, codec and signatures. Once with one device
 * type, once with all of them, each with the settings that its vendor suggests.
 */

import { runPlan } from '../src/library/scenario.js';
import { packagedProfiles } from '../src/profile/library.js';
import type { Profile } from '../src/profile/profile.js';
import { deviceTypes } from '../src/runner/known-types.js';
import { parseScenario } from '../src/scenario/parse/scenario.js';
import { planScenario } from '../src/scenario/plan/plan-scenario.js';
import type { Bench, BenchResult } from './result.js';

const DEVICES = 1000;
const HOURS = 24;
const LIMIT = 10_000;

export const virtualDay: Bench = {
  name: 'virtual-day',
  async run() {
    const profiles = packagedProfiles();
    const wanted = process.env.PROFILES?.split(',');
    const all = [...profiles.values()].filter(({ name }) => wanted === undefined || wanted.includes(name));
    const results: BenchResult[] = [];
    if (wanted === undefined) results.push(await dayOf('clime devices', all.slice(0, 1), profiles));
    results.push(await dayOf(`devices of ${all.length} types`, all, profiles));
    return results;
  },
};

async function dayOf(
  what: string,
  types: readonly Profile[],
  profiles: ReadonlyMap<string, Profile>,
): Promise<BenchResult> {
  const plan = planScenario(parseScenario(scenarioOf(types), 'virtual-day', deviceTypes(profiles)), { seed: 7 });
  // The measurement begins with the first event: it excludes the registration of 1,000 devices through the REST API.
  let began = 0;
  const begin = () => {
    began ||= performance.now();
  };
  const result = await runPlan(plan, { profiles, watch: { take: begin } });
  const took = performance.now() - began;
  if (!result.passed) throw new Error(`the run failed: ${JSON.stringify(result.expectations)} ${result.failure}`);
  return {
    what: `${DEVICES} ${what} × ${HOURS} h in virtual time, against real time`,
    ratio: result.simulatedMs / took,
    limit: LIMIT,
    detail: `${result.uplinks.byType.data?.stored} uplinks, ${result.events} events in ${(took / 1000).toFixed(1)} s`,
  };
}

/** A fleet of these types in about equal parts, which reports every half hour on average, or more often. */
function scenarioOf(types: readonly Profile[]): string {
  const groups = types.map(({ name, setup }, i) => ({
    name,
    profile: name,
    count: Math.floor((DEVICES * (i + 1)) / types.length) - Math.floor((DEVICES * i) / types.length),
    boot: { over: '30m' },
    ...(setup.length > 0 && { config: setup }),
  }));
  // JSON is valid YAML.
  return JSON.stringify({
    name: 'virtual-day',
    duration: `${HOURS}h`,
    fleet: groups,
    network: { latency: '150ms..900ms' },
    expect: [
      `device.ready == ${DEVICES}`,
      'uplink.stored == uplink.sent',
      `uplink.stored > ${DEVICES * (HOURS * 2 - 3)}`,
    ],
  });
}
