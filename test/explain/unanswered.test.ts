/** Downlinks that a device executed, and whose answer never came. */
import { describe, expect, it } from 'vitest';
import { defineScenario, run } from '../../src/index.js';

describe('a downlink whose answer never came', () => {
  it('has the reason and the fault behind it in the text and in the timeline', async () => {
    const plan = defineScenario({
      ...{ name: 'ab', seed: 1, duration: '4h', network: { loss: '1%' } },
      fleet: [{ name: 'clime', profile: 'clime', count: 1, config: { 'interval-report': 900 }, serial: 2_159_017_990 }],
      faults: [{ duplication: '5%', from: '1h' }],
      steps: [{ at: '2h5m', commands: ['info show'] }],
    });
    const [explanation] = (await run(plan)).explanations ?? [];
    const why = 'fragment in place of an acknowledgement (duplication 5%)';
    expect(explanation?.outcome).toBe('delivered');
    expect(explanation?.noAnswer).toBe(why);
    expect(explanation?.text).toContain(`No answer came: ${why}.`);
    expect(explanation?.timeline).toContainEqual(
      expect.objectContaining({
        kind: 'failure',
        what: 'answer: fragment in place of an acknowledgement: duplication 5%',
      }),
    );
  });

  it('is not one that was answered, and not one that needs no answer', async () => {
    const plan = defineScenario({
      ...{ name: 'answered', duration: '2h' },
      fleet: [{ name: 'ctl', profile: 'control', count: 1, config: { 'interval-poll': 300 } }],
      steps: [
        { at: '1h', commands: ['info show'] },
        { at: '1h', downlink: { output_1_state: 1 } },
        { at: '1h', config: { 'interval-poll': 600 } },
      ],
    });
    const { explanations = [] } = await run(plan);
    expect(explanations).toHaveLength(3);
    expect(explanations.filter(({ noAnswer }) => noAnswer !== undefined)).toEqual([]);
  });
});
