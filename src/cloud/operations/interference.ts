/** What gets in the way of a service on purpose, to see how those who depend on it take it. No service of its own has any. */
import type { FastifyInstance } from 'fastify';
import { ApiFault } from '../http/errors.js';
import type { Store } from '../store/store.js';

export interface Interference {
  /** The store as the service gets to see it. */
  store(store: Store): Store;
  /** A request to the API has come. The status to answer in its place; undefined: it goes on. */
  request(url: string): number | undefined;
}

/** To be called before the API listens. */
export function interfereWithApi(api: FastifyInstance, interference: Interference): void {
  api.addHook('onRequest', async ({ url }) => {
    const status = interference.request(url);
    if (status !== undefined) throw new ApiFault(status, 'a fault of the scenario', 'fault');
  });
}
