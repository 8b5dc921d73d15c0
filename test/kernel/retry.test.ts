import { expect, it } from 'vitest';
import { cycle, type RetrySchedule, thenRepeating } from '../../src/kernel/retry.js';

function take(schedule: RetrySchedule<number>, count: number): number[] {
  const waits: number[] = [];
  for (const wait of schedule) {
    if (waits.length === count) break;
    waits.push(wait);
  }
  return waits;
}

it('a cycle repeats its entries, and an empty cycle ends at once', () => {
  expect(take(cycle([1, 2, 3]), 7)).toEqual([1, 2, 3, 1, 2, 3, 1]);
  expect(take(cycle([]), 5)).toEqual([]);
});

it.each([
  { tail: 0, expected: [1, 2, 3] },
  { tail: 1, expected: [1, 2, 3, 3, 3, 3, 3] },
  { tail: 2, expected: [1, 2, 3, 2, 3, 2, 3] },
  { tail: 3, expected: [1, 2, 3, 1, 2, 3, 1] },
  { tail: 5, expected: [1, 2, 3, 1, 2, 3, 1] },
  { tail: undefined, expected: [1, 2, 3, 1, 2, 3, 1] },
])('a schedule with the entries 1, 2, 3 and the tail $tail begins with $expected', ({ tail, expected }) => {
  expect(take(thenRepeating([1, 2, 3], tail), 7)).toEqual(expected);
});
