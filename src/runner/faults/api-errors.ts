/** The fault `api-errors`: the API rejects a share of the requests. */
import { chance } from '../../kernel/random.js';
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { ServiceFaultBehaviour } from './service-fault.js';

export const apiErrors: ServiceFaultBehaviour<Extract<ServiceFault, { kind: 'api-errors' }>> = {
  request: ({ status, share }, draws) => (chance(draws, share) ? status : undefined),
};
