/** Values of the options of `ghostfleet serve`. Each function returns undefined for a text that is not valid. */
import { addressesIn } from '../cloud/http/addresses.js';
import { hostName } from '../cloud/http/host-guard.js';
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

/** Host names, separated by commas. */
export function parseHostNames(text: string): readonly string[] | undefined {
  const list = text.split(',').map(hostName);
  return list.every((name) => name !== undefined) ? list : undefined;
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
