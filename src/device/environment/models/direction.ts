import type { DirectionModel } from '../../../profile/models.js';
import { jitter, own, weather } from './chance.js';
import type { Model } from './model.js';
import { front } from './sky.js';

/** A direction that varies around the prevailing one of the device, in steps of the vane; in degrees, 0 to below 360. */
export function direction({ step, drift, front: turns, noise }: DirectionModel): Model {
  return {
    value(seed, wall, { place }) {
      const veered = turns === 0 ? 0 : turns * front(place, wall);
      const turned = 360 * own(seed) + drift * weather(seed, wall) + veered + noise * jitter(seed, wall);
      const shown = step * Math.round(turned / step);
      return shown - 360 * Math.floor(shown / 360);
    },
  };
}
