import type { CalibratedModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** The model has no value: the firmware computes it from a sample (`Calibration` in measuring-settings.ts). */
export function calibrated(_: CalibratedModel): Model {
  return { value: () => Number.NaN };
}
