/** The end of a divided run: its exit code and failure follow from the ends of its parts. */
import { expect, it } from 'vitest';
import { defineScenario } from '../../../src/library/scenario.js';
import { endOfAll } from '../../../src/runner/divided/ends.js';
import type { End } from '../../../src/runner/world/end.js';

const plan = defineScenario({
  name: 'ends',
  duration: '1h',
  fleet: [{ name: 'clime', profile: 'clime', count: 8 }],
});
const fine: End = { exitCode: 0, failure: null };
const busy = (...names: readonly string[]): End => {
  return { exitCode: 4, failure: 'of one part', busy: names.map((name) => `${name} with its session`) };
};

it('a run has ended without a failure if all its parts have', () => {
  expect(endOfAll(plan, [fine, fine])).toEqual(fine);
});

it('a run with a failed part has the failure of this part', () => {
  const failed: End = { exitCode: 2, failure: 'the log is full' };
  expect(endOfAll(plan, [fine, failed])).toEqual(failed);
});

it('the devices of all parts that are not at rest are named in the order of the plan', () => {
  const end = endOfAll(plan, [busy('clime-0001', 'clime-0005'), fine, busy('clime-0002')]);
  expect(end.exitCode).toBe(4);
  expect(end.failure).toMatch(
    /: clime-0001 with its session, clime-0002 with its session, clime-0005 with its session$/,
  );
});
