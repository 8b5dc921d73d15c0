/** Runs of a pair with a random network, which pair.test.ts and pair.long.test.ts share. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { seconds } from '../../../src/kernel/time.js';
import { type Badness, badChannel, randomExchanges } from '../../support/flap-channel.js';
import { runFlapPair } from '../../support/flap-pair.js';
import type { Picture } from '../../support/flap-picture.js';

/** A run whose exchanges and network come from one seed. */
export function runSeed(seed: number, count: number, badness: Badness): Promise<Picture> {
  const random = seededRandom(seed);
  return runFlapPair(randomExchanges(random.fork('exchanges'), count), badChannel(random.fork('channel'), badness));
}

/** Expectations for every run. */
export function expectNothingLost({ uplinks, downlinks }: Picture, count: number): void {
  expect(uplinks.acknowledged + uplinks.aborted).toBe(count);
  expect(uplinks.lost).toBe(0);
  expect(uplinks.corrupted).toBe(0);
  expect(downlinks.corrupted).toBe(0);
}

export const seed = fc.nat();
export const loss = fc.double({ min: 0, max: 0.3, noNaN: true });

/** Checks runs on networks that lose, duplicate, delay and reorder packets. */
export async function expectNothingLostIn(numRuns: number): Promise<void> {
  const badness = fc.record({
    loss,
    duplication: fc.double({ min: 0, max: 0.1, noNaN: true }),
    delay: fc.integer({ min: 1, max: seconds(7) }),
  });
  const arbitrary = fc.asyncProperty(seed, badness, async (seed, badness) => {
    expectNothingLost(await runSeed(seed, 20, badness), 20);
  });
  await fc.assert(arbitrary, { numRuns });
}
