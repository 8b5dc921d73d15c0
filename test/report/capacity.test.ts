/** The views of a search: page, JUnit, and the text of a result that is not whole. */
import { describe, expect, it } from 'vitest';
import { capacityHtml } from '../../src/report/capacity/html.js';
import { capacityJson, readCapacity } from '../../src/report/capacity/json.js';
import { capacityJunit } from '../../src/report/capacity/junit.js';
import type { CapacityResult, LevelRun } from '../../src/report/capacity/result.js';
import { capacityText } from '../../src/report/capacity/text.js';

function run(value: number, kind: LevelRun['kind']): LevelRun {
  const sentence = 'call.latency p(95) is 800ms, wanted < 500ms';
  const missed = {
    line: 'call.latency p(95) < 500ms',
    passed: kind === 'holds',
    left: 800,
    right: 500,
    unit: 'ms' as const,
  };
  return {
    ...{ value, repetition: 0, seed: 1, kind, why: kind === 'holds' ? null : sentence, recovery: 0, service: 9 },
    expectations: [{ ...missed, sentence }],
    throughput: { of: 'requests', offered: value, done: Math.min(value, 10) },
    latency: { of: 'requests', p50: 9, p95: value * 40, p99: value * 50 },
    ...{ digest: '0123456789abcdef', plan: 'fedcba9876543210' },
  };
}

function resultOf(changes: Partial<CapacityResult> = {}): CapacityResult {
  const [held, failed] = [run(10, 'holds'), run(20, 'fails')];
  return {
    ...{ format: 1, scenario: 'busy', key: 'load.1.rate', unit: '/s', from: 10, to: 100, precision: 1, seed: 1 },
    ...{ clock: 'real', target: 'https://cloud.example', atLeast: null, reached: null, exitCode: 0 },
    ...{ outcome: 'found', holds: 10, fails: 20, confirmed: true, failed: failed.expectations },
    ...{ sentence: 'load.1.rate: all expectations hold up to 10/s, and not at 20/s', advice: null, notes: [] },
    levels: [held, failed].map((one) => ({
      value: one.value,
      kind: one.kind,
      runs: [one],
      throughput: one.throughput,
      latency: one.latency,
    })),
    reproduce: 'ghostfleet capacity busy.yaml',
    ...changes,
  };
}

describe('the result of a search', () => {
  it('has two plots, with the limit marked, and what failed first with its distance from the limit', () => {
    const html = capacityHtml(resultOf());
    expect(html.match(/class="plot"/g)).toHaveLength(2);
    expect(html.match(/<rect class="band"/g)).toHaveLength(4);
    expect(html).toContain('call.latency p(95) is 800ms, wanted &lt; 500ms (60.0% above the limit)');
  });

  it('shows the worst figures of a level with several runs, and says so', () => {
    const [level] = resultOf().levels;
    const several = resultOf({ levels: level ? [{ ...level, runs: [...level.runs, ...level.runs] }] : [] });
    for (const view of [capacityText(several), capacityHtml(several)])
      expect(view).toContain('of several runs, the worst figures are shown');
    expect(capacityText(resultOf())).not.toContain('several runs');
  });

  it('escapes names in every view', () => {
    const hostile = resultOf({ scenario: '</script><b>&"', reproduce: 'a <i>' });
    expect(capacityHtml(hostile)).not.toMatch(/<b>&|<i>/);
    expect(capacityJunit(hostile)).not.toMatch(/<b>|<i>/);
    expect(capacityText(resultOf({ sentence: '\u001b[31m' }))).not.toContain('\u001b');
  });

  it.each([
    ['found', null, 'failures="0" errors="0"'],
    ['found', false, 'failures="1" errors="0"'],
    ['generator limit', null, 'failures="0" errors="1"'],
    ['target broken', null, 'failures="0" errors="1"'],
    ['unfinished', null, 'failures="0" errors="1"'],
  ] as const)('is for build servers, with the outcome %s and reached %s: %s', (outcome, reached, counts) => {
    const atLeast = reached === null ? null : 15;
    expect(capacityJunit(resultOf({ outcome, reached, atLeast }))).toContain(counts);
  });

  it('is read back to be continued, and other files are rejected', () => {
    const { runs } = readCapacity(capacityJson(resultOf()), 'capacity.json');
    expect(runs.map(({ value }) => value)).toEqual([10, 20]);
    for (const [text, why] of [
      ['{', 'it is not JSON'],
      ['null', '"format" is undefined, expected 1'],
      ['{"format":2}', '"format" is 2, expected 1'],
      ['{"format":1}', 'a part of its question is missing'],
      [capacityJson({ ...resultOf(), precision: Number.NaN }), 'a part of its question is missing or not valid'],
      [capacityJson(resultOf()).replace(/"recovery": .*/, ''), 'a run in "levels" is incomplete'],
    ] as const) {
      expect(() => readCapacity(text, 'x')).toThrow(why);
    }
  });

  it.each([
    ['throughput', '{"of":"requests","offered":1e999,"done":1}'],
    ['throughput', '{"of":"requests","offered":"x","done":1}'],
    ['latency', '{"of":"requests","p50":1e999,"p95":1,"p99":1}'],
    ['latency', '{"of":"requests","p50":"<b>","p95":1,"p99":1}'],
    ['expectations', '[null]'],
    ['expectations', '[{"line":"a","sentence":"b","passed":true,"left":1e999,"right":1}]'],
    ['why', '5'],
    ['why', `"${'x'.repeat(20_000)}"`],
    ['value', '1e999'],
    ['service', '-1e999'],
    ['digest', '{}'],
  ])('is not read back with the %s %.60s, which no search writes', (name, value) => {
    const text = capacityJson(resultOf()).replace(/\n/g, '');
    const { runs } = readCapacity(text, 'x');
    const first = JSON.stringify(runs[0]);
    const changed = JSON.stringify({ ...runs[0], [name]: 'CHANGED' }).replace('"CHANGED"', value);
    const forged = JSON.stringify(JSON.parse(text)).replace(first, changed);
    expect(forged).toContain(value);
    expect(() => readCapacity(forged, 'x')).toThrow('a run in "levels" is incomplete or not valid');
  });

  it('is read back with texts that stay on their line', () => {
    const [run] = readCapacity(capacityJson(resultOf()).replaceAll('wanted <', 'wanted\\nFAKE <'), 'x').runs.slice(1);
    expect(run?.why).toContain(String.raw`wanted\nFAKE`);
  });
});
