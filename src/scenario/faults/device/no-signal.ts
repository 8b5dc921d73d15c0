import { type DeviceFaultKind, plain } from './kind.js';

export const noSignal: DeviceFaultKind = {
  about: 'the device has no network at all',
  example: 'no-signal:',
  check: plain({ step: 'radio', options: 'off' }, { step: 'radio', options: 'on' }),
};
