/** Waits of downlinks that need several runs; waits.test.ts has the others. */

import { describe, expect, it } from 'vitest';
import { defineScenario, explain, run, type ScenarioDefinition } from '../../src/index.js';
import type { RunResult } from '../../src/report/result.js';
import { waitDisagreements } from '../support/agreement.js';

type Group = Omit<Extract<ScenarioDefinition['fleet'], readonly unknown[]>[number], 'name' | 'count'>;

/** A run with an outage of 20 min and a command to four devices in it. */
function during(group: Group): Promise<RunResult> {
  return run(
    defineScenario({
      ...{ name: 'failed-before', duration: '3h', seed: 5, network: { latency: '150ms..900ms' } },
      fleet: [{ ...group, name: 'device', count: 4 }],
      faults: [{ outage: 'both', from: '1h', until: '80m' }],
      steps: [{ at: '68m', commands: ['info show'] }],
    }),
  );
}

describe('the waits of a downlink', () => {
  it.each<readonly [string, Group]>([
    ['first start', { profile: 'clime', boot: { from: '61m', over: '5m' }, config: { 'interval-report': 900 } }],
    ['report without a time limit', { profile: 'hio-node', boot: { over: '10m' } }],
  ])(
    'give a fault the whole time of an exchange (%s) that it stops, because the device does not rest',
    async (_, group) => {
      const result = await during(group);
      expect(waitDisagreements(result)).toEqual([]);
      for (const { id } of result.downlinks.slowest) {
        const { sooner, took, waits } = await explain(result, id);
        const without = sooner.find(({ change }) => change === 'without outage');
        const wait = waits.find(({ what }) => what === 'outage')?.time ?? 0;
        expect(wait).toBeGreaterThan(took - (without?.time ?? took) - 60_000);
      }
    },
  );

  it.each<readonly [string, Group]>([
    ['reports', { profile: 'clime', boot: { over: '14m' }, config: { 'interval-report': 900 } }],
    ['polls', { profile: 'clime', boot: { over: '10m' }, config: { 'interval-report': 3600, 'interval-poll': 1500 } }],
  ])(
    'give a fault only the time that it costs, even if exchanges (%s) failed before the downlink was queued',
    async (_, group) => {
      const result = await during(group);
      const explained = result.downlinks.slowest.map(({ id }) => explain(result, id));
      const costs = (await Promise.all(explained)).flatMap(({ took, sooner, waits }) => {
        const without = sooner.find(({ change }) => change === 'without outage');
        const wait = waits.find(({ what }) => what === 'outage')?.time ?? 0;
        return without === undefined ? [] : [{ wait, cost: took - without.time }];
      });
      expect(costs.length).toBeGreaterThan(0);
      // The start of a device and exchanges differ by less than a minute.
      for (const { wait, cost } of costs) expect(Math.abs(wait - cost)).toBeLessThan(60_000);
    },
  );
});
