/** What a search says, from the runs that it made. */
import { describe, expect, it } from 'vitest';
import type { LevelRun } from '../../../src/report/capacity/result.js';
import { conclude } from '../../../src/runner/capacity/conclude.js';
import { borderOf } from '../../../src/runner/capacity/search.js';

const LINE = 'downlink.answered p(95) < 31m';

/** A run whose expectation has this value, and holds below 31. */
function run(value: number, repetition: number, left: number): LevelRun {
  const passed = left < 31;
  const sentence = `downlink.answered p(95) is ${left}m`;
  return {
    ...{ value, repetition, seed: repetition + 1, kind: passed ? 'holds' : 'fails', why: passed ? null : sentence },
    expectations: [{ line: LINE, passed, left, right: 31, unit: 'ms', sentence }],
    ...{ throughput: null, latency: null, service: null, recovery: 0, digest: '', plan: '' },
  };
}

function conclusionOf(runs: readonly LevelRun[], atLeast: number | null = null) {
  const question = {
    scenario: 'two',
    key: 'fleet.devices',
    unit: '',
    from: 20,
    to: 40,
    precision: 0.05,
    seed: 1,
    atLeast,
  };
  return conclude(
    { runs, end: borderOf(runs) },
    {
      ...{ question: { ...question, clock: 'virtual', target: 'embedded' }, about: [], reproduce: '' },
      ...{ ended: undefined, more: '' },
    },
  );
}

const NOTED = expect.stringMatching(/^no level from 20 to 40 changed these figures: downlink.answered p\(95\) is 3.m/);

describe('expectations that no level changes', () => {
  it('are not the reason if a level holds, although the first runs of the two lowest failed alike', () => {
    const runs = [run(20, 0, 32), run(40, 0, 33), run(20, 1, 30), run(20, 2, 30), run(25, 0, 32)];
    expect(conclusionOf(runs)).toMatchObject({ outcome: 'found', holds: 20, fails: 25 });
  });

  it('are not the reason if one run has another value', () => {
    const runs = [run(20, 0, 32), run(40, 0, 32), run(20, 1, 32), run(20, 2, 33)];
    expect(conclusionOf(runs)).toMatchObject({ outcome: 'below range', notes: [NOTED] });
  });

  it('are noted if the range ends without a limit, because another one may be needed', () => {
    const still = [run(20, 0, 30), run(40, 0, 30), run(40, 1, 29), run(40, 2, 29)];
    expect(conclusionOf(still, 40)).toMatchObject({ outcome: 'no limit', reached: true, notes: [NOTED] });
    const moving = [run(20, 0, 29), run(40, 0, 30), run(40, 1, 30), run(40, 2, 30)];
    expect(conclusionOf(moving)).toMatchObject({ outcome: 'no limit', notes: [] });
  });

  it('are the reason if all runs of all levels fail with the same values', () => {
    const runs = [run(20, 0, 32), run(40, 0, 32), run(20, 1, 32), run(20, 2, 32)];
    expect(() => conclusionOf(runs)).toThrow('fail with the same values in all 4 runs, at 20 and 40');
  });
});

it('the figures of a level are the worst of all its runs', () => {
  const timed = [20, 30, 25].map((time, repetition): LevelRun => {
    const latency = { of: 'requests', p50: time, p95: 100 - time, p99: 200 } as const;
    return { ...run(20, repetition, 30), latency, throughput: { of: 'requests', offered: 20, done: time - 10 } };
  });
  expect(conclusionOf(timed).levels).toMatchObject([
    { throughput: { offered: 20, done: 10 }, latency: { p50: 30, p95: 80, p99: 200 } },
  ]);
});

it('a search that the limit of requests a second ends names this limit and the remedy', () => {
  const why = 'the limit of requests a second (--rate) held back the loads';
  const limited = (repetition: number): LevelRun => ({ ...run(40, repetition, 30), kind: 'generator limit', why });
  const holds = [0, 1].map((repetition) => run(20, repetition, 30));
  expect(conclusionOf([...holds, limited(0), limited(1)])).toMatchObject({
    outcome: 'generator limit',
    sentence: expect.stringContaining('; --rate does not allow 40, so the limit of the service is unknown'),
    advice: 'use a higher --rate',
  });
});
