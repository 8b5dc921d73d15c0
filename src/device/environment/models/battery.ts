import type { BatteryModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** The voltage of the device's own battery (device/environment/battery.ts): the only model that is not a function of time alone. */
export function battery({ shows }: BatteryModel): Model {
  return { value: (_seed, wall, others) => others.voltage(shows === 'load', wall) };
}
