/** What gets in the way of a service on purpose, to see how those who depend on it take it. No service of its own has any. */
import type { FastifyInstance } from 'fastify';
import { ApiFault } from '../api/errors.js';
import type { Store } from '../store/store.js';
import { StoreBusy } from './guard.js';

export interface Interference {
  /** A request to the API has come. Resolves with the status to answer in its place; undefined: it goes on. */
  request(url: string): Promise<number | undefined>;
  /** Whether what is to be written now can not be. */
  readonly storeFails: boolean;
}

/** To be called before the store is used. */
export function interfereWithStore(store: Store, interference: Interference): void {
  const commit = store.commit.bind(store);
  store.commit = async (changes) => {
    if (interference.storeFails) throw new StoreBusy();
    await commit(changes);
  };
}

/** To be called before the API listens. */
export function interfereWithApi(api: FastifyInstance, interference: Interference): void {
  api.addHook('onRequest', async ({ url }) => {
    const status = await interference.request(url);
    if (status !== undefined) throw new ApiFault(status, 'a fault of the scenario', 'fault');
  });
}
