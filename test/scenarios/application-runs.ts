/** Runs of the scenarios of the applications, with their digests. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { RunResult } from '../../src/report/result.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import type { Scenario } from '../../src/scenario/model/scenario.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { waitDisagreements } from '../support/agreement.js';

const DIGESTS: Readonly<Record<string, string>> = {
  clime: 'de2e30c988a182a5',
  control: '40ccc9e29d1baca0',
  current: '2afc65b1c92efa6f',
  demo: '5ba08c8cedac8fa3',
  meteo: 'bba80e082552741b',
  motion: '0395d9fb0fc4288b',
  push: '4c4ca3ba05006b27',
  range: '64e063539ca7308f',
  scale: '1e3f41915021727c',
  serial: 'bb8c2dfc221517d4',
  wmbus: 'cb17b9f1a024da3e',
};

/** Digests of the other builds of these applications, and of hio devices. */
const BUILDS: Readonly<Record<string, string>> = {
  'clime-iaq': '234928506fc92627',
  'clime-radon': '941a79c9e1370c8b',
  'clime-rtd': '6823e34b2cbb5e1f',
  'clime-sps30': '8afbb67f07428362',
  'clime-tc': '137363e615738ddb',
  'control-x4': '1d1bb30f1e295a7b',
  'control-z': '4d53153c9bce28a5',
  'current-z': 'be0f41d7b6075695',
  'hio-node': 'dfc883231c57b56f',
  'meteo-m': '9ad7e97ffc7478fd',
  'meteo-p': '2415c756650db869',
  'meteo-z': '32d127937cefba80',
  'push-fm': '737566dfa305f5d7',
  'range-z': 'dd8839751ab8f46c',
  'scale-z': '0fcc8fbb0157d7e2',
  'serial-rs232': 'f252e09175a85dc6',
};

export const ALL: Readonly<Record<string, string>> = { ...DIGESTS, ...BUILDS };

/** Those that run for each change: with reports, polls, events and large messages, and another format of messages. */
export const ALWAYS = ['clime', 'control', 'motion', 'serial', 'hio-node'];

export const profiles = packagedProfiles();
const types = describeDeviceTypes(profiles);

function scenarioOf(name: string): Scenario {
  const file = `scenarios/applications/${name}.yaml`;
  const readFile = (path: string) => ({ file: path, text: readFileSync(`scenarios/applications/${path}`, 'utf8') });
  return parseScenario(readFileSync(file, 'utf8'), file, types, { profiles, readFile });
}

function play(scenario: Scenario, transport: 'memory' | 'udp'): Promise<RunResult> {
  return runPlan(planScenario(scenario), { transport });
}

/** Runs the scenario in memory, and checks its expectations, its digest and its tables. */
export async function expectPasses(name: string): Promise<void> {
  const scenario = scenarioOf(name);
  const result = await play(scenario, 'memory');
  expectHeld(name, scenario, result, ALL[name] ?? '');
  expect(waitDisagreements(result)).toEqual([]);
}

/** Runs the scenario over UDP, and checks that it is the same run as in memory. */
export async function expectSameOverUdp(name: string): Promise<void> {
  expect(await play(scenarioOf(name), 'udp')).toMatchObject({ passed: true, digest: ALL[name] });
}

function expectHeld(name: string, scenario: Scenario, { failure, expectations, digest }: RunResult, before: string) {
  expect(new Set(scenario.fleet.map(({ profile }) => profile))).toEqual(new Set([name]));
  const broken = expectations.filter(({ passed }) => !passed).map(({ sentence }) => sentence);
  expect({ failure, broken, digest }).toEqual({ failure: null, broken: [], digest: before });
}
