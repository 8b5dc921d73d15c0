import { signal as options } from '../../steps/antenna.js';
import { type DeviceFaultKind, lasting } from './kind.js';

export const signal: DeviceFaultKind = {
  about: 'the device has this signal: a weak one costs attach time and datagrams',
  example: 'signal: { rsrp: -121 }',
  check: lasting(options, (shown) => ({ step: 'antenna', options: shown }), { step: 'antenna', options: 'free' }),
};
