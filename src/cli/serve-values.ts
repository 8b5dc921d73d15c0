/** Values of the options of `ghostfleet serve`. Each function returns undefined for a text that is not valid. */
import { isIP } from 'node:net';
import { addressesIn } from '../cloud/http/addresses.js';
import { hostName } from '../cloud/http/host-guard.js';
import { isName } from '../contract/limits.js';
import { parseDuration } from '../kernel/time.js';
import { USUAL_PORTS } from '../protocol/flap/envelope.js';
import { SHORTEST_EXPIRY, SHORTEST_RETENTION } from '../scenario/parse/cloud.js';

/** The ports of `serve` by their options. */
export const PORTS = { port: 8080, 'udp-port': USUAL_PORTS.base64, 'udp-raw-port': USUAL_PORTS.raw } as const;

/** Addresses and networks, separated by commas. */
export function parseNetworks(text: string): readonly string[] | undefined {
  const list = text.split(',').map((each) => each.trim());
  try {
    addressesIn(list);
    return list;
  } catch {
    return undefined;
  }
}

/** The address to listen on: an IP address, also with a zone such as `fe80::1%eth0`, or a name that the machine resolves. */
export function parseListenHost(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z\d](?:[\w.-]*[a-z\d])?$/i.test(text) ? text : undefined;
}

/** Host names, separated by commas. */
export function parseHostNames(text: string): readonly string[] | undefined {
  const list = text.split(',').map(hostName);
  return list.every((name) => name !== undefined) ? list : undefined;
}

/** The name of a space, without blanks at its ends, as in the API. */
export function parseSpaceName(text: string): string | undefined {
  const name = text.trim();
  return isName(name) ? name : undefined;
}

/** How long messages are kept, in milliseconds. */
export function parseRetention(text: string): number | undefined {
  const keep = parseDuration(text) ?? 0;
  return keep >= SHORTEST_RETENTION ? keep : undefined;
}

/** How long a downlink may wait, in milliseconds. */
export function parseExpiry(text: string): number | undefined {
  const after = parseDuration(text) ?? 0;
  return after >= SHORTEST_EXPIRY ? after : undefined;
}
