import { type DeviceFaultKind, plain } from './kind.js';

export const flashFailure: DeviceFaultKind = {
  about: 'settings can no longer be saved',
  example: 'flash-failure:',
  check: plain({ step: 'flash', options: 0 }, { step: 'flash', options: null }),
};
