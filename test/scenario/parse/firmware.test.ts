/**
 * The firmware version of a group, from the file or from the command line, and the check of its configuration against this
 * version.
 */
import { expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { describeDeviceTypes } from '../../../src/runner/known-types.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';

const profiles = packagedProfiles();
const readFile = () => {
  throw new Error('no files');
};

/** A scenario with one group. @param firmware version from the command line */
function scenario(group: string, firmware?: string, rest = '') {
  const text = `name: test\nduration: 1h\nfleet:\n  - { name: rooms, profile: clime, count: 2, ${group} }\n${rest}`;
  const sources = { profiles, readFile, ...(firmware !== undefined && { firmware }) };
  return parseScenario(text, 'test.yaml', describeDeviceTypes(profiles), sources);
}

const firmwareOf = (group: string, firmware?: string) => scenario(group, firmware).fleet[0]?.firmware;

function problems(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error.problems.map(({ column, message }) => `${column}: ${message}`);
    throw error;
  }
  return [];
}

it('a group has the newest firmware unless it names one', () => {
  expect(firmwareOf('boot: {}')).toBeNull();
  expect(firmwareOf('firmware: 3.5.5')).toBe('3.5.5');
});

it('a version may be written with the v that devices report', () => {
  expect(firmwareOf('firmware: v3.5.5')).toBe('3.5.5');
});

it('the version from the command line applies to the groups that do not name one', () => {
  expect(firmwareOf('boot: {}', '3.5.5')).toBe('3.5.5');
  expect(firmwareOf('firmware: 4.0.0', '3.5.5')).toBe('4.0.0');
});

it('an unknown version is rejected with a list of the versions of the device type', () => {
  expect(problems(() => scenario('firmware: 3.5.6'))).toEqual([
    expect.stringMatching(/^\d+: "3\.5\.6" is not a firmware version of "clime": 3\.5\.5 or 4\.0\.0/),
  ]);
});

it('the configuration is checked against the version', () => {
  expect(problems(() => scenario('config: { send-timeout: 60 }'))).toEqual([]);
  expect(problems(() => scenario('firmware: 3.5.5, config: { send-timeout: 60 }'))).toEqual([
    expect.stringMatching(/"app config send-timeout 60" would be rejected by clime 3\.5\.5: .*; 4\.0\.0 accepts it$/),
  ]);
  expect(problems(() => scenario('firmware: 3.5.5, config: { sent-timeout: 60 }'))).toEqual([
    expect.stringMatching(/"app config sent-timeout 60" would be rejected: [^;]*$/),
  ]);
});

it('a rejected configuration of a group does not hide that of a step', () => {
  const step = 'steps: [{ at: 0s, to: rooms, config: { interval-report: 400000 } }]\n';
  expect(problems(() => scenario('config: { interval-report: 5 }', undefined, step))).toEqual([
    expect.stringContaining('"app config interval-report 5" would be rejected'),
    expect.stringContaining('"app config interval-report 400000" would be rejected'),
  ]);
});

it('a plan shows the version', () => {
  expect(describePlan(planScenario(scenario('firmware: 3.5.5')))).toContain('profile clime, firmware 3.5.5');
});
