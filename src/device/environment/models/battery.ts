import type { BatteryModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** The voltage of the device's battery (environment/battery.ts): the only model that depends on the use of the device. */
export function battery({ shows }: BatteryModel): Model {
  return { value: (_seed, wall, others) => others.voltage(shows === 'load', wall) };
}
