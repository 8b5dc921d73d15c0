import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../src/cli/fail-if.js';
import { compareSides } from '../../src/report/compare/compare.js';
import type { Condition } from '../../src/report/compare/condition.js';
import type { ComparedRun, Side } from '../../src/report/compare/side.js';
import { describeCondition } from '../../src/report/compare/words.js';
import { Distribution } from '../../src/trace/distribution.js';

function conditionOf(line: string): Condition {
  const read = parseCondition(line);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

/** Runs with 100 latencies around a second each, and some dropped uplinks. */
function sideOf(from: number, { slower = 1, dropped = 0, spread = 0.01 } = {}): Side {
  const runs = Array.from({ length: 10 }, (_, run): ComparedRun => {
    const all = new Distribution();
    for (let i = 0; i < 100; i++) all.record((1000 + 5 * i) * slower * (1 + spread * ((run % 5) - 2)));
    const latency = { steps: 1, min: all.min ?? 0, max: all.max ?? 0, batches: [all.listPairs()] };
    return {
      ...{ name: `run ${run}`, format: 2, scenario: 's', seed: from + run, digest: null, situation: 'x' },
      ...{ failure: null, spoiled: false, touched: false, options: new Map() },
      samples: { batches: 24, counts: { 'uplink.dropped': [dropped] }, durations: { 'call.latency': latency } },
    };
  });
  return { name: 'side', runs };
}

/** A run with a count in few batches. */
function fewOf(count: number): Side {
  const [run] = sideOf(1).runs;
  if (run === undefined) throw new Error('no run');
  const samples = { batches: 24, counts: { 'device.wakes': [count, count, count] }, durations: {} };
  return { name: 'side', runs: [{ ...run, samples }] };
}

function judge(line: string, b: Parameters<typeof sideOf>[1], a: typeof b = {}) {
  const [result] = compareSides(sideOf(1, a), sideOf(101, b), [conditionOf(line)]).conditions;
  return result;
}

describe('conditions', () => {
  it.each([
    ['downlink.answered p(95) > +10%', 'downlink.answered', 95, 0.1],
    ['  call.latency p( 99.9 )>=5%  ', 'call.latency', 99.9, 0.05],
    ['uplink.stored < -2.5 %', 'uplink.stored', null, -0.025],
    ['device.repeats > 0%', 'device.repeats', null, 0],
    ['uplink.stored <= -100%', 'uplink.stored', null, -1],
  ])('read %j', (line, metric, percent, limit) => {
    expect(conditionOf(line)).toMatchObject({ line: line.trim(), figure: { metric, percent }, limit });
  });

  it.each([
    [
      'downlink.anwered p(95) > +10%',
      'column 1: expected a figure, found "downlink.anwered" (did you mean "downlink.answered"?)',
    ],
    ['call.latency > +10%', 'column 1: "call.latency" needs a percentile: "call.latency p(95)"'],
    ['uplink.stored p(95) < -1%', 'column 1: "uplink.stored" is a count: it has no percentiles'],
    ['call.latency p(0) > +10%', 'column 14: "p(0)" is not a percentile above 0 and below 100'],
    ['call.latency p(95 > +10%', 'column 14: "p(95 " is not a percentile above 0 and below 100'],
    ['call.latency p(95) = +10%', 'column 20: expected >, >=, < or <= after the figure, found "="'],
    ['call.latency p(95)', 'column 19: expected >, >=, < or <= after the figure, found the end'],
    ['call.latency p(95) > 10', 'column 22: expected a change in percent, found "10"'],
    ['call.latency p(95) > 300ms', 'column 22: expected a change in percent, found "300ms"'],
    ['call.latency p(95) >', 'column 21: expected a change in percent, found the end'],
    ['call.latency p(95) > -5%', 'column 22: "> -5%" would be met if nothing changed; write "> +5%" or "< -5%"'],
    ['uplink.stored < -150%', 'column 17: "< -150%" can never be met: nothing falls by so much'],
    ['call.latency p(50) < -100%', 'column 22: "< -100%" can never be met'],
    ['uplink.stored <= -100.5%', 'column 18: "<= -100.5%" can never be met'],
    [`uplink.stored >= ${'9'.repeat(400)}%`, 'can never be met: nothing grows by so much'],
    ['', 'column 1: expected a figure, found nothing'],
  ])('reject %j', (line, complaint) => {
    expect(parseCondition(line)).toContain(complaint);
  });

  it('are met by a change beyond the limit that chance does not explain', () => {
    expect(judge('call.latency p(50) > +10%', { slower: 1.2 })?.outcome).toBe('met');
    expect(judge('call.latency p(50) > +25%', { slower: 1.2 })?.outcome).toBe('not met');
    expect(judge('call.latency p(50) < -10%', { slower: 0.8 })?.outcome).toBe('met');
    expect(judge('call.latency p(50) > +10%', { slower: 1.2, spread: 0.3 }, { spread: 0.3 })?.outcome).toBe('not met');
  });

  it('say which change could have shown if it is larger than the limit', () => {
    const blunt = judge('call.latency p(50) > +10%', { spread: 0.3 }, { spread: 0.3 });
    expect(blunt).toMatchObject({ outcome: 'not met', isSharp: false });
    expect(blunt && describeCondition(blunt)).toMatch(
      /; these runs could have shown only \+\d+\.\d%: use more or longer/,
    );
    const sharp = judge('call.latency p(50) > +10%', {});
    expect(sharp).toMatchObject({ outcome: 'not met', isSharp: true });
    expect(sharp && describeCondition(sharp)).toMatch(/^0\.0% \(\S+ … \S+\)$/);
  });

  it('are not decided by counts of too little data, also if they happen to be equal', () => {
    const outcome = (a: number, b: number) =>
      compareSides(fewOf(a), fewOf(b), [conditionOf('device.wakes > +10%')]).conditions[0]?.outcome;
    expect([outcome(4, 5), outcome(4, 4), outcome(0, 0)]).toEqual(['undecided', 'undecided', 'not met']);
  });

  it('are met by a count that only B has, and not decided without data', () => {
    expect(judge('uplink.dropped > +10%', { dropped: 9 })?.outcome).toBe('met');
    expect(judge('uplink.dropped > +10%', {})?.outcome).toBe('not met');
    expect(judge('downlink.answered p(95) > +10%', {})?.outcome).toBe('undecided');
    expect(judge('call.latency p(99.9) > +10%', {})?.outcome).toBe('undecided');
  });
});
