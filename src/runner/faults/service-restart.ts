/** The fault `service-restart`: the process of the service is killed, and starts again at the end of the fault. */
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { ServiceFaultBehaviour } from './service-fault.js';

export const serviceRestart: ServiceFaultBehaviour<Extract<ServiceFault, { kind: 'service-restart' }>> = {
  away: true,
};
