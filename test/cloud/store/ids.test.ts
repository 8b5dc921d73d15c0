import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIds } from '../../../src/cloud/store/ids.js';
import { firstIdAt, timeOfId } from '../../../src/cloud/store/order.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const device = (id: string) => ({ id, serial: 1 });

describe('ids', () => {
  it('begin with the time of the clock', () => {
    const ids = createIds(new VirtualClock({ start: 1_713_352_107_917 }), seededRandom(1));
    const id = ids.uuid();
    expect(id).toMatch(V7);
    expect(id.slice(0, 13)).toBe(firstIdAt(1_713_352_107_917).slice(0, 13));
  });

  it('always increase: within a millisecond, and if the clock goes back by a few milliseconds', () => {
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

  it('follow corrections of the clock by hours in both directions, and report them', () => {
    const clock = { now: 0, wall: 1_767_225_600_000, after: () => ({ cancel: () => {} }) };
    const corrections: number[] = [];
    const ids = createIds(clock, seededRandom(1), (by) => corrections.push(by));
    for (const [elapsed, by] of [
      [1000, 0],
      [5, -3_600_000],
      [5, 0],
      [9, 7_200_000],
      [60_000, 900],
    ] as const) {
      clock.now += elapsed;
      clock.wall += elapsed + by;
      expect(timeOfId(ids.uuid())).toBe(clock.wall);
    }
    expect(corrections).toEqual([-3_600_000, 7_200_000]);
  });

  it('of the messages of a device increase, even after a learned id that is ahead of the clock', () => {
    const clock = new VirtualClock();
    const ids = createIds(clock, seededRandom(1));
    const ahead = createIds(new VirtualClock({ start: clock.wall + 3_600_000 }), seededRandom(2)).uuid();
    ids.learn('a', ahead);
    ids.learn('a', ids.uuid());
    const [first, second, other] = [ids.message(device('a')), ids.message(device('a')), ids.message(device('b'))];
    expect([ahead < first, first < second, other < ahead]).toEqual([true, true, true]);
    expect([timeOfId(first), timeOfId(second), timeOfId(other)]).toEqual([
      clock.wall + 3_600_000,
      clock.wall + 3_600_000,
      clock.wall,
    ]);
    for (const id of [first, second, other]) expect(id).toMatch(V7);
  });

  it('continue in the next millisecond after the last number of a millisecond', () => {
    const ids = createIds(new VirtualClock(), seededRandom(1));
    ids.learn('a', '01ffffff-ffff-7fff-bfff-ffffffffffff');
    expect(ids.message(device('a'))).toMatch(/^02000000-0000-7000-8000-0[0-3]/);
    ids.learn('b', '01ffffff-ffff-7fff-bfff-fbffffffffff');
    expect(ids.message(device('b'))).toMatch(/^01ffffff-ffff-7fff-bfff-f[c-f]/);
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
