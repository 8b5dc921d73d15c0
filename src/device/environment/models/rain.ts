import { noise } from '../../../kernel/random.js';
import type { RainModel } from '../../../profile/models.js';
import type { Model } from './model.js';
import { rainfall } from './sky.js';

/** The number of tips (of the bucket in the gauge) in a shower differs from the mean by at most this share. */
const UNEVEN = 0.9;

/** Number of tips of a rain gauge since 1970. It increases during the showers at the device's place. */
export function rain({ tips }: RainModel): Model {
  // The total when a shower begins: `tips` for each earlier shower, plus at most `UNEVEN` × `tips`. The total never falls,
  // because `UNEVEN` is less than 1.
  const before = (seed: number, shower: number): number => tips * (shower + UNEVEN * noise(seed, shower));
  return {
    value(seed, wall, { place }) {
      const { shower, part } = rainfall(place, wall);
      const from = before(seed, shower);
      return Math.floor(from + (before(seed, shower + 1) - from) * part);
    },
  };
}
