/** The fault `store-unavailable`: all calls of the store fail, or only those that write. */
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { ServiceFaultBehaviour } from './service-fault.js';

export const storeUnavailable: ServiceFaultBehaviour<Extract<ServiceFault, { kind: 'store-unavailable' }>> = {
  stops: ({ only }, use) => only === null || only === use,
};
