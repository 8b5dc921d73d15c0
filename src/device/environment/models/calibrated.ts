import type { CalibratedModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** No value of its own: the firmware computes it when it samples (see the calibration in a sensor's plan). */
export function calibrated(_: CalibratedModel): Model {
  return { value: () => Number.NaN };
}
