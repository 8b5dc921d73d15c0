import { setMaxListeners } from 'node:events';
import { transferableAbortController } from 'node:util';

/**
 * A controller whose signal may have any number of listeners, without a warning. It is of Node's class: the global one of a test
 * environment with a DOM is another, whose signals Node rejects here.
 */
export function abortMany(): AbortController {
  const controller = transferableAbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
