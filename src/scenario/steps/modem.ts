import type { ModemFault } from '../../device/device-controls.js';
import { oneOf } from '../../input/checks.js';
import type { StepKind } from './step.js';

/** Every fault once: the type check fails when one is missing. */
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
// Because Object.keys forgets the keys' types.
const NAMES = Object.keys(FAULTS) as readonly ModemFault[];

/** Lets something go wrong with the modem. */
export const modem: StepKind<ModemFault> = {
  about:
    'error, reset-loop, lost-registration, lost-socket happen once; mute, no-sim, no-socket stay until the modem is mended',
  example: 'modem: lost-socket',
  check: oneOf(NAMES),
  describe: (fault) => fault,
  run: async (_world, device, fault) => device.controls.modem(fault),
};
