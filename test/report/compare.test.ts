import { describe, expect, test } from 'vitest';
import { between, seededRandom } from '../../src/kernel/random.js';
import { type ComparedRun, compareRuns, comparisonText, objections } from '../../src/report/compare/compare.js';
import { readSummary } from '../../src/report/compare/read.js';
import { json } from '../../src/report/renderers/json.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, metricsOf } from '../trace/fixtures.js';
import { resultOf } from './fixtures.js';

interface Options {
  readonly seed: number;
  readonly slower?: number;
  readonly dropped?: number;
}

/** A made-up run: 1,000 requests, 100 devices that each have their own speed, with 4 downlinks each. */
function runOf({ seed, slower = 1, dropped = 0 }: Options): ComparedRun {
  const random = seededRandom(seed).fork('compared');
  const events: TraceEvent[] = [];
  for (let i = 0; i < 1000; i++) {
    const sent = i * 100;
    // Mostly some 20 ms, one in ten much longer.
    const took = between(random, 15, 25) * (random.next() < 0.1 ? between(random, 2, 10) : 1) * slower;
    events.push({ kind: 'call.done', call: 'x', intended: sent, sent, at: sent + took, status: 200, why: '' });
  }
  for (let serial = 1; serial <= 100; serial++) {
    const own = between(random, 0.5, 1.5);
    for (let i = 0; i < 4; i++) {
      const id = `${serial}-${i}`;
      const delivered = Math.round(between(random, 10_000, 20_000) * own * slower);
      events.push(
        ...downlinkLife({ id, print: id, serial, queued: 0, contact: delivered, offered: delivered, delivered }),
      );
    }
  }
  for (let i = 0; i < dropped; i++) {
    events.push({ kind: 'uplink.dropped', at: i, serial: i, uplink: 1, type: 'data', why: 'x' });
  }
  const { samples } = metricsOf(events, 100, 100_000).summary();
  return { name: `run ${seed}`, scenario: 's', seed, situation: 'x', failure: null, touched: false, samples };
}

const verdictOf = (comparison: ReturnType<typeof compareRuns>, metric: string) =>
  comparison.rows.find((row) => row.metric === metric)?.verdict;

describe('comparing two runs', () => {
  test('hardly ever calls runs of the same that differ in their seeds different', { timeout: 60_000 }, () => {
    const runs = Array.from({ length: 16 }, (_, seed) => runOf({ seed }));
    const pairs = runs.flatMap((a, i) => runs.slice(i + 1, i + 5).map((b) => [a, b] as const));
    const different = pairs.filter(([a, b]) => compareRuns(a, b).different).length;
    // 54 pairs of 9 numbers each: at 95 % some 24 of them would be called different.
    expect(pairs).toHaveLength(54);
    expect(different).toBeLessThanOrEqual(1);
  });

  test('finds a slowdown by a fifth, whatever the seed', { timeout: 60_000 }, () => {
    for (let seed = 0; seed < 8; seed++) {
      const comparison = compareRuns(runOf({ seed }), runOf({ seed: seed + 100, slower: 1.2 }));
      expect(verdictOf(comparison, 'call.latency p(50)')).toBe('different');
      expect(comparison.different).toBe(true);
    }
  });

  test('does not mind a difference that is sure and too small to matter', () => {
    const comparison = compareRuns(runOf({ seed: 1 }), runOf({ seed: 1, slower: 1.03 }));
    expect(comparison.different).toBe(false);
  });

  test('finds what was never there and then often, and cannot tell about a handful', () => {
    expect(verdictOf(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2, dropped: 40 })), 'uplink.dropped')).toBe(
      'different',
    );
    expect(verdictOf(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2, dropped: 3 })), 'uplink.dropped')).toBe(
      'unknown',
    );
  });

  test('says the same about the same two runs every time', () => {
    const [a, b] = [runOf({ seed: 1 }), runOf({ seed: 2 })];
    expect(compareRuns(a, b)).toEqual(compareRuns(a, b));
  });

  test('shows both values, the change and its interval', () => {
    const text = comparisonText(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2, slower: 2 })));
    expect(text).toMatch(/call\.latency p\(50\) +\d+ms +\d+ms +\+\d+\.\d % +\+\d+\.\d % … \+\d+\.\d % +≠/);
    expect(text).toMatch(/\ndifferent: .*call\.latency p\(50\) \+\d+\.\d % \(longer\)/s);
  });
});

describe('objections to a comparison', () => {
  const run = runOf({ seed: 1 });

  test('are none for two good runs of the same scenario', () => {
    expect(objections(run, { ...run, seed: 2 })).toEqual([]);
  });

  test('name other scenarios, changed ones, and runs that did not end well or were touched by hand', () => {
    expect(objections(run, { ...run, scenario: 't' })).toEqual(['they are of different scenarios, "s" and "t"']);
    expect(objections(run, { ...run, situation: 'y' })).toEqual(['the scenario "s" was changed between them']);
    expect(objections(run, { ...run, failure: 'the run is invalid' })[0]).toContain('did not come to a good end');
    expect(objections(run, { ...run, touched: true })).toEqual(['"run 1" was touched from a console']);
  });
});

describe('reading a summary', () => {
  test('takes what the JSON report wrote', () => {
    const { scenario, seed, samples, planned } = resultOf();
    const run = readSummary(json(resultOf()), 'x');
    expect(run).toEqual({
      name: 'x',
      scenario,
      seed,
      situation: planned.situation,
      failure: null,
      touched: false,
      samples,
    });
  });

  test.each([
    ['{', 'is not the summary of a run'],
    ['[]', 'it is not an object'],
    ['{}', '"format" must be 1, and it has none'],
    ['{"format":2}', '"format" must be 1, and its is 2'],
    ['{"format":1,"scenario":"a","seed":1}', '"planned.situation" is missing'],
    [
      '{"format":1,"scenario":"a","seed":1,"planned":{"situation":"x"},"samples":{"batches":24,"counts":{},"durations":{"x":{"steps":1,"batches":[[4000000000,1]]}}}}',
      '"samples" is missing or not as it should be',
    ],
  ])('refuses %s', (text, complaint) => {
    expect(() => readSummary(text, 'x')).toThrow(complaint);
  });
});
