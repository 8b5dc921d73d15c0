import type { DirectionModel } from '../../../profile/models.js';
import { jitter, own, weather } from './chance.js';
import type { Model } from './model.js';

/** Turns about a direction of the device's own, and shows the nearest that the vane knows, from 0 to below 360. */
export function direction({ step, drift, noise }: DirectionModel): Model {
  return {
    value(seed, wall) {
      const turned = 360 * own(seed) + drift * weather(seed, wall) + noise * jitter(seed, wall);
      const shown = step * Math.round(turned / step);
      return shown - 360 * Math.floor(shown / 360);
    },
  };
}
