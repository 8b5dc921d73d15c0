import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LevelKind } from '../../../src/report/capacity/result.js';
import {
  MOST_AT_LEVEL,
  nextStep,
  type SearchRange,
  stepsAhead,
  type Taken,
} from '../../../src/runner/capacity/search.js';

/** Carries out a search against a service of which `kind` knows the answers. */
function search(range: SearchRange, kind: (value: number, repetition: number) => LevelKind) {
  const taken: Taken[] = [];
  for (let i = 0; i < 500; i++) {
    const step = nextStep(range, taken);
    if (step.step === 'end') return { ...step, taken };
    const { value, repetition } = step;
    taken.push({ value, repetition, kind: kind(value, repetition) });
  }
  throw new Error('the search does not end');
}

function below(limit: number) {
  return (value: number): LevelKind => (value <= limit ? 'holds' : 'fails');
}

const ranges = fc
  .record({
    from: fc.integer({ min: 1, max: 100 }),
    factor: fc.integer({ min: 2, max: 1000 }),
    whole: fc.boolean(),
    precision: fc.constantFrom(0.01, 0.05, 0.2),
  })
  .map(({ from, factor, whole, precision }): SearchRange => {
    return { from, to: from * factor, whole, precision, atLeast: null };
  });

const near: SearchRange = { from: 1, to: 64, whole: false, precision: 0.05, atLeast: null };

describe('a search for a capacity', () => {
  it('finds every limit within its precision, or within 1 for whole numbers', () => {
    fc.assert(
      fc.property(ranges, fc.double({ min: 0, max: 1, noNaN: true }), (range, share) => {
        const limit = range.from + share * (range.to - range.from);
        const { holds, fails } = search(range, below(limit));
        if (limit >= range.to) return fails === null && holds === range.to;
        expect(holds).toBeLessThanOrEqual(limit);
        expect(fails).toBeGreaterThan(limit);
        const gap = (fails ?? 0) - (holds ?? 0);
        return gap <= range.precision * (holds ?? 0) * 1.000001 || (range.whole && gap === 1);
      }),
    );
  });

  it('measures both levels at the border three times, and the others once', () => {
    fc.assert(
      fc.property(ranges, fc.double({ min: 0, max: 0.99, noNaN: true }), (range, share) => {
        const { holds, fails, taken } = search(range, below(range.from + share * (range.to - range.from)));
        const counts = new Map<number, number>();
        for (const { value } of taken) counts.set(value, (counts.get(value) ?? 0) + 1);
        for (const [value, count] of counts) expect(count).toBe(value === holds || value === fails ? 3 : 1);
      }),
    );
  });

  it('uses only whole levels where only these are possible', () => {
    fc.assert(
      fc.property(ranges, fc.double({ min: 0, max: 1, noNaN: true }), (range, share) => {
        const { taken } = search({ ...range, whole: true }, below(range.from + share * (range.to - range.from)));
        return taken.every(({ value }) => Number.isInteger(value));
      }),
    );
  });

  it('ends for any answers, with at most four measurements at each level', () => {
    const kinds = fc.constantFrom<LevelKind>('holds', 'fails', 'generator limit');
    fc.assert(
      fc.property(ranges, fc.infiniteStream(kinds), (range, answers) => {
        const { taken } = search(range, () => answers.next().value ?? 'holds');
        return taken.every(({ repetition }) => repetition < MOST_AT_LEVEL);
      }),
    );
  });

  it('recovers from one wrong measurement anywhere', () => {
    fc.assert(
      fc.property(fc.double({ min: 1.2, max: 60, noNaN: true }), fc.nat(30), (limit, wrong) => {
        let count = 0;
        const truth = below(limit);
        const { holds, fails } = search(near, (value) => {
          const right = truth(value);
          if (count++ !== wrong) return right;
          return right === 'holds' ? 'fails' : 'holds';
        });
        expect(holds).toBeLessThanOrEqual(limit);
        expect(fails ?? 64).toBeGreaterThan(limit);
      }),
    );
  });

  it('does not take one bad moment of the generator for its limit', () => {
    const { fails } = search(near, (value, repetition) =>
      value === 8 && repetition === 0 ? 'generator limit' : below(20)(value),
    );
    expect(fails).toBeGreaterThan(20);
  });

  it('finds the limit of the generator as it finds that of a service', () => {
    const { holds, fails, taken } = search(near, (value) => (value <= 10 ? 'holds' : 'generator limit'));
    expect([holds, taken.find(({ value }) => value === fails)?.kind]).toEqual([10, 'generator limit']);
  });

  it('says that the lowest level fails after it has looked at the next one', () => {
    const { holds, fails, taken } = search(near, () => 'fails');
    expect([holds, fails]).toEqual([null, 1]);
    expect(taken.map(({ value }) => value)).toEqual([1, 2, 1, 1]);
  });

  it('measures the level that is asked for if the limit is near it', () => {
    const { holds, fails } = search({ ...near, to: 1000, atLeast: 99, precision: 0.2 }, below(99));
    expect(holds).toBe(99);
    expect(fails).toBeLessThan(119);
  });

  it('wants the same next measurement however many are made at a time', () => {
    const taken: readonly Taken[] = [
      { value: 1, repetition: 0, kind: 'holds' },
      { value: 2, repetition: 0, kind: 'holds' },
      { value: 4, repetition: 0, kind: 'fails' },
    ];
    for (const most of [1, 2, 3, 8]) {
      const asks = stepsAhead(near, taken, most);
      expect(asks[0]).toEqual({ value: 3, repetition: 0 });
      expect(new Set(asks.map(({ value, repetition }) => `${value}/${repetition}`)).size).toBe(most);
    }
  });
});
