import type { ServiceFault } from '../../scenario/faults/service.js';
import type { ServiceFaultBehaviour } from './service-fault.js';

/** For the gateway, the scenario adds a network outage of the same time. */
export const serviceDown: ServiceFaultBehaviour<Extract<ServiceFault, { kind: 'service-down' }>> = {
  request: () => 503,
};
