/** The faults of devices by their names in scenarios. To add one, write its file and list it here. */
import { brownOut } from './brown-out.js';
import { clockDrift } from './clock-drift.js';
import { clockSkew } from './clock-skew.js';
import { flashFailure } from './flash-failure.js';
import type { DeviceFaultKind } from './kind.js';
import { modemFailure } from './modem-failure.js';
import { noSignal } from './no-signal.js';
import { reboot } from './reboot.js';
import { signal } from './signal.js';
import { stuckSensor } from './stuck-sensor.js';

export const DEVICE_FAULTS = {
  reboot,
  'brown-out': brownOut,
  signal,
  'no-signal': noSignal,
  'clock-drift': clockDrift,
  'clock-skew': clockSkew,
  'flash-failure': flashFailure,
  'modem-failure': modemFailure,
  'stuck-sensor': stuckSensor,
} as const satisfies Readonly<Record<string, DeviceFaultKind>>;

export type DeviceFaultName = keyof typeof DEVICE_FAULTS;
// The cast is needed because `Object.keys` returns `string[]`.
export const DEVICE_FAULT_NAMES = Object.keys(DEVICE_FAULTS) as readonly DeviceFaultName[];
