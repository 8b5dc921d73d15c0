/** The short form of `npm run fuzz -- --scenarios 10000`. */
import { expect, it } from 'vitest';
import { fuzzScenarios } from '../../../scripts/fuzz/scenarios.js';

it('the check accepts or rejects each mutated scenario, and neither crashes nor takes too long', () => {
  const { checked, faults } = fuzzScenarios('short', 60, () => performance.now());
  expect([checked, faults]).toEqual([60, []]);
});
