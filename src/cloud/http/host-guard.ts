/**
 * Protection of services on this machine from web pages: a page can resolve its own name to 127.0.0.1 and then read the
 * answers of local services (DNS rebinding). Its requests still carry that name in the header `Host`.
 */
import type { FastifyInstance } from 'fastify';
import { ApiFault } from './errors.js';

/** The names by which programs on the same machine reach a service. */
export const LOCAL_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Headers of every answer: it is not stored in caches, and a browser does not guess its type. */
export const SAFE_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/**
 * Adds {@link SAFE_HEADERS} to every answer.
 * @param hosts names of the service without a port; requests to other names get 403. null: all names are accepted
 */
export function guardHosts(api: FastifyInstance, hosts: readonly string[] | null): void {
  api.addHook('onRequest', (request, reply, done) => {
    reply.headers(SAFE_HEADERS);
    if (hosts === null || isHost(request.headers.host, hosts)) done();
    else done(new ApiFault(403, 'this service is only available under the names of this machine', 'foreign-host'));
  });
}

/** Whether the header `Host` has one of these names, with any port. */
export function isHost(header: string | undefined, hosts: readonly string[]): boolean {
  return header !== undefined && hosts.includes(header.replace(/:\d{1,5}$/, '').toLowerCase());
}
