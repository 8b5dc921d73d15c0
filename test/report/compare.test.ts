import { describe, expect, it } from 'vitest';
import { writeComparisonHtml } from '../../src/report/compare/html.js';
import { writeComparisonJson } from '../../src/report/compare/json.js';
import { readSummary } from '../../src/report/compare/read.js';
import {
  type ComparedRun,
  describeRuns,
  findMisfit,
  findObjections,
  withoutSpoiled,
} from '../../src/report/compare/side.js';
import { writeComparisonText } from '../../src/report/compare/text.js';
import { writeVerdict } from '../../src/report/compare/words.js';
import { renderJson } from '../../src/report/renderers/json.js';
import { resultOf } from './fixtures.js';
import { compareRuns, rowOf, runOf, sideOf } from './generated-run.js';

/** An object that String() and Number() cannot convert. */
const NO_PRIMITIVE = { toString: 1, valueOf: 1 };

const verdictOf = (comparison: ReturnType<typeof compareRuns>, metric: string) => rowOf(comparison, metric)?.verdict;

it('a summary that is nested too deep is rejected', () => {
  expect(() => readSummary(`{"format":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'x')).toThrow('nested too deep');
});

it('a summary whose number of console actions is an object that cannot become a number is of a run without actions', () => {
  const summary = JSON.stringify({ ...JSON.parse(renderJson(resultOf())), console: { actions: NO_PRIMITIVE } });
  expect(readSummary(summary, 'x').touched).toBe(false);
});

describe('comparing two runs', () => {
  it('finds a slowdown of 20 % for every seed', () => {
    for (let seed = 0; seed < 8; seed++) {
      const comparison = compareRuns(runOf({ seed }), runOf({ seed: seed + 100, slower: 1.2 }));
      expect(verdictOf(comparison, 'call.latency p(50)')).toBe('slower');
      expect(comparison.different).toBe(true);
    }
  });

  it('ignores a significant difference below 5 %', () => {
    const comparison = compareRuns(runOf({ seed: 1 }), runOf({ seed: 1, slower: 1.03 }));
    expect(comparison.different).toBe(false);
  });

  it('finds a count that rises from 0 to 40, but not one that rises from 0 to 3', () => {
    expect(verdictOf(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2, dropped: 40 })), 'uplink.dropped')).toBe('more');
    expect(verdictOf(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2, dropped: 3 })), 'uplink.dropped')).toBe(
      'unknown',
    );
  });

  it('gives intervals of counts that do not reach below -100 %', () => {
    const { rows } = compareRuns(runOf({ seed: 1, dropped: 12 }), runOf({ seed: 2, dropped: 4 }));
    const [least = -1, most = 0] = rows.find(({ metric }) => metric === 'uplink.dropped')?.interval ?? [];
    expect(least).toBeGreaterThanOrEqual(0);
    // The ratio is 4 / 12. The standard deviation of its logarithm is √(1/4 + 1/12) = 0.577, so the interval ends at
    // 1/3 × e^(3.1 × 0.577).
    expect(most).toBeCloseTo(1.996, 1);
  });

  it('shows a name with a line feed on its line', () => {
    const run = runOf({ seed: 1 });
    const forged = { ...run, scenario: 'fine\nno difference found' };
    const text = writeComparisonText(compareRuns(forged, forged)).replaceAll(/\s+/g, ' ');
    expect(text).toContain(String.raw`fine\nno difference found`);
  });

  it('says which changes would have shown if it finds no difference', () => {
    const page = writeComparisonHtml(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2 })));
    expect(page).toContain('<span class="verdict open">no difference found</span>');
    const text = writeComparisonText(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2 }))).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(
      /no difference found; the smallest change that would have shown: from \d+\.\d% \([\w.]+( p\(\d+\))?\) to \d+\.\d% \(/,
    );
    expect(text).toMatch(/ call\.latency p\(50\) \d+ms \d+ms \S+ \S+ … \S+ -\d+\.\d% or \+\d+\.\d% /);
  });

  it('says so if no number has enough data to show a difference', () => {
    const empty = { ...runOf({ seed: 1 }), samples: { batches: 24, counts: {}, durations: {} } } as const;
    expect(writeVerdict(compareRuns(empty, empty))).toBe(
      'no difference found, but no number has enough data to show one',
    );
  });

  it('gives the same result for the same two runs', () => {
    const [a, b] = [runOf({ seed: 1 }), runOf({ seed: 2 })];
    expect(compareRuns(a, b)).toEqual(compareRuns(a, b));
  });

  it('shows both values, the change and its interval', () => {
    const text = writeComparisonText(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2, slower: 2 })));
    expect(text).toMatch(/call\.latency p\(50\) +\d+ms +\d+ms +\+\d+\.\d% +\+\d+\.\d% … \+\d+\.\d% +slower/);
    expect(text).toMatch(/\nslower: .*call\.latency p\(50\) \+\d+\.\d% \(slower\)/s);
  });
});

describe('a comparison in other formats', () => {
  const comparison = compareRuns(runOf({ seed: 1 }), runOf({ seed: 2, slower: 2 }));

  it('as JSON has every number, its change and its interval relative to A', () => {
    const { format, different, metrics, a, b, remarks } = JSON.parse(writeComparisonJson(comparison, ['careful']));
    expect([format, different, remarks]).toEqual([2, true, ['careful']]);
    expect([a, b]).toEqual([
      { name: 'run 1', scenario: 's', seeds: [1] },
      { name: 'run 2', scenario: 's', seeds: [2] },
    ]);
    expect(metrics).toHaveLength(comparison.rows.length);
    const { rows } = comparison;
    expect(metrics[0]).toEqual({
      ...{ metric: rows[0]?.metric, unit: 'ms', a: rows[0]?.a, b: rows[0]?.b, verdict: 'slower' },
      change: (rows[0]?.b ?? 0) / (rows[0]?.a ?? 1) - 1,
      interval: rows[0]?.interval?.map((ratio) => ratio - 1),
      wouldShow: { decrease: expect.any(Number), increase: expect.any(Number) },
    });
  });

  it('as a page has the texts of the terminal, differences first, and only the script that all pages have', () => {
    const page = writeComparisonHtml(comparison, ['<b>careful</b>']);
    const text = writeComparisonText(comparison).replaceAll(/ {2,}/g, ' ');
    const rows = [...page.matchAll(/<tr class="(\w+)"><th scope="row">([^<]*)<\/th>(.*?)<\/tr>/g)];
    expect(rows).toHaveLength(comparison.rows.length);
    for (const [, , metric, cells = ''] of rows) {
      const found = [...cells.matchAll(/<td>([^<]*)<\/td>/g)].map(([, cell]) => cell).filter((cell) => cell !== '');
      expect(text).toContain([metric, ...found].join(' '));
    }
    const verdicts = rows.map(([, verdict]) => verdict);
    expect(verdicts.lastIndexOf('different')).toBe(verdicts.filter((verdict) => verdict === 'different').length - 1);
    expect(page).toContain('&lt;b&gt;careful&lt;/b&gt;');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });

  it.each([60, 80, 200])('as text fits into %d columns', (width) => {
    for (const line of writeComparisonText(comparison, ['word '.repeat(50).trim()], width).split('\n')) {
      expect(line.length).toBeLessThanOrEqual(width);
    }
  });
});

describe('objections to a comparison', () => {
  const run = runOf({ seed: 1 });
  const against = (other: Partial<ComparedRun>) => findObjections(sideOf(run), sideOf({ ...run, ...other }));

  it('are empty for two finished runs of the same scenario', () => {
    expect(against({ seed: 2 })).toEqual([]);
  });

  it('name different scenarios, changed scenarios, unfinished runs and changes from a console', () => {
    expect(against({ scenario: 't' })).toEqual(['the runs have different scenarios, "s" and "t"']);
    expect(against({ situation: 'y' })).toEqual(['the scenario "s" was changed between the runs']);
    expect(against({ failure: 'the target is gone' })[0]).toContain('did not finish');
    expect(against({ touched: true })).toEqual(['"run 1" was changed from a console']);
  });

  it.each([
    [{ period: '300' }, { period: '900' }, '--var period "300" in one run, "900" in another'],
    [{ each: '100', long: '2h' }, { long: '2h' }, '--var each "100" in one run, not set in another'],
    [{}, { a: '1', b: '2' }, '--var a not set in one run, "1" in another; --var b not set in one run, "2" in another'],
    [{ key: null }, {}, '--var key a secret in one run, not set in another'],
  ])('name the variables that differ: %j and %j', (a, b, difference) => {
    const { samples } = run;
    const common = { format: 2, scenario: 's', seed: 1, digest: null, planned: { situation: 'x' }, samples };
    const summary = (vars: object) =>
      readSummary(JSON.stringify({ ...common, source: { file: 's.yaml', vars, allowFile: [] } }), 's');
    const other = { ...summary(b), situation: 'y' };
    expect(findObjections(sideOf(summary(a)), sideOf(other, { ...other, name: 'x', seed: 2 }))).toEqual([
      `the runs of the scenario "s" have different options: ${difference}`,
    ]);
  });

  it('are one line each, whatever the runs of others contain', () => {
    const evil = 'a\n::error::pwned\r\u001b[31m';
    const all = [
      ...against({ scenario: evil }),
      ...against({ failure: evil }),
      ...withoutSpoiled(sideOf(run, run), sideOf(run, { ...run, spoiled: true, failure: evil })).remarks,
    ];
    expect(all).toHaveLength(3);
    for (const line of all) expect(line).toMatch(/^\P{Cc}+$/u);
  });

  it('name the firmware if it differs, and secret variables, whose values are unknown', () => {
    const options = new Map([['--var key', null]]);
    const same = { ...run, options };
    expect(findObjections(sideOf(same), sideOf({ ...same, situation: 'y' }))).toEqual([
      'the scenario "s", or a secret value (--var key), was changed between the runs',
    ]);
    const firmware = new Map([['--firmware', '3.5.5']]);
    expect(against({ situation: 'y', options: firmware })[0]).toContain(
      '--firmware not set in one run, "3.5.5" in another',
    );
  });

  it('name each run of several, and a run that is there twice', () => {
    const other = { ...run, name: 'x', seed: 2, situation: 'y', digest: 'abc' };
    expect(findObjections(sideOf(run, other, { ...other, name: 'y' }), sideOf(run))).toEqual([
      'the scenario "s" was changed between the runs',
      '"x" and "y" are the same run, with the digest abc',
    ]);
  });
});

describe('the runs of the sides', () => {
  const run = (seed: number, more: Partial<ComparedRun> = {}) => ({
    ...runOf({ seed: 1 }),
    name: `run ${seed}`,
    seed,
    ...more,
  });
  const spoiled = { spoiled: true, failure: 'too slow' };

  it('are one on each side, or at least three', () => {
    const side = (count: number) => sideOf(...Array.from({ length: count }, (_, i) => run(i + 1)));
    expect([findMisfit(side(1), side(1)), findMisfit(side(3), side(4))]).toEqual([undefined, undefined]);
    expect(findMisfit(side(1), side(3))).toBe(
      '"run 1" has 1 run and "run 1,run 2,run 3" has 3 runs to compare; expected one run on each side, or at least 3',
    );
    expect(findMisfit(side(2), side(2))).toContain('has 2 runs');
  });

  it('do not count if they are invalid, nor do their partners', () => {
    const a = sideOf(run(1), run(2, spoiled), run(3));
    const left = withoutSpoiled(a, sideOf(run(1), run(2), run(3)));
    expect([left.a.runs, left.b.runs].map((all) => all.map(({ seed }) => seed))).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(left.remarks).toEqual(['"run 2" does not count, nor does the other run with this seed: too slow']);
    const apart = withoutSpoiled(a, sideOf(run(2), run(4), run(5)));
    expect(apart.b.runs).toHaveLength(3);
    expect(apart.remarks).toEqual(['"run 2" does not count: too slow']);
  });

  it('do not count if they did not end, nor do their partners, also if one run is left', () => {
    const whole = sideOf(run(1), run(2), run(3));
    const unread = [{ name: 'run 2', seed: 2, why: 'has no summary.json' }];
    const left = withoutSpoiled({ ...sideOf(run(1), run(3)), unread }, whole);
    expect(left.b.runs.map(({ seed }) => seed)).toEqual([1, 3]);
    expect(left.remarks).toEqual([
      '"run 2" does not count, nor does the other run with this seed: it has no summary.json',
    ]);
    const alone = withoutSpoiled({ ...sideOf(run(1)), unread }, sideOf(run(1, spoiled)));
    expect([alone.a.runs.length, alone.b.runs.length]).toEqual([1, 1]);
    expect(alone.remarks).toEqual(['"run 2" does not count: it has no summary.json']);
  });

  it('are named by their seeds', () => {
    expect(describeRuns(sideOf(run(7)))).toBe('seed 7');
    expect(describeRuns(sideOf(run(3), run(2), run(1)))).toBe('3 runs, seeds 1 to 3');
    expect(describeRuns(sideOf(run(5), run(2), run(1)))).toBe('3 runs, seeds 1, 2, 5');
  });
});

describe('reading a summary', () => {
  it('accepts the JSON report', () => {
    const { scenario, seed, digest, samples, planned } = resultOf();
    const run = readSummary(renderJson(resultOf({ startedAt: '2026-03-01T08:15:00.000Z' })), 'x');
    expect(run).toEqual({
      name: 'x',
      options: new Map(),
      format: 2,
      scenario,
      seed,
      digest,
      situation: planned.situation,
      failure: null,
      spoiled: false,
      touched: false,
      samples,
      startedAt: Date.UTC(2026, 2, 1, 8, 15),
      verdict: 'passed',
      devices: 3,
      unmet: [],
    });
  });

  it.each([
    ['{', 'is not the summary of a run'],
    ['[]', 'not a JSON object'],
    ['{}', '"format" is missing, expected 1 or 2'],
    ['{"format":3}', '"format" is 3, expected 1 or 2'],
    ['{"format":1,"scenario":"a","seed":1}', '"planned.situation" is missing'],
    [
      '{"format":1,"scenario":"a","seed":1,"planned":{"situation":"x"},"samples":{"batches":24,"counts":{},"durations":{"x":{"steps":1,"batches":[[7,1]]}}}}',
      '"samples" is missing or invalid; if another version of ghostfleet wrote the file, repeat the run',
    ],
    [
      '{"format":1,"scenario":"a","seed":1,"planned":{"situation":"x"},"samples":{"batches":24,"counts":{},"durations":{"x":{"steps":1,"min":7,"max":7,"batches":[[7,1,9]]}}}}',
      '"samples" is missing or invalid',
    ],
  ])('rejects %s', (text, complaint) => {
    expect(() => readSummary(text, 'x')).toThrow(complaint);
  });

  it.each([
    ['counts', { counts: { 'uplink.stored': Array(25).fill(1) } }],
    ['batches', { durations: { 'device.startup': { steps: 1, min: 1, max: 1, batches: Array(25).fill([1, 1]) } } }],
    ['values', { durations: { 'device.startup': { steps: 1, min: 1, max: 1, batches: [Array(92_002).fill(1)] } } }],
  ])('rejects more %s than a run can have, which would take hours to compare', (_, more) => {
    const samples = { batches: 24, counts: {}, durations: {}, ...more };
    const summary = { format: 1, scenario: 'a', seed: 1, planned: { situation: 'x' }, samples };
    expect(() => readSummary(JSON.stringify(summary), 'x')).toThrow('"samples" is missing or invalid');
  });
});
