/** The addresses of callers, by which requests are limited and recorded: their networks, and those behind trusted proxies. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Returns a function that says whether an address is in one of the networks.
 * @param networks addresses and networks: `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`
 * @throws RangeError for a text that is neither an address nor a network
 */
export function addressesIn(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of networks) {
    const [, network = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    const family = isIPv6(network) ? 'ipv6' : 'ipv4';
    const bits = Number(length ?? (family === 'ipv6' ? 128 : 32));
    if (isIP(network) === 0 || bits > (family === 'ipv6' ? 128 : 32)) {
      throw new RangeError(`"${text}" is neither an IP address nor a network such as 10.0.0.0/8`);
    }
    list.addSubnet(network, bits, family);
  }
  return (address) => {
    const plain = unmapped(address);
    return isIP(plain) !== 0 && list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

/** The caller behind an address: one IPv4 address, or the first 64 bits of an IPv6 address, which belong to one customer. */
export function networkOf(address: string): string {
  const plain = unmapped(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill('0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}

/** Converts an IPv4 address that is written as IPv6 (`::ffff:10.0.0.1`) to its own form (`10.0.0.1`). */
function unmapped(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/**
 * Reduces the header `X-Forwarded-For` of trusted proxies to plain addresses, before Fastify derives `request.ip` from it. Some
 * proxies add the port of the caller, so a caller would have another address with each connection; some write a word in place
 * of an address. Of such an entry nothing is known, nor of those before it: the request then comes from the proxy after it.
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
