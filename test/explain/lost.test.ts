/** Downlinks that the cloud counts as delivered although no device received them. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/explain/explanation.js';
import { defineScenario, run } from '../../src/index.js';

describe('a downlink that counts as delivered although the device never received it', () => {
  const OUTAGE = 'outage, down only (ctl/1..2)';
  let lost: readonly Explanation[];

  beforeAll(async () => {
    const plan = defineScenario({
      ...{ name: 'lost', duration: '6h' },
      fleet: [{ name: 'ctl', profile: 'control', count: 3, config: { 'interval-poll': 300 } }],
      faults: [{ outage: 'down', from: '2h', until: '5h', to: 'ctl/1..2' }],
      steps: [{ at: '2h1m', downlink: { output_1_state: 1 } }],
    });
    const { explanations = [] } = await run(plan);
    lost = explanations.filter(({ text }) => text.includes('never received'));
  });

  it('has a text and a timeline that say that the device never received it', () => {
    expect(lost).toHaveLength(2);
    for (const { outcome, received, text, timeline } of lost) {
      expect([outcome, received]).toEqual(['delivered', false]);
      expect(text).toContain('the cloud counts it as delivered, but the device never received it');
      expect(text).toContain(
        'the next message or poll of the device counts as confirmation, even if that fragment was lost',
      );
      const texts = timeline.map(({ what }) => what);
      expect(texts).toContain('the cloud counts it as delivered, but the device has not received it');
      expect(texts).not.toContain('the cloud knows that the device has received it');
    }
  });

  it('has two causes if one fault delayed it and another one lost it', async () => {
    const plan = defineScenario({
      ...{ name: 'lost', seed: 5, duration: '8h' },
      fleet: [{ name: 'aa', profile: 'clime', count: 3, config: { 'interval-report': 300 } }],
      faults: [
        { outage: 'up', from: '70m', until: '2h' },
        { loss: '30%', from: '70m', until: '3h' },
      ],
      steps: [{ at: '71m', commands: ['info show'] }],
    });
    const { explanations = [] } = await run(plan);
    const delayed = explanations.filter(({ received }) => !received);
    expect(delayed.length).toBeGreaterThan(0);
    for (const { causes } of delayed) expect(causes.map(({ name }) => name)).toEqual(['outage, up only', 'loss 30%']);
  });

  it('has the fault as its cause, however soon the cloud counted it as delivered', () => {
    expect(lost.some(({ took }) => took < 600_000)).toBe(true);
    for (const { causes, text } of lost) {
      expect(causes).toEqual([{ kind: 'fault', name: OUTAGE }]);
      expect(text).not.toContain('does not count as slow');
    }
  });
});
