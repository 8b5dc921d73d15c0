/**
 * Where a connector may send to. Whoever can write a transformation could otherwise reach what only this machine reaches: the
 * loopback interface, the private network, the metadata service of a cloud.
 *
 * The check is made on the address that is then connected to, not on a name before: a name may mean something else a moment
 * later. It is part of opening a connection, so there is no way around it for redirects, literals or a second lookup.
 */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { Millis } from '../../kernel/time.js';

/** Resolves a name, like `dns.lookup`. */
export type Lookup = LookupFunction;

/** An address that connectors may not send to. */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';

  constructor(host: string) {
    super(`"${host}" is not a public address`);
    this.name = 'TargetRefused';
  }
}

/** IPv4 that is not the public internet: IANA's registry of special-purpose addresses, multicast, and what is reserved. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/** All of IPv6 that is public is in here, ... */
const GLOBAL_V6 = ['2000::/3'];
/** ... but for protocol assignments with Teredo, documentation, and 6to4, which carries any IPv4 address. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialV4 = listOf('ipv4', SPECIAL_V4);
const globalV6 = listOf('ipv6', GLOBAL_V6);
const specialV6 = listOf('ipv6', SPECIAL_V6);

/**
 * Is it an address of the public internet? IPv4 in disguise of IPv6 (mapped, translated, 6to4) is not: nobody has to write
 * it that way.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialV4.check(address, 'ipv4');
    case 6:
      return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Opens connections to public addresses only. @param lookup resolves names; left out: the system */
export function guardedConnector(timeout: Millis, lookup: Lookup = systemLookup): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: guarded(lookup) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // A literal address is never looked up.
    if (isIP(host) !== 0 && !isPublicAddress(host)) callback(new TargetRefused(host), null);
    else connect(options, callback);
  };
}

/** Refuses a name as soon as one of its addresses is not public: an honest one has no such address. */
function guarded(lookup: Lookup): Lookup {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      if (!error && !addresses.every(isPublicAddress)) callback(new TargetRefused(hostname), '');
      else callback(error, found, family);
    });
  };
}

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
