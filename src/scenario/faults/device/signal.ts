import { signal as options } from '../../steps/antenna.js';
import { type DeviceFaultKind, lasting } from './kind.js';

export const signal: DeviceFaultKind = {
  about: 'sets the signal of the device; a weak one slows attaching and loses datagrams',
  example: 'signal: { rsrp: -121 }',
  check: lasting(options, (shown) => ({ step: 'antenna', options: shown }), { step: 'antenna', options: 'free' }),
};
