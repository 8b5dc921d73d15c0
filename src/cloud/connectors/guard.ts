/**
 * Restricts the targets of connectors to public addresses. Without this restriction, the author of a script could reach
 * addresses that only this machine can reach: the loopback interface, the private network, the metadata service of a cloud
 * provider.
 *
 * The guard checks the address to which a connection is opened: an earlier lookup proves nothing, because a name may resolve to
 * another address a moment later. So names are checked by the lookup of the connection; literal addresses, which are not looked
 * up, before each request.
 */
import { isIP } from 'node:net';
import type { Lookup } from './lookups.js';
import { isPublicAddress } from './public-address.js';

/** The targets that connectors may reach. */
export interface Permission {
  /** Whether addresses that are not public are permitted. */
  readonly allowPrivate: boolean;
  /** Hosts whose public addresses are permitted; undefined: all. */
  readonly hosts?: readonly string[] | undefined;
}

/** The connector may not send to the target. The message says why; users see it in the log of the delivery. */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';

  constructor(message: string) {
    super(message);
    this.name = 'TargetRefused';
  }
}

/** @throws TargetRefused if the host of a URL is not permitted, as far as this is known before a lookup */
export function checkHost(hostname: string, permission: Permission): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  const refusal = isIP(host) === 0 ? unlisted(host, permission) : refusalOf(host, [host], permission);
  if (refusal) throw refusal;
}

/** A lookup that rejects a name if one of its addresses is not permitted: a legitimate name has no such address. */
export function guarded(permission: Permission, lookup: Lookup): Lookup {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      const refusal = error ? undefined : refusalOf(hostname, addresses, permission);
      if (refusal) callback(refusal, '');
      else callback(error, found, family);
    });
  };
}

/** Rejects a name before its look-up. With private addresses permitted, `guarded` decides after it. */
function unlisted(host: string, { allowPrivate, hosts }: Permission): TargetRefused | undefined {
  return allowPrivate || hosts === undefined || hosts.includes(host.toLowerCase()) ? undefined : notListed(host);
}

function refusalOf(host: string, addresses: readonly string[], permission: Permission): TargetRefused | undefined {
  const { allowPrivate, hosts } = permission;
  if (!allowPrivate && !addresses.every(isPublicAddress)) {
    const permit = hosts === undefined ? 'start the service with --allow-private' : PERMIT_IN_RUN;
    return new TargetRefused(`"${host}" is not a public address; to permit private ones, ${permit}`);
  }
  if (hosts === undefined || hosts.includes(host.toLowerCase()) || !addresses.some(isPublicAddress)) return undefined;
  return notListed(host);
}

const PERMIT_IN_RUN = 'give the cloud of the scenario the setting allow-private';

function notListed(host: string): TargetRefused {
  return new TargetRefused(`"${host}" is not a host that this run may reach; permit it with --allow-host ${host}`);
}
