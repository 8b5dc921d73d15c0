/** Metrics of the parts of a run in several threads, and of a run without parts. */
import { describe, expect, it } from 'vitest';
import { defineScenario, run } from '../../src/index.js';
import { SCENARIO } from './parts-scenario.js';

describe('the parts of a result', () => {
  it('are the same in several threads', async () => {
    // Loads need one thread.
    const { load: _, setup: __, ...scenario } = SCENARIO;
    const plan = defineScenario({ ...scenario, duration: '30m', by: ['group', 'tag'] });
    const [one, two] = [await run(plan, { workers: 1 }), await run(plan, { workers: 2 })];
    expect(two.parts).toEqual(one.parts);
    expect(one.parts?.length).toBe(6);
  });

  it('are missing without "by"', async () => {
    const { parts } = await run(defineScenario({ ...SCENARIO, duration: '15m' }));
    expect(parts).toBeUndefined();
  });
});
