/** Finds the UDP datagram in a captured frame: link layer, IPv4 or IPv6, UDP. */
import { addressText, type Endpoint } from './addresses.js';

export interface UdpDatagram {
  readonly from: Endpoint;
  readonly to: Endpoint;
  /** Identification of the IP packet; 0 if it has none. */
  readonly id: number;
  /** Whether this is only the first fragment of the IP packet. */
  readonly isFragmented: boolean;
  readonly payload: Uint8Array;
}

/** A frame that ends before the datagram begins. */
export const SHORT = 'packets that are too short';

/** What a frame contains instead of a UDP datagram, for a count. */
type OtherFrame =
  | typeof SHORT
  | 'TCP'
  | 'fragments of IP packets'
  | 'other protocols'
  | `packets of the unknown link layer ${number}`;

const ETHERNET_IP4 = 0x0800;
const ETHERNET_IP6 = 0x86dd;
/** Tags of virtual networks, each with 4 bytes (IEEE 802.1Q, 802.1ad). */
const TAGS: ReadonlySet<number> = new Set([0x8100, 0x88a8, 0x9100]);

/** Where the type of the network protocol is in the header of a link layer, and where the packet begins. */
const TYPED: Readonly<Record<number, { readonly type: number; readonly end: number }>> = {
  /** Ethernet. */
  1: { type: 12, end: 14 },
  /** Linux cooked captures, as of the interface `any`. */
  113: { type: 14, end: 16 },
  276: { type: 0, end: 20 },
};

/** Bytes before the IP packet in link layers whose packets tell their version themselves: loopback of BSD, and raw IP. */
const UNTYPED: Readonly<Record<number, number>> = { 0: 4, 108: 4, 12: 0, 14: 0, 101: 0, 228: 0, 229: 0 };

/** @param link number of the link layer */
export function udpIn(link: number, frame: Uint8Array): UdpDatagram | OtherFrame {
  const place = TYPED[link];
  if (place === undefined) {
    const start = UNTYPED[link];
    return start === undefined ? `packets of the unknown link layer ${link}` : inPacket(frame.subarray(start));
  }
  let [at, type] = [place.end, uint16(frame, place.type)];
  if (frame.length < at) return SHORT;
  while (TAGS.has(type)) {
    type = uint16(frame, at + 2);
    at += 4;
  }
  return type === ETHERNET_IP4 || type === ETHERNET_IP6 ? inPacket(frame.subarray(at)) : 'other protocols';
}

const [TCP, UDP] = [6, 17];

function inPacket(packet: Uint8Array): UdpDatagram | OtherFrame {
  const version = (packet[0] ?? 0) >> 4;
  if (packet.length === 0) return SHORT;
  if (version === 4) return packet.length < 20 ? SHORT : inIp4(packet);
  if (version === 6) return packet.length < 40 ? SHORT : inIp6(packet);
  return 'other protocols';
}

function inIp4(packet: Uint8Array): UdpDatagram | OtherFrame {
  const start = ((packet[0] ?? 0) & 0xf) * 4;
  const [id, fragment] = [uint16(packet, 4), uint16(packet, 6)];
  if (fragment & IP4_OFFSET) return 'fragments of IP packets';
  const ends = [packet.subarray(12, 16), packet.subarray(16, 20)] as const;
  // The frame may be filled up after the packet.
  return inTransport(packet[9] ?? 0, packet.subarray(start, uint16(packet, 2) || undefined), {
    ...{ ends, id },
    isFragmented: (fragment & IP4_MORE) !== 0,
  });
}

const [IP4_MORE, IP4_OFFSET] = [0x2000, 0x1fff];

/** Headers between IPv6 and the transport that have the length in their second byte, in units of 8 bytes. */
const SKIPPED: ReadonlySet<number> = new Set([0, 43, 60]);
const FRAGMENT = 44;

function inIp6(packet: Uint8Array): UdpDatagram | OtherFrame {
  let [next, at] = [packet[6] ?? 0, 40];
  while (SKIPPED.has(next) && at + 2 <= packet.length) {
    next = packet[at] ?? 0;
    at += 8 + (packet[at + 1] ?? 0) * 8;
  }
  let [id, isFragmented] = [0, false];
  if (next === FRAGMENT && at + 8 <= packet.length) {
    const [place, part] = [uint16(packet, at + 2), uint16(packet, at + 6)];
    if (place >> 3) return 'fragments of IP packets';
    [next, id, isFragmented] = [packet[at] ?? 0, part, (place & 1) !== 0];
    at += 8;
  }
  const end = uint16(packet, 4) === 0 ? undefined : 40 + uint16(packet, 4);
  const ends = [packet.subarray(8, 24), packet.subarray(24, 40)] as const;
  return inTransport(next, packet.subarray(at, end), { ends, id, isFragmented });
}

interface IpPacket extends Pick<UdpDatagram, 'id' | 'isFragmented'> {
  readonly ends: readonly [Uint8Array, Uint8Array];
}

function inTransport(
  protocol: number,
  bytes: Uint8Array,
  { ends: [source, target], ...packet }: IpPacket,
): UdpDatagram | OtherFrame {
  if (protocol === TCP) return 'TCP';
  if (protocol !== UDP) return 'other protocols';
  if (bytes.length < 8) return SHORT;
  return {
    ...packet,
    from: { address: addressText(source), port: uint16(bytes, 0) },
    to: { address: addressText(target), port: uint16(bytes, 2) },
    payload: bytes.subarray(8, uint16(bytes, 4) || undefined),
  };
}

function uint16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
