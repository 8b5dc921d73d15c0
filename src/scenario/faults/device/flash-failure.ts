import { type DeviceFaultKind, plain } from './kind.js';

export const flashFailure: DeviceFaultKind = {
  about: 'settings cannot be saved any more',
  example: 'flash-failure:',
  check: plain({ step: 'flash', options: 0 }, { step: 'flash', options: null }),
};
