/**
 * The blocks of a capture file in the format pcapng (draft-ietf-opsawg-pcapng), as bytes, little-endian. Times have
 * microseconds.
 */

/** Types of blocks, shared with the reader. */
export const BLOCK = {
  section: 0x0a0d0d0a,
  interface: 1,
  packet: 2,
  simplePacket: 3,
  enhancedPacket: 6,
  secrets: 10,
} as const;

/** Codes of options, shared with the reader. */
export const OPTION = {
  end: 0,
  comment: 1,
  application: 4,
  interfaceName: 2,
  timeResolution: 9,
  timeOffset: 14,
} as const;

export const BYTE_ORDER = 0x1a2b3c4d;
/** Raw IPv4 and IPv6 packets, without a link layer. */
const LINK_RAW = 101;
/** Secrets in the format of a TLS key log. */
export const KEY_LOG = 0x544c534b;

type Option = readonly [code: number, value: string | Uint8Array];

/** Begins the file. @param comment of the whole capture */
export function sectionBlock(application: string, comment: string): Uint8Array {
  const head = new Uint8Array(16);
  const view = new DataView(head.buffer);
  view.setUint32(0, BYTE_ORDER, true);
  view.setUint16(4, 1, true);
  // The length of the section is not known.
  head.fill(0xff, 8);
  return block(BLOCK.section, head, [
    [OPTION.comment, comment],
    [OPTION.application, application],
  ]);
}

/** An interface, to which later packets refer by its number, counted from 0. */
export function interfaceBlock(name: string): Uint8Array {
  const head = new Uint8Array(8);
  new DataView(head.buffer).setUint16(0, LINK_RAW, true);
  return block(BLOCK.interface, head, [
    [OPTION.interfaceName, name],
    [OPTION.timeResolution, Uint8Array.of(6)],
  ]);
}

/** @param at microseconds since 1970 @param comment left out if it is empty */
export function packetBlock(interfaceNumber: number, at: number, packet: Uint8Array, comment: string): Uint8Array {
  const head = new Uint8Array(20 + padded(packet.length));
  const view = new DataView(head.buffer);
  view.setUint32(0, interfaceNumber, true);
  view.setUint32(4, Math.floor(at / 0x1_0000_0000), true);
  view.setUint32(8, at % 0x1_0000_0000, true);
  view.setUint32(12, packet.length, true);
  view.setUint32(16, packet.length, true);
  head.set(packet, 20);
  return block(BLOCK.enhancedPacket, head, comment === '' ? [] : [[OPTION.comment, comment]]);
}

/** Keys of TLS connections for the packets after them. @param keyLog lines such as `CLIENT_RANDOM <hex> <hex>` */
export function secretsBlock(keyLog: string): Uint8Array {
  const lines = Buffer.from(keyLog, 'latin1');
  const head = new Uint8Array(8 + padded(lines.length));
  const view = new DataView(head.buffer);
  view.setUint32(0, KEY_LOG, true);
  view.setUint32(4, lines.length, true);
  head.set(lines, 8);
  return block(BLOCK.secrets, head, []);
}

/** A block: type, length, content, options, length again. */
function block(type: number, content: Uint8Array, options: readonly Option[]): Uint8Array {
  const encoded = options.map(([code, value]) => ({
    code,
    value: typeof value === 'string' ? Buffer.from(value) : value,
  }));
  const ends = options.length > 0 ? 4 : 0;
  const length = encoded.reduce((sum, { value }) => sum + 4 + padded(value.length), 12 + content.length + ends);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, length, true);
  bytes.set(content, 8);
  let at = 8 + content.length;
  for (const { code, value } of encoded) {
    view.setUint16(at, code, true);
    view.setUint16(at + 2, value.length, true);
    bytes.set(value, at + 4);
    at += 4 + padded(value.length);
  }
  view.setUint32(length - 4, length, true);
  return bytes;
}

/** Contents and options are filled up to 32 bits. */
export function padded(length: number): number {
  return (length + 3) & ~3;
}
