/** Lengths of time on the pages. */
import { describe, expect, it } from 'vitest';
import { humanDuration } from '../../src/kernel/time.js';
import { lengthText, reachedText } from '../../web/src/model/length.js';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

describe('a length of time', () => {
  it('has at most two units, and no part that is zero', () => {
    const lengths = [0, 840, SECOND, 35_900, MINUTE, 7 * MINUTE, 21 * MINUTE + 5 * SECOND, HOUR, 65 * MINUTE, 30 * DAY];
    expect(lengths.map(humanDuration)).toEqual([
      ...['0s', '840ms', '1s', '35.9s', '1m', '7m', '21m 05s', '1h', '1h 05m', '30d'],
    ]);
  });

  it('is rounded as an age, in the same form', () => {
    const lengths = [400, 9 * SECOND, 59_600, 117 * SECOND, 78 * MINUTE, 119.6 * MINUTE, DAY + 4.4 * HOUR, 7 * DAY];
    expect(lengths.map(lengthText)).toEqual(['400ms', '9s', '1m', '2m', '1h 18m', '2h', '1d 04h', '7d']);
  });

  it('is rounded down as the time that a run has reached', () => {
    const times = [0, 59_900, 44 * MINUTE + 51_900, 6 * HOUR + 44 * MINUTE + 51 * SECOND, 2 * DAY];
    expect(times.map(reachedText)).toEqual(['0s', '59s', '44m 51s', '6h 44m', '2d']);
  });
});
