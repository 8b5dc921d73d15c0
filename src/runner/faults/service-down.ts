import type { ServiceFault } from '../../scenario/faults/service.js';
import type { ServiceFaultBehaviour } from './service-fault.js';

/** Its gateway hears nothing either: the scenario has given the network an outage of the same time. */
export const serviceDown: ServiceFaultBehaviour<Extract<ServiceFault, { kind: 'service-down' }>> = {
  request: () => 503,
};
