/** The search with runs of an earlier search, which a file of others may have. */
import { expect, it } from 'vitest';
import type { LevelRun } from '../../../src/report/capacity/result.js';
import { findBorder } from '../../../src/runner/capacity/find.js';
import { planDigest } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { scenarioOf } from '../../scenario/fixtures.js';

const plan = planScenario(scenarioOf({}), { seed: 7 });

function earlier(value: number): LevelRun {
  return {
    ...{ value, repetition: 0, seed: 1, kind: 'holds', why: null, recovery: 0, service: 1, expectations: [] },
    ...{ throughput: null, latency: null, digest: '', plan: planDigest(plan) },
  };
}

it('an earlier run answers only for its own level, although other levels have the same plan', async () => {
  const measured: number[] = [];
  const levels = {
    atOnce: 1,
    measure: async () => void measured.push(1),
    close: async () => {},
  };
  const range = { from: 1, to: 64, whole: true, precision: 0.05, atLeast: null };
  const options = { range, levels, planAt: () => plan, signal: new AbortController().signal, onRun: () => {} };
  const { runs } = await findBorder({ ...options, known: [earlier(1), earlier(9.3)] });
  expect([runs.map(({ value }) => value), measured]).toEqual([[1], [1]]);
});

it('a search that is interrupted at its begin still has the runs of the earlier search', async () => {
  const levels = { atOnce: 1, measure: () => Promise.reject(new Error('measured')), close: async () => {} };
  const range = { from: 1, to: 64, whole: true, precision: 0.05, atLeast: null };
  const options = { range, levels, planAt: () => plan, signal: AbortSignal.abort(), onRun: () => {} };
  const { runs } = await findBorder({ ...options, known: [earlier(1)] });
  expect(runs.map(({ value }) => value)).toEqual([1]);
});
