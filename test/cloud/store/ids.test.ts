import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIds } from '../../../src/cloud/store/ids.js';
import { firstIdAt } from '../../../src/cloud/store/order.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('begin with the time of the clock', () => {
    const ids = createIds(new VirtualClock({ start: 1_713_352_107_917 }), seededRandom(1));
    const id = ids.uuid();
    expect(id).toMatch(V7);
    expect(id.slice(0, 13)).toBe(firstIdAt(1_713_352_107_917).slice(0, 13));
  });

  it('always increase: within a millisecond, over fractions of one, and if the clock goes back', () => {
    const steps = fc.array(fc.oneof(fc.constant(0), fc.double({ min: -5, max: 5, noNaN: true })), { maxLength: 50 });
    fc.assert(
      fc.property(steps, (given) => {
        const clock = { now: 0, wall: 1_767_225_600_000, after: () => ({ cancel: () => {} }) };
        const ids = createIds(clock, seededRandom('up'));
        let last = '';
        for (const step of given) {
          clock.wall += step;
          const id = ids.uuid();
          expect(id > last).toBe(true);
          last = id;
        }
      }),
    );
  });

  it('are the same for the same seed, and differ for another seed', () => {
    const make = (seed: number) => {
      const ids = createIds(new VirtualClock(), seededRandom(seed));
      return [ids.uuid(), ids.uuid(), ids.uuid()];
    };
    expect(make(7)).toEqual(make(7));
    expect(make(7)).not.toEqual(make(8));
    expect(new Set(make(7)).size).toBe(3);
  });
});
