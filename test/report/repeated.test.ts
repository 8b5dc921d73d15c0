/** Comparisons of several runs on each side. The runs are generated, so that the true difference is known. */
import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../src/cli/fail-if.js';
import { seededRandom } from '../../src/kernel/random.js';
import { compareSides, findLeastShown } from '../../src/report/compare/compare.js';
import type { Side } from '../../src/report/compare/side.js';
import { exp, ln, studentQuantile } from '../../src/report/compare/student.js';
import { Distribution } from '../../src/trace/distribution.js';
import type { SampledDurations } from '../../src/trace/metrics/samples.js';
import { compareWorlds, durationsOf, runOf, STEADY } from './generated-sides.js';

describe('the parts of an interval', () => {
  it.each([
    [10, 0.05, 2.228139],
    [4, 0.01, 4.604095],
    [18, 0.001, 3.921646],
    [2, 0.001, 31.599055],
    [2000, 0.05, 1.961151],
  ])('have the quantile of t with %d degrees of freedom for %d of the table', (freedom, probability, expected) => {
    expect(studentQuantile(freedom, probability)).toBeCloseTo(expected, 5);
  });

  it('have a quantile between those of its neighbours, and not below the true one', () => {
    // The table has 4.780913 for 9 degrees of freedom.
    const found = studentQuantile(9, 0.001);
    expect(found).toBeGreaterThanOrEqual(4.780912);
    expect(found).toBeLessThan(4.81);
  });

  it('have logarithms and powers of e', () => {
    for (const x of [1e-9, 0.3, 0.75, 1, 1.5, 2, 12_345, 1e12]) {
      expect(ln(x)).toBeCloseTo(Math.log(x), 12);
      expect(exp(ln(x)) / x).toBeCloseTo(1, 10);
    }
  });
});

describe('comparing several runs with several', () => {
  it.each([3, 4])('finds a difference in at most one of 20 comparisons of %d runs', (runs) => {
    const found = Array.from({ length: 20 }, (_, i) => compareWorlds(STEADY, `few ${i}`, { runs }));
    expect(found.filter(({ different }) => different).length).toBeLessThanOrEqual(1);
  });

  it('finds a side that is 10 % slower with 10 runs, in each of 10 comparisons', () => {
    const world = { ...STEADY, values: 400 };
    const found = Array.from({ length: 10 }, (_, i) => compareWorlds(world, `slower ${i}`, { slower: 1.1 }));
    const verdicts = found.map(({ rows }) => rows.find(({ metric }) => metric === 'call.latency p(50)')?.verdict);
    expect(verdicts).toEqual(Array.from({ length: 10 }, () => 'slower'));
  });

  it('compares the runs with the same seed in pairs, so that a machine that becomes slower does not hide a difference', () => {
    const random = seededRandom('drift');
    const drifting = (slower: number, from: number): Side => ({
      name: `from ${from}`,
      runs: Array.from({ length: 10 }, (_, i) => {
        const durations = durationsOf(random.fork(`${slower} ${i}`), STEADY, slower * (1 + i / 10));
        return runOf(from + i, { 'call.latency': durations });
      }),
    });
    const verdictOf = (from: number) => compareSides(drifting(1, 1), drifting(1.1, from)).rows[0]?.verdict;
    expect([verdictOf(1), verdictOf(101)]).toEqual(['slower', 'undetected']);
  });

  it('takes a percentile from all durations of a side together', () => {
    const durations = (...values: readonly number[]): Readonly<Record<string, SampledDurations>> => {
      const all = new Distribution();
      for (const value of values) all.record(value);
      return { 'call.latency': { steps: 1, min: all.min ?? 0, max: all.max ?? 0, batches: [all.listPairs()] } };
    };
    // Their medians are 10, 10 and 500, whose mean is 173; half of all values are at most 20.
    const runs = [runOf(1, durations(10, 10, 30)), runOf(2, durations(10, 10, 20)), runOf(3, durations(500, 500, 20))];
    const side = { name: 'x', runs };
    expect(compareSides(side, side).rows[0]).toMatchObject({ metric: 'call.latency p(50)', a: 20, b: 20 });
  });

  it('has the same result for runs in another order', () => {
    const { a, b, rows } = compareWorlds(STEADY, 'order', { isPaired: true });
    const turned = compareSides({ ...a, runs: a.runs.toReversed() }, b);
    expect(turned.rows).toEqual(rows);
  });

  it('counts per run, and finds a count that only one side has', () => {
    const side = (from: number, dropped: number, runs = 6): Side => ({
      name: 'x',
      runs: Array.from({ length: runs }, (_, i) =>
        runOf(from + i, {}, { 'uplink.stored': [70, 30], 'uplink.dropped': [dropped] }),
      ),
    });
    const { rows } = compareSides(side(1, 0), side(11, 8));
    expect(rows).toMatchObject([
      { metric: 'uplink.stored', a: 100, b: 100, verdict: 'undetected' },
      { metric: 'uplink.dropped', a: 0, b: 8, verdict: 'more' },
    ]);
    // Too few of them, or too few runs.
    expect(compareSides(side(1, 0), side(11, 1)).rows[1]?.verdict).toBe('unknown');
    expect(compareSides(side(1, 0, 3), side(11, 8, 3)).rows[1]?.verdict).toBe('unknown');
  });

  const sideOfCounts = (from: number, counts: readonly number[]): Side => ({
    name: 'x',
    runs: counts.map((failed, i) => runOf(from + i, {}, { 'uplink.stored': [100], 'call.failed': [failed] })),
  });
  const repeat = (runs: number, count: number) => Array.from({ length: runs }, () => count);
  const verdictOn = (a: readonly number[], b: readonly number[], from = 1) =>
    compareSides(sideOfCounts(1, a), sideOfCounts(from, b)).rows.find(({ metric }) => metric === 'call.failed')
      ?.verdict;

  it.each([3, 4, 5, 6, 7, 10])('finds with %d runs a large count that all runs of only one side have', (runs) => {
    const [none, many] = [repeat(runs, 0), repeat(runs, 1800)];
    for (const from of [1, 101]) expect(verdictOn(none, many, from)).toBe('more');
    expect(verdictOn(many, none)).toBe('fewer');
    const met = parseCondition('call.failed > +10%');
    if (typeof met === 'string') throw new Error(met);
    expect(compareSides(sideOfCounts(1, none), sideOfCounts(1, many), [met]).conditions[0]?.outcome).toBe('met');
  });

  it('finds a large count that all runs of one side have, and a single run of the other has a little', () => {
    expect(verdictOn([0, 0, 3, 0, 0], repeat(5, 1800))).toBe('more');
    expect(verdictOn([1500, 900, 2100, 400, 1800], [0, 0, 3, 0, 0])).toBe('fewer');
    expect(verdictOn([0, 0, 2000, 0, 0], repeat(5, 1800))).toBe('unknown');
  });

  it.each([3, 5, 10])('finds in at most one of 500 comparisons of %d equal runs a count that few runs have', (runs) => {
    const random = seededRandom(`rare ${runs}`);
    const draw = () => repeat(runs, 0).map(() => (random.next() < 0.3 ? Math.floor(random.next() * 20) : 0));
    const found = Array.from({ length: 500 }, () => verdictOn(draw(), draw()));
    expect(found.filter((verdict) => verdict === 'more' || verdict === 'fewer').length).toBeLessThanOrEqual(1);
  });

  it('gives the figures of conditions narrower intervals than the others', () => {
    const { a, b } = compareWorlds(STEADY, 'named');
    const condition = parseCondition('call.latency p(95) > +10%');
    if (typeof condition === 'string') throw new Error(condition);
    const widths = (conditions: readonly (typeof condition)[]) => {
      const { rows } = compareSides(a, b, conditions);
      return rows.map(({ metric, interval }) => [metric, interval ? interval[1] - interval[0] : 0] as const);
    };
    const [plain, named] = [new Map(widths([])), new Map(widths([condition]))];
    expect(named.get('call.latency p(95)')).toBeLessThan((plain.get('call.latency p(95)') ?? 0) * 0.9);
    expect(named.get('call.latency p(50)')).toBeGreaterThan(plain.get('call.latency p(50)') ?? 0);
  });

  it('would have found the smallest change that it says it could have shown', () => {
    const { a, b, rows } = compareWorlds(STEADY, 'least', { isPaired: true });
    const [row] = rows;
    const { increase = 0 } = (row && findLeastShown(row)) ?? {};
    const change = (row?.b ?? 1) / (row?.a ?? 1);
    const stretched = (to: number): Side => ({
      ...b,
      runs: b.runs.map(({ samples, ...run }) => {
        const durations = Object.entries(samples.durations).map(([metric, one]) => {
          const batches = one.batches.map((batch) =>
            batch.map((item, i) => (i % 2 === 0 ? Math.round(item * to) : item)),
          );
          return [metric, { ...one, min: one.min * to, max: one.max * to, batches }] as const;
        });
        return { ...run, samples: { ...samples, durations: Object.fromEntries(durations) } };
      }),
    });
    const verdict = (to: number) => compareSides(a, stretched(to / change)).rows[0]?.verdict;
    expect([verdict((1 + increase) * 1.01), verdict((1 + increase) / 1.01)]).toEqual(['slower', 'undetected']);
  });
});
