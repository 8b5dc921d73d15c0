import type { ConstantModel } from '../../../profile/models.js';
import { jitter, own } from './chance.js';
import type { Model } from './model.js';

/** A value that is constant except for noise. `spread` makes it different for each device. */
export function constant({ value, spread, noise }: ConstantModel): Model {
  return {
    value: (seed, wall) => value + spread * (2 * own(seed) - 1) + (noise === 0 ? 0 : noise * jitter(seed, wall)),
    // A watched input does not react to noise.
    nextChange: () => Number.POSITIVE_INFINITY,
  };
}
