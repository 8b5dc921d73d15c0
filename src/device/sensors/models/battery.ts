import type { BatteryModel } from '../../../profile/models.js';
import { own } from './chance.js';
import type { Model } from './model.js';

/** Lithium cells keep their voltage until 85 % of the charge is used, and fall quickly then (firmware behaviour, 9). */
const KNEE = { used: 0.85, left: 0.8 };

export function battery({ full, empty, lasts }: BatteryModel): Model {
  return {
    value(seed, wall) {
      const age = own(seed) + wall / lasts;
      const used = age - Math.floor(age);
      const left =
        used < KNEE.used ? 1 - ((1 - KNEE.left) * used) / KNEE.used : (KNEE.left * (1 - used)) / (1 - KNEE.used);
      return empty + (full - empty) * left;
    },
  };
}
