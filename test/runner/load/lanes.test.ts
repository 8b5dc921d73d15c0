/** Lanes: who may go, and who waits. */
import { describe, expect, it } from 'vitest';
import { Lanes } from '../../../src/runner/load/lanes.js';

/** Lanes and what has begun in them, in order. */
function lanes(count: number) {
  const begun: number[] = [];
  const lanes = new Lanes(count);
  let entered = 0;
  const enter = (times: number) => {
    for (let i = 0; i < times; i++) {
      const number = ++entered;
      lanes.enter(() => begun.push(number));
    }
  };
  return { lanes, begun, enter };
}

describe('lanes', () => {
  it('let as many begin as there are of them; the rest waits', () => {
    const { lanes: two, begun, enter } = lanes(2);
    enter(5);
    expect(begun).toEqual([1, 2]);
    expect(two.waiting).toBe(3);
  });

  it('are taken in the order of arrival by those who wait', () => {
    const { lanes: two, begun, enter } = lanes(2);
    enter(5);
    for (let i = 0; i < 3; i++) two.leave();
    enter(1);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    two.leave();
    expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
    expect(two.waiting).toBe(0);
  });

  it('are free again when nobody waits', () => {
    const { lanes: two, begun, enter } = lanes(2);
    enter(2);
    two.leave();
    two.leave();
    enter(3);
    expect(begun).toEqual([1, 2, 3, 4]);
  });
});
