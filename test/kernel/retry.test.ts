import { expect, test } from 'vitest';
import { cycle, linearBackoff, type RetrySchedule, thenRepeating } from '../../src/kernel/retry.js';
import { seconds } from '../../src/kernel/time.js';

function take(schedule: RetrySchedule, count: number): number[] {
  const waits: number[] = [];
  for (const wait of schedule) {
    if (waits.length === count) break;
    waits.push(wait);
  }
  return waits;
}

test('a linear back-off grows by its step up to its ceiling', () => {
  expect(take(linearBackoff(seconds(10), seconds(10), seconds(35)), 6)).toEqual([10, 20, 30, 35, 35, 35].map(seconds));
});

test('a linear back-off never exceeds its ceiling, not even at first', () => {
  expect(take(linearBackoff(100, 1, 50), 2)).toEqual([50, 50]);
});

test('a cycle begins again, and an empty one ends at once', () => {
  expect(take(cycle([1, 2, 3]), 7)).toEqual([1, 2, 3, 1, 2, 3, 1]);
  expect(take(cycle([]), 5)).toEqual([]);
});

test.each([
  { tail: 0, expected: [1, 2, 3] },
  { tail: 1, expected: [1, 2, 3, 3, 3, 3, 3] },
  { tail: 2, expected: [1, 2, 3, 2, 3, 2, 3] },
  { tail: 3, expected: [1, 2, 3, 1, 2, 3, 1] },
  { tail: 5, expected: [1, 2, 3, 1, 2, 3, 1] },
  { tail: undefined, expected: [1, 2, 3, 1, 2, 3, 1] },
])('waits that go on with their last $tail', ({ tail, expected }) => {
  expect(take(thenRepeating([1, 2, 3], tail), 7)).toEqual(expected);
});
