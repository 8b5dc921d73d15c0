import type { CalibratedModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** The model has no value: the firmware computes the quantity when it samples (see the calibration in a sensor's plan). */
export function calibrated(_: CalibratedModel): Model {
  return { value: () => Number.NaN };
}
