/** The fault `service-down`: the service answers neither devices nor users of the API. */
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { ServiceFaultBehaviour } from './service-fault.js';

/** Rejects the API requests. For the devices, the plan contains a network outage of the same duration. */
export const serviceDown: ServiceFaultBehaviour<Extract<ServiceFault, { kind: 'service-down' }>> = {
  request: () => 503,
};
