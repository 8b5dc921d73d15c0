/** Warnings about loads that end before their time because each row of their data is used once. */
import { describe, expect, it } from 'vitest';
import { runPlan } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { listShortData } from '../../src/runner/short-data.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { NO_SOURCES } from '../../src/scenario/parse/sources.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { unhurried } from '../support/unhurried.js';

const types = describeDeviceTypes(packagedProfiles());
const DATA = 'data: { file: people.csv, order: unique }';

function planOf(load: string) {
  const text = `name: short
duration: 10m
fleet: [{ name: clime, profile: clime, count: 4 }]
load: [{ name: invite, ${load}, request: { get: "/v2/spaces/{space}/devices?name={tag}" } }]
`;
  const readFile = (file: string) => ({ file, text: 'tag\na\nb\nc\n' });
  return planScenario(parseScenario(text, 'test.yaml', types, { ...NO_SOURCES, readFile }));
}

describe('a load whose data have 3 rows, each of which is used once', () => {
  it.each([
    ['rate: 1/s, spacing: even', 'load invite ends after 2.5s of 10m: its data have 3 rows'],
    ['rate: 1/s, spacing: even, from: 1m', 'load invite ends after 2.5s of 9m: its data have 3 rows'],
    ['per: device, over: 8s, to: clime', 'load invite ends after 4s of 10m: its data have 3 rows'],
    ['users: 2, iterations: 10, think: 1s', 'load invite ends after 3 of its 10 iterations: its data have 3 rows'],
  ])('is reported with %s', (pace, sentence) => {
    expect(listShortData(planOf(`${DATA}, ${pace}`))).toEqual([sentence]);
  });

  it.each([
    ['the rows suffice', `${DATA}, rate: 1/s, spacing: even, until: 3s`],
    ['the iterations are not more', `${DATA}, users: 2, iterations: 3, think: 1s`],
    ['the rows are used again', 'data: people.csv, rate: 1/s'],
    ['only the run shows the number of iterations', `${DATA}, users: 2, think: 1s`],
  ])('is not reported if %s', (_, load) => {
    expect(listShortData(planOf(load))).toEqual([]);
  });

  it('is reported after the run if its users would have begun more iterations', async () => {
    const { warnings } = await runPlan(planOf(`${DATA}, users: 2, think: 1s`), {
      stopwatch: () => 0,
      meter: unhurried,
    });
    expect(warnings).toEqual(['load invite ended before its 10m were over: its data have 3 rows']);
  });
});
