import type { OrientationModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** An axis points up or down if it measures more than this acceleration, in m/s²: g at an angle of up to 30°. */
const CLEAR = 8.5;

/** 0: unknown; 2: the device lies on its back (catalog.json, accelerometer.orientation). */
export function orientation({ of: [x, y, z] }: OrientationModel): Model {
  return {
    value(_seed, wall, others) {
      const ax = others.value(x, wall);
      const ay = others.value(y, wall);
      const az = others.value(z, wall);
      if (Number.isNaN(ax + ay + az)) return Number.NaN;
      if (az > CLEAR) return 2;
      if (az < -CLEAR) return 5;
      if (ax > CLEAR) return 6;
      if (ax < -CLEAR) return 1;
      if (ay > CLEAR) return 3;
      return ay < -CLEAR ? 4 : 0;
    },
  };
}
