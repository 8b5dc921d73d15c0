import type { CalibratedModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** Nothing out there to measure: the firmware works it out when it samples (see the calibration of a sensor's plan). */
export function calibrated(_: CalibratedModel): Model {
  return { value: () => Number.NaN };
}
