/** The offset between the clock of a process and the clock that all workers of a run share. */
import { expect, it } from 'vitest';
import { readClock, systemClock } from '../../../src/runner/divided/clock-offset.js';

/** Reads a clock that is 500 ms ahead. @param trips times that the request and the answer of each reading take */
function readings(trips: readonly (readonly [there: number, back: number])[]) {
  const own = { now: 1000 };
  let count = 0;
  const shared = async () => {
    const [there, back] = trips[count++ % trips.length] ?? [0, 0];
    own.now += there;
    const shown = own.now + 500;
    own.now += back;
    return shown;
  };
  return readClock(shared, own);
}

it('the offset of the shared clock is that of the reading that took the shortest time', async () => {
  expect(
    await readings([
      [90, 10],
      [2, 2],
      [10, 80],
    ]),
  ).toEqual({ offset: 500, uncertainty: 2 });
});

it('the offset of the shared clock is wrong by at most its uncertainty', async () => {
  const { offset, uncertainty } = await readings([[7, 1]]);
  expect(uncertainty).toBe(4);
  expect(Math.abs(offset - 500)).toBeLessThanOrEqual(uncertainty);
});

it('the system clocks of two machines are compared at the same moment of the shared clock', () => {
  // When the shared clock shows 10,000, one system clock shows 70,000 and the other 72,500. The second process started later.
  const one = systemClock({ offset: 4000, uncertainty: 1 }, { now: 6000, wall: 70_000 });
  const other = systemClock({ offset: 9500, uncertainty: 1 }, { now: 500, wall: 72_500 });
  expect(other - one).toBe(2500);
});
