/** How explanations split the time of a downlink, and which causes follow from it. */
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/explain/explanation.js';
import { defineScenario, explain, run, type ScenarioDefinition } from '../../src/index.js';

async function slowest(change: Partial<ScenarioDefinition>): Promise<Explanation> {
  const { explanations } = await run(defineScenario({ name: 'waits', ...change } as ScenarioDefinition));
  const [first] = explanations ?? [];
  if (first === undefined) throw new Error('the run has no downlinks');
  return first;
}

describe('a downlink that is longer than the buffer of the device', () => {
  /** The explanation of such a downlink with 250 bytes in each line, and that of a short one behind it. */
  async function explained(lines: number): Promise<readonly Explanation[]> {
    const long = { at: '1h', unknown: true, commands: Array.from({ length: lines }, () => 'info show'.padEnd(250)) };
    const result = await run(
      defineScenario({
        ...{ name: 'overlong', duration: '3h' },
        fleet: [{ name: 'clime', profile: 'clime', count: 1, config: { 'interval-poll': 300 } }],
        steps: [long, { at: '65m', commands: ['info show'] }],
      }),
    );
    const found = [...(result.explanations ?? [])].sort((a, b) => a.queuedAt - b.queuedAt);
    return Promise.all(found.map(({ downlink }) => explain(result, downlink)));
  }

  const NEVER =
    'The downlink is longer than the buffer of the device, so it never arrives. Cancel it, and send its content in several ' +
    'shorter downlinks.';

  it('has its length as the only cause; the cause of those behind it are the other downlinks', async () => {
    const [long, short] = await explained(60);
    expect([long?.outcome, short?.outcome]).toEqual(['pending', 'pending']);
    expect(long?.causes).toEqual([{ kind: 'length', name: 'longer than the buffer' }]);
    expect(long?.text).toContain(NEVER);
    expect(long?.text).toMatch(/It waited [\dhms ]+ because it is longer than the buffer of the device/);
    expect(short?.causes).toEqual([{ kind: 'downlinks', name: 'other downlinks first' }]);
    expect(short?.waits[0]?.what).toBe('other downlinks first');
    for (const { waits } of [long, short].flatMap((each) => each ?? []))
      expect(waits.map(({ what }) => what)).not.toContain('unknown');
  });

  it('has the same cause if only its last fragment is too much, so that the cloud counts it as delivered', async () => {
    const [long] = await explained(41);
    expect([long?.outcome, long?.received]).toEqual(['delivered', false]);
    expect(long?.causes).toEqual([{ kind: 'length', name: 'longer than the buffer' }]);
    expect(long?.text).toContain(NEVER);
  });
});

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
