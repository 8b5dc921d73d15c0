/** Builds the IP packet that carries a datagram, with its checksums (RFC 791, 768, 8200). */
import { addressBytes, type Endpoint } from './addresses.js';

const UDP = 17;
const HOPS = 64;
const UDP_HEADER = 8;

/** The IPv4 or IPv6 packet of a UDP datagram. @throws TypeError for addresses that are not of one family */
export function ipPacket(from: Endpoint, to: Endpoint, payload: Uint8Array): Uint8Array {
  const [source, target] = [addressBytes(from.address), addressBytes(to.address)];
  if (source === undefined || source.length !== target?.length) {
    throw new TypeError(`"${from.address}" and "${to.address}" are not addresses of one family`);
  }
  const isOld = source.length === 4;
  const start = isOld ? 20 : 40;
  const length = UDP_HEADER + payload.length;
  const bytes = new Uint8Array(start + length);
  const view = new DataView(bytes.buffer);
  if (isOld) {
    bytes[0] = 0x45;
    view.setUint16(2, bytes.length);
    bytes[8] = HOPS;
    bytes[9] = UDP;
    bytes.set(source, 12);
    bytes.set(target, 16);
    view.setUint16(10, checksum(sumOf(bytes.subarray(0, start))));
  } else {
    bytes[0] = 0x60;
    view.setUint16(4, length);
    bytes[6] = UDP;
    bytes[7] = HOPS;
    bytes.set(source, 8);
    bytes.set(target, 24);
  }
  view.setUint16(start, from.port);
  view.setUint16(start + 2, to.port);
  view.setUint16(start + 4, length);
  bytes.set(payload, start + UDP_HEADER);
  // The checksum covers the addresses, the protocol, the length, and the datagram.
  const sum = sumOf(source) + sumOf(target) + UDP + length + sumOf(bytes.subarray(start));
  // In UDP, 0 stands for a missing checksum.
  view.setUint16(start + 6, checksum(sum) || 0xffff);
  return bytes;
}

/** The sum of the 16-bit words; a missing last byte is 0. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += ((bytes[at] as number) << 8) | (bytes[at + 1] ?? 0);
  return sum;
}

function checksum(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded & 0xffff) + Math.floor(folded / 0x1_0000);
  return ~folded & 0xffff;
}
