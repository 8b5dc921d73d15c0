/** Hooks through which a scenario's faults replace the store and the responses of an embedded service. */
import type { FastifyInstance } from 'fastify';
import { ApiFault } from './http/errors.js';
import type { Store } from './store/store.js';

export interface Interference {
  /** Returns the store that the service uses in place of the opened one. */
  store(store: Store): Store;
  /** Called for every HTTP request. Returns the status to respond with, or undefined to process the request normally. */
  request(url: string): number | undefined;
}

/** Adds the hook for requests to the API. Call it before the API listens. */
export function interfereWithApi(api: FastifyInstance, interference: Interference): void {
  api.addHook('onRequest', async ({ url }) => {
    const status = interference.request(url);
    if (status !== undefined) throw new ApiFault(status, 'failure injected by the scenario', 'fault');
  });
}
