/**
 * The header `X-Forwarded-For` of trusted proxies. Some add the port of the caller to its address, or write a word in place of
 * an address. Limits and records are by address, so a caller must not get another one with each connection.
 */
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Reduces the header to plain addresses, before Fastify derives `request.ip` from it. Of an entry that is not an address, nothing
 * is known, also not about the entries before it; the request then comes from the proxy after it.
 */
export function plainForwardedFor(api: FastifyInstance): void {
  api.addHook('onRequest', ({ raw: { headers } }, _, done) => {
    const given = headers['x-forwarded-for'];
    // Empty, but not deleted: the header still says that the request came through a proxy.
    if (typeof given === 'string') headers['x-forwarded-for'] = plainAddresses(given).join(', ');
    done();
  });
}

function plainAddresses(header: string): readonly string[] {
  const entries = header.split(',').filter((entry) => entry.trim() !== '');
  const addresses = entries.map(addressIn);
  return addresses.slice(addresses.lastIndexOf('') + 1);
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`, without the port; else empty. */
function addressIn(entry: string): string {
  const text = entry.trim();
  const [, six, four] = /^\[([^\]]+)\](?::\d{1,5})?$|^([^:]+):\d{1,5}$/.exec(text) ?? [];
  if (six !== undefined) return isIP(six) === 6 ? six : '';
  if (four !== undefined) return isIP(four) === 4 ? four : '';
  return isIP(text) === 0 ? '' : text;
}
