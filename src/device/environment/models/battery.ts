import type { BatteryModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** The voltage of the device's battery (device/environment/battery.ts): the only model that depends on more than time. */
export function battery({ shows }: BatteryModel): Model {
  return { value: (_seed, wall, others) => others.voltage(shows === 'load', wall) };
}
