import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdsByDevice } from '../../../src/cloud/store/ids-by-device.js';
import { timeOfId } from '../../../src/cloud/store/order.js';
import { seededRandom } from '../../../src/kernel/random.js';

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const START = 1_767_225_600_000;

function source(seed = 1) {
  const clock = { now: 0, wall: START, after: () => ({ cancel: () => {} }) };
  return { clock, ids: createIdsByDevice(clock, seededRandom(seed)) };
}

/** The message ids of each device after `turns`. A turn is a device and the time since the previous turn. */
function idsOf(turns: readonly (readonly [serial: number, elapsed: number])[]): Map<number, string[]> {
  const { clock, ids } = source();
  const given = new Map<number, string[]>();
  for (const [serial, elapsed] of turns) {
    clock.wall += elapsed;
    given.set(serial, [...(given.get(serial) ?? []), ids.message({ id: `device ${serial}`, serial })]);
  }
  return given;
}

const turns = fc.array(fc.tuple(fc.nat(5), fc.constantFrom(0, 0, 0, 1, 5_000_000_000)), { maxLength: 40 });

describe('ids by device', () => {
  it('are different UUIDs of version 7, and have no time before the start of the clock', () => {
    fc.assert(
      fc.property(turns, (given) => {
        const ids = [...idsOf(given).values()].flat();
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).toMatch(V7);
        expect(ids.every((id) => timeOfId(id) >= START)).toBe(true);
      }),
    );
  });

  it('of one device increase', () => {
    fc.assert(
      fc.property(turns, (given) => {
        for (const ids of idsOf(given).values()) expect(ids.toSorted()).toEqual(ids);
      }),
    );
  });

  it('do not depend on other devices', () => {
    const alone = idsOf([
      [7, 0],
      [7, 0],
      [7, 90],
    ]);
    const among = idsOf([
      [3, 0],
      [7, 0],
      [8, 0],
      [7, 0],
      [3, 50],
      [7, 40],
    ]);
    expect(among.get(7)).toEqual(alone.get(7));
  });

  it('differ for another seed', () => {
    expect(source(1).ids.ofDevice(7)).not.toBe(source(2).ids.ofDevice(7));
  });

  it('of messages are greater than a learned id that is ahead of the clock', () => {
    const { clock, ids } = source();
    const later = source();
    later.clock.wall += 3_600_000;
    const ahead = later.ids.ofDevice(7);
    ids.learn('a', ahead);
    expect(ids.message({ id: 'a', serial: 7 }) > ahead).toBe(true);
    expect(timeOfId(ids.message({ id: 'b', serial: 8 }))).toBe(clock.wall);
  });
});
