import type { ModemFault } from '../../device/device-controls.js';
import { oneOf } from '../../input/checks.js';
import { BLOCKS, type StepEffect, type StepKind } from './step.js';

/** A fault that happens once. */
const DISTURBS: StepEffect = { effect: 'disturbs', sign: null, on: 'datagrams', lasts: false };

/** All faults of the modem with their effects on exchanges. */
const EFFECTS: Readonly<Record<ModemFault, StepEffect | undefined>> = {
  error: DISTURBS,
  'reset-loop': DISTURBS,
  'lost-registration': DISTURBS,
  'lost-socket': DISTURBS,
  mute: BLOCKS,
  'no-sim': BLOCKS,
  'no-socket': BLOCKS,
  mended: undefined,
};
// The cast is needed because `Object.keys` returns `string[]`.
export const MODEM_FAULTS = Object.keys(EFFECTS) as readonly ModemFault[];

export const modem: StepKind<ModemFault> = {
  about:
    'error, reset-loop, lost-registration and lost-socket happen once; mute, no-sim and no-socket last until "mended"',
  example: 'modem: lost-socket',
  check: oneOf(MODEM_FAULTS),
  describe: (fault) => fault,
  actsOn: 'network',
  effect: (fault) => EFFECTS[fault],
  beforeStart: (fault) => (EFFECTS[fault] === DISTURBS ? 0 : 'stays'),
  run: async (_world, device, fault) => device.controls.modem(fault),
};
