import type { ModemFault } from '../../device/device-controls.js';
import { oneOf } from '../../input/checks.js';
import type { StepKind } from './step.js';

/** All faults of the modem. A record instead of a list, so that a missing fault is a type error. */
const FAULTS = {
  error: true,
  'reset-loop': true,
  'lost-registration': true,
  'lost-socket': true,
  mute: true,
  'no-sim': true,
  'no-socket': true,
  mended: true,
} as const satisfies Record<ModemFault, true>;
// The cast is needed because `Object.keys` returns `string[]`.
export const MODEM_FAULTS = Object.keys(FAULTS) as readonly ModemFault[];

export const modem: StepKind<ModemFault> = {
  about:
    'error, reset-loop, lost-registration and lost-socket happen once; mute, no-sim and no-socket last until "mended"',
  example: 'modem: lost-socket',
  check: oneOf(MODEM_FAULTS),
  describe: (fault) => fault,
  run: async (_world, device, fault) => device.controls.modem(fault),
};
