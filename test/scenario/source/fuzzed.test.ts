/** The short form of `npm run fuzz -- --scenarios 10000`. */
import { expect, it } from 'vitest';
import { fuzzScenarios } from '../../../scripts/fuzz/scenarios.js';

it('mutated scenarios are valid or have problems; none crashes the check or takes long', () => {
  const { checked, faults } = fuzzScenarios('short', 60, () => performance.now());
  expect([checked, faults]).toEqual([60, []]);
});
