import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatestTimes, MOST_TIMES } from '../../../src/cloud/history/latest-times.js';

const MINUTE = 60_000;

describe('the latest delivery times', () => {
  /** For each minute the times that are noted before its sample. */
  const noted = fc.array(
    fc.array(
      fc.nat({ max: 1e9 }).map((ms) => ms / 1000),
      { maxLength: 30 },
    ),
    { maxLength: 150 },
  );

  it('have the median and the 95th percentile of the last hour, at most 0.4 % off', () => {
    fc.assert(
      fc.property(noted, (given) => {
        const times = new LatestTimes();
        given.forEach((fresh, minute) => {
          for (const each of fresh) times.note(each);
          const sorted = given
            .slice(Math.max(0, minute - 59), minute + 1)
            .flat()
            .sort((a, b) => a - b);
          const expected = [50, 95].map((percent) => sorted[Math.ceil((percent * sorted.length) / 100) - 1]);
          const found = times.sample(minute * MINUTE);
          expect(found).toHaveLength(sorted.length > 0 ? 2 : 0);
          found.forEach((each, n) => {
            const exact = expected[n] ?? Number.NaN;
            expect(Math.abs(each - exact)).toBeLessThanOrEqual(0.004 * exact);
          });
        });
      }),
    );
  });

  it('are those of the last 10,000 deliveries if there were more', () => {
    const times = new LatestTimes();
    for (let n = 0; n < 7_000; n++) times.note(1);
    times.sample(0);
    for (let n = 0; n < MOST_TIMES - 5_001; n++) times.note(2);
    for (let n = 0; n < 5_000; n++) times.note(3);
    // The ranks 5,000 and 9,500 of 1 once, 2 4,999 times, 3 5,000 times.
    expect(times.sample(MINUTE)).toEqual([2, 3]);
    times.note(3);
    times.note(3);
    expect(times.sample(2 * MINUTE)).toEqual([3, 3]);
  });

  it('count a time before 0, after a step of the clock, as 0', () => {
    const times = new LatestTimes();
    times.note(-5);
    expect(times.sample(0)).toEqual([0, 0]);
  });
});
