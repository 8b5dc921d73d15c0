import { oneOf } from '../../../input/checks.js';
import { type DeviceFaultKind, lasting } from './kind.js';

export const modemFailure: DeviceFaultKind = {
  about: 'the modem does not respond (mute), finds no SIM, or cannot open a socket',
  example: 'modem-failure: no-sim',
  check: lasting(oneOf(['mute', 'no-sim', 'no-socket']), (options) => ({ step: 'modem', options }), {
    step: 'modem',
    options: 'mended',
  }),
};
