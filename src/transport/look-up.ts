/** The address of a host, before anything is sent there: later, one that nobody knows would only be silent. */
import { lookup } from 'node:dns/promises';
import { UsageError } from '../kernel/errors.js';
import { reasonOf } from '../kernel/no-answer.js';

/**
 * Of several addresses the first of IPv4, when there is one.
 * @param host a name or an address; one of IPv6 with or without the brackets that it has in a URL
 * @throws UsageError when the name is not known
 */
export async function lookUp(host: string): Promise<{ readonly family: 4 | 6 }> {
  try {
    const [first] = await lookup(host.replace(/^\[(.*)\]$/, '$1'), { all: true, order: 'ipv4first' });
    return { family: first?.family === 6 ? 6 : 4 };
  } catch (error) {
    throw new UsageError('unknown-host', `"${host}" cannot be reached: ${reasonOf(error)}`);
  }
}
