import type { CalibratedModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/**
 * The model has no value: the firmware computes the quantity when it takes a sample (see `Calibration` in
 * measuring-settings.ts).
 */
export function calibrated(_: CalibratedModel): Model {
  return { value: () => Number.NaN };
}
