import { type DeviceFaultKind, plain } from './kind.js';

export const brownOut: DeviceFaultKind = {
  about: 'the battery is too weak for the transmitter; when the fault ends, the device gets a new one',
  example: 'brown-out:',
  check: plain(
    { step: 'battery', options: { kind: 'voltage', volts: 3 } },
    { step: 'battery', options: { kind: 'new' } },
  ),
};
