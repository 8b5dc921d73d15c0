/** Resolves a host before the first datagram. Otherwise, an unknown host would look like a gateway that does not respond. */
import { lookup } from 'node:dns/promises';
import { UsageError } from '../kernel/errors.js';
import { reasonOf } from '../kernel/no-answer.js';

/**
 * Resolves a host and returns the family of its address: IPv4 if the host has addresses of both families.
 * @param host a name or an address; IPv6 with or without brackets
 * @throws UsageError for an unknown host
 */
export async function lookUp(host: string): Promise<{ readonly family: 4 | 6 }> {
  try {
    const [first] = await lookup(host.replace(/^\[(.*)\]$/, '$1'), { all: true, order: 'ipv4first' });
    return { family: first?.family === 6 ? 6 : 4 };
  } catch (error) {
    throw new UsageError('unknown-host', `cannot resolve "${host}": ${reasonOf(error)}`);
  }
}
