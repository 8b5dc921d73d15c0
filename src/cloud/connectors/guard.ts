/**
 * Restricts the targets of connectors to public addresses. Without it, the author of a transformation could reach addresses
 * that only this machine can reach: the loopback interface, the private network, the metadata service of a cloud provider.
 *
 * The guard checks the address of the connection, not the host name: a name may resolve to another address a moment later. It
 * is part of opening a connection, so that redirects, literal addresses and repeated lookups are covered as well.
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { Millis } from '../../kernel/time.js';
import { isPublicAddress } from './public-address.js';

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

/** Opens connections to public addresses only. @param lookup resolves host names; default: the system's resolver */
export function guardedConnector(timeout: Millis, lookup: Lookup = systemLookup): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: guarded(lookup) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // A literal address is not looked up, so that `guarded` does not see it.
    if (isIP(host) !== 0 && !isPublicAddress(host)) callback(new TargetRefused(host), null);
    else connect(options, callback);
  };
}

/** Rejects a name if one of its addresses is not public: a legitimate name has no such address. */
function guarded(lookup: Lookup): Lookup {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      if (!error && !addresses.every(isPublicAddress)) callback(new TargetRefused(hostname), '');
      else callback(error, found, family);
    });
  };
}
