import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problems, readYaml } from '../../../src/input/document.js';
import { LineError } from '../../../src/input/line-error.js';
import { evaluate, type MetricSource } from '../../../src/scenario/expect/evaluate.js';
import { COMPARISON_OPERATORS, type Expectation } from '../../../src/scenario/expect/expectation.js';
import { parseExpectation } from '../../../src/scenario/expect/grammar.js';
import { readSelector } from '../../../src/scenario/selector/check.js';
import { Distribution } from '../../../src/trace/distribution.js';
import type { Violation } from '../../../src/trace/invariants/invariant.js';
import { METRICS } from '../../../src/trace/metrics/index.js';
import { problemsOf, yamlOf } from '../fixtures.js';

/** Reads an expectation in which every name after "of" is a group. */
function read(line: string): Expectation {
  return parseExpectation(line, {
    devices: (group) => ({ kind: 'group', group }),
    tags: [],
    clients: ['dashboard'],
    loads: ['morning', 'morning/list'],
  });
}

/** Metrics with the given values: a number is a count, a list of durations a distribution. */
function source(values: Readonly<Record<string, number | readonly number[]>>): MetricSource {
  return {
    read: (name, of) => {
      const value = values[of === undefined ? name : `${name} of ${of}`];
      if (value === undefined) return undefined;
      if (typeof value === 'number') return { kind: 'count', value };
      const distribution = new Distribution();
      for (const duration of value) distribution.record(duration);
      return { kind: 'durations', distribution, missing: {} };
    },
    within: () => undefined,
  };
}

function judge(line: string, values: Readonly<Record<string, number | readonly number[]>>) {
  const invariants = { getVerdict: () => undefined };
  return evaluate(read(line), { metrics: source(values), invariants, nameOf: String });
}

function failureOf(line: string): string {
  try {
    read(line);
  } catch (error) {
    if (error instanceof LineError) return `${error.column}: ${error.message}`;
    throw error;
  }
  return 'no failure';
}

describe('an expectation', () => {
  it.each([
    ['uplink.stored == uplink.sent', { 'uplink.stored': 5, 'uplink.sent': 5 }, true],
    ['uplink.stored == uplink.sent', { 'uplink.stored': 4, 'uplink.sent': 5 }, false],
    [
      'uplink.made == uplink.acked + uplink.waiting - 1',
      { 'uplink.made': 6, 'uplink.acked': 5, 'uplink.waiting': 2 },
      true,
    ],
    ['downlink.answered count == 2', { 'downlink.answered': [10, 20] }, true],
    ['downlink.answered >= 3', { 'downlink.answered': [10, 20] }, false],
    ['downlink.delivered p(50) < 40m', { 'downlink.delivered': [60_000, 120_000, 3_000_000] }, true],
    ['downlink.delivered p(99.9) < 40m', { 'downlink.delivered': [60_000, 120_000, 3_000_000] }, false],
    ['downlink.delivered max <= 50m', { 'downlink.delivered': [60_000, 3_000_000] }, true],
    ['downlink.delivered min != 1m', { 'downlink.delivered': [60_000] }, false],
    ['downlink.delivered max - downlink.delivered min > 1h30m', { 'downlink.delivered': [0, 5_400_001] }, true],
    ['downlink.delivered mean<2s', { 'downlink.delivered': [1000, 2000] }, true],
    ['uplink.stored of hill == uplink.sent', { 'uplink.stored of hill': 4, 'uplink.sent': 4 }, true],
    ['uplink.stored of a - uplink.sent of b == 1', { 'uplink.stored of a': 4, 'uplink.sent of b': 3 }, true],
    ['downlink.delivered p(95) of hill-2 < 2m', { 'downlink.delivered of hill-2': [60_000] }, true],
    ['call.refused of client/dashboard == 0', { 'call.refused of client/dashboard': 0, 'call.refused': 3 }, true],
    ['downlink.delivered of hill > 1', { 'downlink.delivered of hill': [60_000] }, false],
    ['downlink.refused / downlink.queued <= 5%', { 'downlink.refused': 1, 'downlink.queued': 20 }, true],
    ['downlink.refused/downlink.queued < 0.05', { 'downlink.refused': 1, 'downlink.queued': 20 }, false],
    ['downlink.refused <= 5% * downlink.queued', { 'downlink.refused': 1, 'downlink.queued': 20 }, true],
    ['downlink.refused <= downlink.queued * 1 / 20', { 'downlink.refused': 1, 'downlink.queued': 20 }, true],
    ['downlink.refused < 7% * downlink.queued', { 'downlink.refused': 7, 'downlink.queued': 100 }, false],
    ['downlink.refused > 57% * downlink.queued', { 'downlink.refused': 57, 'downlink.queued': 100 }, false],
    ['downlink.refused >= 55% * downlink.queued', { 'downlink.refused': 55, 'downlink.queued': 100 }, true],
    ['1 - downlink.refused / downlink.queued <= 5%', { 'downlink.refused': 19, 'downlink.queued': 20 }, true],
    ['downlink.refused / downlink.queued == 10% + 20%', { 'downlink.refused': 3, 'downlink.queued': 10 }, true],
    ['downlink.refused == 100 * 1.1', { 'downlink.refused': 110 }, true],
    ['downlink.refused != 100 * 1.1', { 'downlink.refused': 110 }, false],
    ['downlink.refused < downlink.queued', { 'downlink.refused': 9_999_999_999, 'downlink.queued': 1e10 }, true],
    ['device.wakes / fleet.devices < 3', { 'device.wakes': 10, 'fleet.devices': 4 }, true],
    ['2 + 3 * uplink.stored == 11', { 'uplink.stored': 3 }, true],
    ['(2 + 3) * uplink.stored == 15', { 'uplink.stored': 3 }, true],
    ['12 / 3 / 2 - 1 - 1 == uplink.stored', { 'uplink.stored': 0 }, true],
    ['downlink.delivered max / downlink.delivered min <= 2', { 'downlink.delivered': [1000, 2000] }, true],
    ['downlink.delivered max * 1.5 == 3s', { 'downlink.delivered': [1000, 2000] }, true],
    ['uplink.stored of a / uplink.sent of b == 50%', { 'uplink.stored of a': 1, 'uplink.sent of b': 2 }, true],
    ['(uplink.stored of a) * 2 == 2', { 'uplink.stored of a': 1 }, true],
    ['uplink.stored of region/north * 2 == 2', { 'uplink.stored of region/north': 1 }, true],
  ])('%s, given %j, passes: %s', (line, values, passed) => {
    expect(judge(line, values).passed).toBe(passed);
  });

  it('shows the measured and the expected value', () => {
    expect(judge('downlink.delivered p(95) < 40m', { 'downlink.delivered': [2_640_000] })).toEqual({
      line: 'downlink.delivered p(95) < 40m',
      passed: false,
      left: 2_640_000,
      right: 2_400_000,
      unit: 'ms',
      sentence: 'downlink.delivered p(95) is 44m, wanted < 40m',
    });
    expect(judge('uplink.stored == uplink.sent', { 'uplink.stored': 4, 'uplink.sent': 5 }).sentence).toBe(
      'uplink.stored is 4, wanted == uplink.sent, which is 5',
    );
  });

  it('about a metric without measurements fails with "no data"', () => {
    expect(judge('downlink.delivered p(95) < 40m', { 'downlink.delivered': [] })).toMatchObject({
      passed: false,
      left: null,
      right: 2_400_000,
      sentence: 'no data: downlink.delivered p(95) was never measured',
    });
    expect(
      judge('downlink.delivered max > downlink.offered max', { 'downlink.delivered': [1], 'downlink.offered': [] }),
    ).toMatchObject({
      passed: false,
      right: null,
    });
  });

  it('shows shares in percent, and an operation with its parentheses', () => {
    const values = { 'uplink.stored': 4, 'uplink.sent': 5, 'uplink.made': 6 };
    expect(judge('(uplink.stored + 1 - (2 - 1)) / uplink.sent >= 95%', values)).toMatchObject({
      left: 0.8,
      unit: 'ratio',
      sentence: '(uplink.stored + 1 - (2 - 1)) / uplink.sent is 80%, wanted >= 95%',
    });
    expect(judge('uplink.made / 4 == uplink.sent / 5 * 2', values).sentence).toBe(
      'uplink.made / 4 is 1.5, wanted == uplink.sent / 5 * 2, which is 2',
    );
  });

  it('that divides by zero fails with this reason', () => {
    expect(judge('uplink.stored / uplink.sent >= 95%', { 'uplink.stored': 0, 'uplink.sent': 0 })).toMatchObject({
      passed: false,
      undecided: true,
      left: null,
      sentence: 'no data: uplink.sent is 0, a division by zero',
    });
  });

  it('about some devices names their selector', () => {
    const values = { 'uplink.stored of region/north': 4, 'uplink.sent': 5 };
    const names = { groups: [], regions: ['north'], tags: [], fleet: undefined };
    const problems = new Problems();
    const line = parseExpectation('uplink.stored of region/north == uplink.sent', {
      devices: (to) => readSelector(to, readYaml(to, 'test.yaml'), problems, names),
      tags: [],
      clients: [],
      loads: [],
    });
    const { sentence } = evaluate(line, {
      metrics: source(values),
      invariants: { getVerdict: () => undefined },
      nameOf: String,
    });
    expect(sentence).toBe('uplink.stored of region/north is 4, wanted == uplink.sent, which is 5');
  });

  it('treats a count without events as 0', () => {
    expect(judge('downlink.delivered == 0', { 'downlink.delivered': [] }).passed).toBe(true);
  });
});

describe('an expectation about an invariant', () => {
  const line = 'always uplinks-stored-once';
  const judged = (first: Violation | undefined, violations: number) =>
    evaluate(read(line), {
      metrics: source({}),
      invariants: { getVerdict: (name) => (name === 'uplinks-stored-once' ? { violations, first } : undefined) },
      nameOf: (serial) => `clime-${serial}`,
    });

  it('passes without a violation', () => {
    expect(judged(undefined, 0)).toMatchObject({ line, passed: true, left: 0, right: 0, unit: 'count' });
  });

  it('fails with the number of violations, the time, the device, the violation and the events that show it', () => {
    const sent = { kind: 'uplink.sent', at: 60_000, serial: 3, uplink: 5, type: 'data' } as const;
    const { passed, left, sentence } = judged({ at: 61_000, serial: 3, what: 'uplink 5 was lost', events: [sent] }, 2);
    expect([passed, left]).toEqual([false, 2]);
    expect(sentence).toBe(
      'violated 2 times, first at 1m 01s (61000 ms) by clime-3: uplink 5 was lost; uplink.sent at 60000 (uplink 5, data)',
    );
  });
});

describe('the grammar of expectations', () => {
  it.each([
    ['', '1: the end of the line is not a metric, a number or a duration'],
    ['downlink.deliverd == 1', '1: "downlink.deliverd" is not a metric (did you mean "downlink.delivered"?)'],
    ['uplink.stored = uplink.sent', '15: "=" is not a comparison (did you mean "=="?)'],
    ['uplink.stored', '14: the end of the line is not a comparison'],
    ['uplink.stored == ', '18: the end of the line is not a metric'],
    ['uplink.stored == 5 6', '20: expected the end of the expectation, found "6"'],
    ['downlink.delivered p(95) < 1.5 s', '32: expected the end of the expectation, found "s"; write "1.5s"'],
    ['uplink.stored == 5 and uplink.sent == 5', '20: expected the end of the expectation, found "and"; write each'],
    ['uplink.stored == 5 || uplink.sent == 5', '20: expected the end of the expectation, found "|"; write each'],
    ['uplink.stored == 5 of hill', 'found "of"; "of" belongs to a metric, before the comparison'],
    ['1 < 2', '1: it has no metric, so its result is the same in every run'],
    ['uplink.stored == 40m', '18: the left side is a count, the right side a duration'],
    ['downlink.delivered p(95) < 40', '28: the left side is a duration, the right side a number'],
    ['downlink.delivered p(95) + 1 < 40m', '28: a number cannot be added to a duration'],
    ['uplink.stored p(95) < 40m', '15: "uplink.stored" is a count'],
    ['downlink.delivered p(0) < 40m', '22: "0" is not a percentage from 1 to 100'],
    ['downlink.delivered p(0.001) < 40m', '22: "0.001" is not a percentage from 1 to 100'],
    ['downlink.delivered p(101) < 40m', '22: "101" is not a percentage'],
    ['downlink.delivered p 95 < 40m', '22: "95" is not "("'],
    ['downlink.delivered p(95 < 40m', '25: "<" is not ")"'],
    ['downlink.delivered p95 < 40m', '20: "p95" is not an aggregate (did you mean "p(95)"?)'],
    ['downlink.delivered p_99.9 < 40m', '"p_99.9" is not an aggregate (did you mean "p(99.9)"?)'],
    ['downlink.delivered P(95) < 40m', '20: "P" is not an aggregate (did you mean "p(95)"?)'],
    ['downlink.delivered p(95%) < 40m', '24: "%" is not ")"; a percentile is written "p(95)"'],
    ['downlink.delivered p(0.95) < 40m', '22: "0.95" is a share; write "p(95)"'],
    ['downlink.delivered median < 40m', '20: "median" is not an aggregate (did you mean "p(50)"?)'],
    ['downlink.delivered in hill == 4', '20: "in" is not an aggregate (did you mean "of"?)'],
    ['downlink.delivered avg < 40m', '20: "avg" is not an aggregate (did you mean "mean"?)'],
    ['p(95) downlink.delivered < 40m', '1: "p" is not a metric; the metric comes first'],
    ['max of downlink.delivered < 40m', '1: "max" is not a metric; the metric comes first'],
    ['of hill downlink.delivered == 4', '1: "of" is not a metric; the metric comes first'],
    ['95% of downlink.answered < 1h', '5: only a metric has "of"; write the metric first'],
    ['downlink.delivered of hill p(95) < 1h15m', '28: "of" comes last: write "downlink.delivered p(95) of hill"'],
    ['downlink.delivered of 10% of hill p95 < 1h', '"p95" is not an aggregate (did you mean "p(95)"?)'],
    [
      'downlink.answered of region/north within 1h >= 95%',
      '35: "of" comes last: write "downlink.answered within 1h of region/north"',
    ],
    [
      'call.latency of client/dashboard p(99) < 1s',
      '34: "of" comes last: write "call.latency p(99) of client/dashboard"',
    ],
    ['downlink.delivered p(95) within 1h < 3', '26: found "within", but a metric has only one of count, min, max'],
    ['downlink.delivered =< 3', '20: "=<" is not a comparison (did you mean "<="?)'],
    [
      'downlink.delivered of hill < 40m',
      'the right side a duration; for its times, write "downlink.delivered p(95)", or min, max or mean',
    ],
    ['downlink.delivered p(95) < 40', 'the right side a number; write a unit, such as "40ms" or "40m"'],
    ['downlink.delivered maxx < 40m', '20: "maxx" is not an aggregate (did you mean "max"?)'],
    ['downlink.delivered max < 40minutes', '26: "40minutes" is not a number, nor a duration'],
    ['always', '7: the end of the line is not an invariant'],
    [
      'always uplinks-stored-onze',
      '8: "uplinks-stored-onze" is not an invariant (did you mean "uplinks-stored-once"?)',
    ],
    ['always uplinks-stored-once == 0', '28: expected the end of the expectation, found "=="'],
    ['uplinks-stored-once', '1: "uplinks-stored-once" is an invariant: write "always uplinks-stored-once"'],
    ['call.latency max of hill < 1s', '21: "hill" is not a client; the setup has client/dashboard'],
    [
      'call.refused of client/dashbord == 0',
      '17: "client/dashbord" is not a client (did you mean "client/dashboard"?)',
    ],
    ['call.refused of == 0', '17: expected client/… or load/… after "of"'],
    ['service.faults of hill == 0', '16: "service.faults" is not counted by device'],
    ['uplink.stored of == 5', '18: expected a group'],
    ['uplink.stored of', '17: expected a group, region/…, tag/… or a sample after "of", found the end of the line'],
    ['uplink.stored == (5', '20: the end of the line is not ")"'],
    ['uplink.stored == ()', '19: ")" is not a metric, a number or a duration'],
    ['uplink.stored * == 5', '17: "==" is not a metric, a number or a duration'],
    ['uplink.stored + 5% > 3', '17: a share cannot be added to a count'],
    ['uplink.stored - 5m > 3', '17: a duration cannot be subtracted from a count'],
    ['uplink.stored / 5m > 3', '17: a count cannot be divided by a duration'],
    ['uplink.delay max * 5m > 3m', '20: a duration cannot be multiplied by a duration'],
    ['uplink.stored / uplink.sent > 3m', '31: the left side is a number, the right side a duration'],
    ['downlink.queued within 1h >= 95%', '17: "downlink.queued" has no "within"'],
    ['downlink.answered within >= 95%', '26: ">=" is not a duration'],
    ['downlink.answered within 95% >= 95%', '26: "95" is not a duration'],
    ['downlink.answered within 1h >= 50m', '32: the left side is a share, the right side a duration'],
    [
      'downlink.answered >= 0.95',
      '22: the left side is a count, not a share; write "downlink.answered within 1h >= 95%" or "downlink.answered / downlink.queued >= 95%"',
    ],
    ['downlink.refused of hill <= 1%', 'write "downlink.refused / downlink.queued <= 1%"'],
    ['call.failed < 0.01', '15: the left side is a count, not a share; write "call.failed / call.planned < 1%"'],
    ['downlink.answered within 10m < 50', '32: the left side is a share, which is at most 100%; write "< 50%"'],
    ['downlink.pending / downlink.queued <= 5', 'the left side is a share, which is at most 100%; write "<= 5%"'],
    ['downlink.answered within 1h < 150%', 'the left side is a share, which is at most 100%; write at most 100%'],
    ['downlink.refused <= 1/100', 'write "downlink.refused / downlink.queued <= 1%"'],
    ['downlink.refused <= 1 - 0.99', 'write "downlink.refused / downlink.queued <= 1%"'],
    [
      '0.01 >= downlink.refused',
      '1: the right side is a count, not a share; write "downlink.refused / downlink.queued <= 1%"',
    ],
    [
      'downlink.answered >= downlink.answered / downlink.queued',
      'the left side is a count, not a share; write "downlink',
    ],
    ['device.wakes + 1 >= 50%', 'the left side is a count, not a share; divide it by another count'],
  ])('rejects "%s" with the column of the error', (line, message) => {
    expect(failureOf(line)).toContain(message);
  });

  it('reports the place in the file, even within quotation marks', () => {
    const head = 'name: test\nduration: 2h\n';
    const yaml = yamlOf({ head, expect: "  - uplink.stored == 40m\n  - 'uplink.stored == 40m'\n" });
    expect(problemsOf(yaml).map((problem) => problem.split(' ')[0])).toEqual(['7:22:', '8:23:']);
  });

  it.each([
    [
      'downlink.answered / downlink.queued of region/south >= 95%',
      1,
      '"of region/south" restricts only "downlink.queued"',
    ],
    ['0 == downlink.queued - downlink.answered of cellar', 6, 'write it after "downlink.queued", too'],
    ['call.answered >= call.planned of client/dashboard', 1, '"of client/dashboard" restricts only "call.planned"'],
    ['uplink.stored / fleet.devices of cellar >= 2', 1, '"of cellar" restricts only "fleet.devices"'],
    ['downlink.answered p(95) <= 2 * downlink.answered p(50) of cellar', 1, 'restricts only "downlink.answered"'],
  ])('rejects a metric of the whole run before another one with "of": %s', (line, column, message) => {
    const failure = failureOf(line);
    expect(failure).toContain(message);
    expect(failure).toMatch(new RegExp(`^${column}:`));
  });

  it.each([
    'uplink.dropped == uplink.dropped of a',
    'downlink.queued == fleet.devices of a',
    'uplink.stored of a >= 2 * uplink.sent',
    'uplink.sent of a < call.sent',
  ])('accepts a comparison of a part with the whole run: %s', (line) => expect(failureOf(line)).toBe('no failure'));

  it('reports the place of a device that does not exist', () => {
    const head = 'name: test\nduration: 2h\n';
    const lines = ['uplink.stored of clima == 1', 'uplink.stored == uplink.stored of clime/3..900 + 1'];
    const yaml = yamlOf({ head, expect: lines.map((line) => `  - ${line}\n`).join('') });
    expect(problemsOf(yaml)).toEqual([
      expect.stringMatching(/^7:22: "clima" is not "all", a group .* \(did you mean "clime"\?\)/),
      expect.stringMatching(/^8:39: "clime\/3\.\.900" does not exist: the group has the devices 1 to/),
    ]);
  });

  it('rejects a line with more than 1,000 words and signs, which would exhaust the stack', () => {
    const many = 20_000;
    const deep = `${'('.repeat(many)}1${')'.repeat(many)} < uplink.sent`;
    const long = `1${' + 1'.repeat(many)} < uplink.sent`;
    for (const line of [deep, long]) expect(failureOf(line)).toContain('at most 1000 words and signs (got');
  });

  it('accepts every metric and every comparison, and throws only a LineError', () => {
    const word = fc.oneof(
      fc.constantFrom(...METRICS.map((metric) => metric.name), ...COMPARISON_OPERATORS),
      fc.constantFrom(
        'count',
        'min',
        'max',
        'mean',
        'p(95)',
        'p',
        '(',
        ')',
        '5',
        '40m',
        '+',
        '-',
        ' ',
        '*',
        '/',
        '%',
        'within',
      ),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        expect(failureOf(words.join(' '))).toBeTypeOf('string');
      }),
    );
    for (const { name } of METRICS) {
      for (const comparison of COMPARISON_OPERATORS)
        expect(read(`${name} ${comparison} 1`)).toMatchObject({ comparison });
    }
  });
});
