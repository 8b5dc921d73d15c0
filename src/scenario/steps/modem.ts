import type { ModemTrouble } from '../../device/hardware/hardware.js';
import { oneOf } from '../../input/checks.js';
import type { StepKind } from './step.js';

/** Every trouble once: the type sees to it that none is missing. */
const TROUBLES = {
  error: true,
  'reset-loop': true,
  'lost-registration': true,
  'lost-socket': true,
  mute: true,
  'no-sim': true,
  'no-socket': true,
  mended: true,
} as const satisfies Record<ModemTrouble, true>;
// Because Object.keys forgets the keys' types.
const NAMES = Object.keys(TROUBLES) as readonly ModemTrouble[];

/** Lets something go wrong with the modem. */
export const modem: StepKind<ModemTrouble> = {
  about:
    'error, reset-loop, lost-registration, lost-socket happen once; mute, no-sim, no-socket stay until the modem is mended',
  example: 'modem: lost-socket',
  check: oneOf(NAMES),
  describe: (trouble) => trouble,
  run: async (_world, device, trouble) => device.bench.modem(trouble),
};
