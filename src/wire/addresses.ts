/** IP addresses in captures: as text and as bytes. */
import { isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** One end of a datagram. `address` is IPv4 or IPv6, as text. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The 4 or 16 bytes of an address; an IPv4 address in the form of IPv6 (`::ffff:10.0.0.1`) has 4. Undefined for other texts. */
export function addressBytes(text: string): Uint8Array | undefined {
  const [plain = ''] = text.replace(/^::ffff:(?=\d+\.)/i, '').split('%');
  if (isIPv4(plain)) return Uint8Array.from(plain.split('.'), Number);
  if (isIP(plain) !== 6) return undefined;
  // The last 32 bits may be written like an IPv4 address.
  const [, quad] = /:(\d+\.\d+\.\d+\.\d+)$/.exec(plain) ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = (quad ?? '').split('.').map(Number);
  const tail = quad === undefined ? plain : plain.replace(quad, `${hex(a * 256 + b)}:${hex(c * 256 + d)}`);
  const [head = '', rest] = tail.split('::');
  const [before, after] = [groupsIn(head), groupsIn(rest ?? '')];
  const groups =
    rest === undefined ? before : [...before, ...new Array(8 - before.length - after.length).fill(0), ...after];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsIn(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** The text of 4 or 16 bytes; in IPv6, the longest run of zeros is left out. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, n) => hex(((bytes[2 * n] ?? 0) << 8) | (bytes[2 * n + 1] ?? 0)));
  // The host of a URL has the shortest form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function hex(value: number): string {
  return value.toString(16);
}

/**
 * Returns a function for the address of this machine that a socket bound to `bound` uses towards `peer`: `bound`, unless it
 * stands for all addresses.
 */
export function makeLocalAddress(): (bound: string, peer: string) => string {
  const known = new Map<string, string>();
  return (bound, peer) => {
    if (bound !== '0.0.0.0' && bound !== '::') return bound;
    const found = known.get(peer) ?? findTowards(peer) ?? bound;
    // A service may have any number of peers.
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(peer, found);
    return found;
  };
}

const MOST_KNOWN = 10_000;

function findTowards(peer: string): string | undefined {
  const towards = addressBytes(peer);
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  const near = own.find(({ address, netmask }) => towards !== undefined && isInNet(towards, address, netmask));
  const family = towards?.length === 16 ? 'IPv6' : 'IPv4';
  return (near ?? own.find((entry) => entry.family === family && !entry.internal))?.address;
}

function isInNet(peer: Uint8Array, address: string, netmask: string): boolean {
  const [own, mask] = [addressBytes(address), addressBytes(netmask)];
  if (own?.length !== peer.length || mask?.length !== peer.length) return false;
  return peer.every((byte, n) => (byte & (mask[n] ?? 0)) === ((own[n] ?? 0) & (mask[n] ?? 0)));
}
