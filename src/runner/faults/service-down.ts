import type { ServiceFault } from '../../scenario/faults/service.js';
import type { ServiceFaultBehaviour } from './service-fault.js';

/** This fault rejects API requests only. For the gateway, the plan contains a network outage of the same duration. */
export const serviceDown: ServiceFaultBehaviour<Extract<ServiceFault, { kind: 'service-down' }>> = {
  request: () => 503,
};
