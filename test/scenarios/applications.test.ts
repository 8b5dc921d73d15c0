/**
 * Every application of the catalog lives a day as its scenario says: boot, report, poll, config, shell, data, alarm, outage and
 * recovery hold, and the course is the same in memory and over UDP.
 *
 * A digest changes with anything that a device of that application does otherwise. When that was meant, look at the golden
 * dialogue (test/golden) first, then put the new digest here.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { RunResult } from '../../src/report/result.js';
import { deviceTypes } from '../../src/runner/known-types.js';
import type { Scenario } from '../../src/scenario/model/scenario.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';

const DIGESTS: Readonly<Record<string, string>> = {
  clime: '1811c471d9e6e0a4',
  control: 'd87ab8d317394c93',
  current: '29c8c08396415b24',
  demo: 'e2d83fce1ece245e',
  meteo: 'f921c0fa10a8725d',
  motion: '4dcd45e7ec4ce9a1',
  push: '604b922c4ea32823',
  range: '061973dcfbcd3186',
  scale: '8f8106647ede1997',
  serial: 'efa56739dcec7351',
  wmbus: '3cc961cc0cc99b16',
  // Other builds.
  'control-x4': 'c0089c4b2be2f6f4',
  'control-z': '4b4fd185d005df47',
  'current-z': 'dd864260b34c60cf',
  'meteo-z': 'f344652b50bd2606',
  'push-fm': '28d2a03930580c5e',
  'range-z': '9f53cce4a516dd60',
  'scale-z': 'bbe5d4227b4933f9',
  'serial-rs232': 'b521884214e8aaa7',
};

const profiles = packagedProfiles();
const types = deviceTypes(profiles);

function scenarioOf(name: string): Scenario {
  const file = `scenarios/applications/${name}.yaml`;
  const readFile = (path: string) => ({ file: path, text: readFileSync(`scenarios/applications/${path}`, 'utf8') });
  return parseScenario(readFileSync(file, 'utf8'), file, types, { profiles, readFile });
}

function play(scenario: Scenario, transport: 'memory' | 'udp'): Promise<RunResult> {
  return runPlan(planScenario(scenario), { transport });
}

describe('the scenario of an application', () => {
  it('is there for each of the catalog', () => {
    expect(Object.keys(DIGESTS).sort()).toEqual([...profiles.keys()].sort());
  });

  it.each(Object.entries(DIGESTS))('of %s holds, in memory and over UDP with the same digest', async (name, digest) => {
    const scenario = scenarioOf(name);
    expect(new Set(scenario.fleet.map(({ profile }) => profile))).toEqual(new Set([name]));
    const [memory, udp] = await Promise.all([play(scenario, 'memory'), play(scenario, 'udp')]);
    const broken = memory.expectations.filter(({ passed }) => !passed).map(({ sentence }) => sentence);
    expect({ failure: memory.failure, broken, digest: memory.digest }).toEqual({ failure: null, broken: [], digest });
    expect({ passed: udp.passed, digest: udp.digest }).toEqual({ passed: true, digest });
  });
});
