/** Repetitions of a run with something changed. */
import { describe, expect, it } from 'vitest';
import { defineScenario, run, type ScenarioDefinition, whatIf } from '../../src/index.js';
import { hours } from '../../src/kernel/time.js';
import { isRefused, type RepeatedDevice, WhatIf } from '../../src/runner/what-if.js';
import { profiles, repeated } from './repeated.js';

const CLOUD = { rateLimit: null, expireDownlinks: null, retainMessages: null };

function faults(answer: RepeatedDevice | { readonly refused: string }): number {
  if (isRefused(answer)) throw new Error(answer.refused);
  return answer.history.events.filter(({ kind }) => kind === 'net.fault').length;
}

describe('a device that is repeated', () => {
  it('has the same events without a change, and others without the fault', async () => {
    const { same, calm } = await repeated();
    expect(faults(same)).toBeGreaterThan(0);
    expect(faults(calm)).toBe(0);
  });

  it('is refused if its fleet is connected and too large to be repeated for the sake of one device', async () => {
    const { plan, serial, result } = await repeated();
    const long = { ...plan, cloud: { ...CLOUD, rateLimit: 60 }, duration: hours(4000) };
    const repetitions = WhatIf.ofPlan(long, profiles);
    expect(await repetitions.repeatDevice(serial)).toEqual({
      refused: 'its devices depend on each other, and they are too many',
    });
    expect(result.passed).toBe(true);
  });
});

describe('an explanation', () => {
  it('finds the downlink again although its id follows a restart of the service, and an earlier one was rejected', async () => {
    const scenario = (faults: ScenarioDefinition['faults']) =>
      defineScenario({
        ...{ name: 'restarted', duration: '4h', fleet: [{ name: 'clime', profile: 'clime', count: 1 }] },
        steps: ['73m', '143m'].map((at) => ({ at, commands: ['info show'] })),
        ...(faults && { faults }),
      });
    const signal = { 'no-signal': null, from: '133m', until: '182m' };
    const result = await run(scenario([{ 'service-restart': { away: '68m' }, from: '71m' }, signal]));
    const without = await run(scenario([signal]));
    const [late] = result.downlinks.slowest;
    const same = without.downlinks.slowest.find(({ queuedAt }) => queuedAt === late?.queuedAt);
    expect(late?.id).not.toBe(same?.id);
    const { downlinks } = await whatIf(result, { of: late?.id ?? '', without: ['service-restart'] });
    expect(downlinks.map(({ after }) => after?.took)).toEqual([same?.total]);
  });
});
