/**
 * Protects services from web pages. The owner of a page can let the name of the page resolve to the address of a service, even
 * to 127.0.0.1. The page can then read the answers of this service (DNS rebinding). But the requests of the page still have the
 * name of the page in the header `Host`, and the guard rejects this name. An IP address in `Host` is harmless: a page that was
 * loaded from an address comes from the service at that address.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiFault } from './errors.js';

/** The names by which programs on the same machine reach a service. */
export const LOCAL_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Default headers of answers: caches do not store the answer, and a browser does not guess its type. */
export const SAFE_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

const HOST_NAME = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/;

/** The name in the form in which {@link isHost} compares it; undefined if it is not a host name. */
export function hostName(text: string): string | undefined {
  const name = text.trim().toLowerCase().replace(/\.$/, '');
  return HOST_NAME.test(name) ? name : undefined;
}

/**
 * Rejects a request with 403 if its header `Host` has neither one of the names `hosts` nor an IP address. Adds
 * {@link SAFE_HEADERS} to every answer; a route may replace them, as for the files of the console.
 * @param hosts names of the service without a port, in lower case; null: all names are accepted
 */
export function guardHosts(api: FastifyInstance, hosts: readonly string[] | null): void {
  api.addHook('onRequest', (request, reply, done) => {
    reply.headers(SAFE_HEADERS);
    if (hasTwoHosts(request.raw))
      return done(new ApiFault(400, 'the request has more than one header Host', 'two-hosts'));
    // A proxy that is trusted (`trustProxy`) says in `X-Forwarded-Host` under which name it was called.
    const host = request.headers.host === undefined ? undefined : request.host;
    // A request without `Host` cannot come from a browser. Probes with HTTP/1.0 send such requests.
    const isFine = hosts === null || host === undefined || isHost(host, hosts) || isAddress(host);
    done(isFine ? undefined : foreign(host));
  });
}

function foreign(host: string): ApiFault {
  const name = nameIn(host).slice(0, 100);
  const message =
    `this service is only available under its own names, not as "${name}": a proxy must pass on the header Host of ` +
    'its caller; "serve --allowed-host NAME" or the option allowedHosts adds a name';
  return new ApiFault(403, message, 'foreign-host');
}

/** Whether the header `Host` has one of these names, with any port. */
export function isHost(header: string | undefined, hosts: readonly string[]): boolean {
  return header !== undefined && hosts.includes(nameIn(header));
}

/** Whether a request has several headers `Host`, of which each server on the way may read another (RFC 9112, 3.2). */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((_, n) => n % 2 === 0);
  return names.filter((name) => name.toLowerCase() === 'host').length > 1;
}

function isAddress(header: string): boolean {
  return isIP(nameIn(header).replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** The name in a header `Host`, without the port and without the dot at the end of a full name. */
function nameIn(header: string): string {
  return header
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
