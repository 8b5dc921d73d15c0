/** Devices share blocks of memory, and only the one used last has views of it. */
import { expect, it } from 'vitest';
import { planFor } from '../../../src/device/measuring/measuring-plan.js';
import { Memory } from '../../../src/device/measuring/memory.js';
import { testDevice } from '../../support/device.js';

it('keeps the values of each device when devices take turns, also after one has grown', () => {
  const { device } = testDevice({ network: () => {} });
  const { profile } = device.type;
  const memories = [1, 2, 3].map(() => new Memory(planFor(profile, device.config)));
  for (const round of [1, 2]) {
    memories.forEach((memory, i) => {
      memory.floats[0] = round * 10 + i;
      memory.ints[0] = round * 100 + i;
    });
    memories[1]?.grow();
    expect(memories.map(({ floats, ints }) => [floats[0], ints[0]])).toEqual(
      memories.map((_, i) => [round * 10 + i, round * 100 + i]),
    );
  }
});
