import { noise } from '../../../kernel/random.js';
import type { RainModel } from '../../../profile/models.js';
import type { Model } from './model.js';
import { rainfall } from './sky.js';

/** What a shower brings differs this much from the mean, either way. */
const UNEVEN = 0.9;

/** Tips of a rain gauge since the beginning of time: showers of the place that the device is at, and dry days between them. */
export function rain({ tips }: RainModel): Model {
  // Up to a shower's beginning as many have fallen as showers came before, and up to `UNEVEN` of one more: the total rises.
  const before = (seed: number, shower: number): number => tips * (shower + UNEVEN * noise(seed, shower));
  return {
    value(seed, wall, { place }) {
      const { shower, part } = rainfall(place, wall);
      const from = before(seed, shower);
      return Math.floor(from + (before(seed, shower + 1) - from) * part);
    },
  };
}
