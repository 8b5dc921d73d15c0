/** How explanations split the time of a downlink, and which causes follow from it. */
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/explain/explanation.js';
import { defineScenario, run, type ScenarioDefinition } from '../../src/index.js';

async function slowest(change: Partial<ScenarioDefinition>): Promise<Explanation> {
  const { explanations } = await run(defineScenario({ name: 'waits', ...change } as ScenarioDefinition));
  const [first] = explanations ?? [];
  if (first === undefined) throw new Error('the run has no downlinks');
  return first;
}

describe('the waits of a downlink', () => {
  it('attribute the part of an exchange before an outage to the exchange, not to the outage', async () => {
    const { waits } = await slowest({
      ...{ name: 'cfgup', duration: '2h' },
      fleet: [{ name: 'clime', profile: 'clime', count: 1, config: { 'interval-report': 1800 } }],
      steps: [{ at: '1h', config: { 'interval-report': 1200 } }],
      faults: [{ outage: 'up', from: '5435s', until: '5500s' }],
    });
    const outage = waits.find(({ what }) => what === 'outage, up only');
    expect(outage?.time).toBeGreaterThanOrEqual(65_000);
    // The device repeats its datagram every 10 s.
    expect(outage?.time).toBeLessThan(75_000);
  });

  it('make the fault of the longest wait the first cause, even if more frequent reports would have avoided the wait', async () => {
    const { causes, waits, text } = await slowest({
      ...{ name: 'k', duration: '3h' },
      fleet: [{ name: 'control', profile: 'control', count: 1 }],
      steps: [{ at: '1h', downlink: { output_1_state: 1 } }],
      faults: [{ outage: 'up', from: '5400300ms', until: '5405s' }],
    });
    expect(waits[0]?.what).toBe('outage, up only');
    expect(causes.map(({ name }) => name)).toEqual(['outage, up only', 'next report (every 30m, no polls)']);
    expect(text).toContain('Several causes came together: outage, up only; next report (every 30m, no polls).');
  });
});
