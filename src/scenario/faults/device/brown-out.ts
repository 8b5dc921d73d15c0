import { type DeviceFaultKind, plain } from './kind.js';

export const brownOut: DeviceFaultKind = {
  about: 'the battery is so empty that the transmitter cannot be fed; ends with a new one',
  example: 'brown-out:',
  check: plain(
    { step: 'battery', options: { kind: 'voltage', volts: 3 } },
    { step: 'battery', options: { kind: 'new' } },
  ),
};
