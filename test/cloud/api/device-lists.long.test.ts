/** Lists of devices in every order by a value that changes while the pages are read. */
import { describe, it } from 'vitest';
import { ALWAYS, CASES, expectEachOnce, WAYS } from './moving-devices.js';

describe('a list that is sorted by what changes', () => {
  const others = CASES.filter(([sort, order]) => !ALWAYS.some((one) => one[0] === sort && one[1] === order));
  describe.each(WAYS)('and is paged with %s', (_, byHeader) => {
    it.each(others)(
      'has every device that stays once, and an end, while the last one of each page moves: %s, %s',
      (sort, order) => expectEachOnce(sort, order, byHeader),
    );
  });
});
