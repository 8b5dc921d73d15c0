/** The fault `api-delay`: delays every request to the API. */
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { ServiceFaultBehaviour } from './service-fault.js';

export const apiDelay: ServiceFaultBehaviour<Extract<ServiceFault, { kind: 'api-delay' }>> = {
  delay: ({ by }) => by,
};
