/**
 * Reads capture files: pcapng of either byte order, and the older pcap with microseconds or nanoseconds. A file is read piece by
 * piece, so its size does not matter.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isCalendarTime } from '../kernel/calendar.js';
import { UsageError } from '../kernel/errors.js';
import { fileReason } from '../kernel/system-errors.js';
import type { UnixMillis } from '../kernel/time.js';
import { BLOCK, BYTE_ORDER, KEY_LOG, OPTION, padded } from './pcapng.js';

/** What a capture file contains, in its order. */
export type Captured =
  | CapturedPacket
  /** Lines of a TLS key log. */
  | { readonly kind: 'keys'; readonly keyLog: string }
  /** The comment of a section. */
  | { readonly kind: 'comment'; readonly text: string };

export interface CapturedPacket {
  readonly kind: 'packet';
  /** Undefined if the capture does not say it, or says a time beyond the calendar. */
  readonly at: UnixMillis | undefined;
  /** Number of the link layer, as in https://www.tcpdump.org/linktypes.html. */
  readonly link: number;
  readonly bytes: Uint8Array;
  /** Whether the capture has only a part of the packet. */
  readonly isCut: boolean;
  readonly comment: string | undefined;
  /** Name of the interface. */
  readonly through: string | undefined;
}

/** The file ends in the middle of a packet, or is damaged; what was read before is intact. */
export class BrokenCapture extends Error {}

/** Longer blocks and packets are damage. */
const LONGEST = 16 * 1024 * 1024;

/**
 * @throws UsageError if the file cannot be read or is not a capture
 * @throws BrokenCapture after the last intact part of a file that is not whole
 */
export function* readCapture(path: string): Generator<Captured> {
  const bytes = openPieces(path);
  try {
    const magic = bytes.peek(4);
    const [little, big] = magic.length < 4 ? [0, 0] : [magic.readUInt32LE(0), magic.readUInt32BE(0)];
    const old = OLD_FORMATS.find(({ magic: own }) => own === little || own === big);
    if (little === BLOCK.section) yield* readBlocks(bytes);
    else if (old !== undefined) yield* readRecords(bytes, old.perMilli, old.magic === little);
    else throw new UsageError('bad-capture', `"${path}" is not a capture: ${describeOther(magic)}`);
  } finally {
    bytes.close();
  }
}

/** Formats of the older kind by their first four bytes, with the number of their units of time in a millisecond. */
const OLD_FORMATS = [
  { magic: 0xa1b2c3d4, perMilli: 1e3 },
  { magic: 0xa1b23c4d, perMilli: 1e6 },
] as const;

function describeOther(magic: Buffer): string {
  if (magic.length === 0) return 'the file is empty';
  if (magic[0] === 0x1f && magic[1] === 0x8b) return 'it is compressed with gzip; unpack it first';
  return 'expected the format pcapng or pcap';
}

/** Reads numbers of one byte order. */
class Fields {
  readonly #view: DataView;
  readonly #little: boolean;

  constructor(bytes: Uint8Array, little: boolean) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#little = little;
  }

  uint16(at: number): number {
    return this.#view.getUint16(at, this.#little);
  }

  uint32(at: number): number {
    return this.#view.getUint32(at, this.#little);
  }

  int64(at: number): bigint {
    return this.#view.getBigInt64(at, this.#little);
  }
}

interface Interface {
  readonly link: number;
  /** Bytes that are kept of a packet; 0 without a limit. */
  readonly most: number;
  readonly name: string | undefined;
  /** Units of time in a second. */
  readonly resolution: bigint;
  /** Seconds to add to each time. */
  readonly offset: bigint;
}

function* readBlocks(bytes: Pieces): Generator<Captured> {
  let little = true;
  let interfaces: Interface[] = [];
  for (;;) {
    const begin = bytes.position;
    const head = bytes.takeOrEnd(8);
    if (head === undefined) return;
    if (head.readUInt32LE(0) === BLOCK.section) {
      // Before the byte order is known, the length cannot be read.
      const order = bytes.peek(4);
      little = order.length === 4 && order.readUInt32LE(0) === BYTE_ORDER;
      if (!little && (order.length < 4 || order.readUInt32BE(0) !== BYTE_ORDER)) throw bytes.damaged(begin);
      interfaces = [];
    }
    const fields = new Fields(head, little);
    const [type, length] = [fields.uint32(0), fields.uint32(4)];
    if (length % 4 !== 0 || length < 12 || length > LONGEST) throw bytes.damaged(begin);
    const content = bytes.take(length - 8);
    if (new Fields(content, little).uint32(length - 12) !== length) throw bytes.damaged(begin);
    const found = readBlock(type, content.subarray(0, -4), little, interfaces);
    if (found === 'damaged') throw bytes.damaged(begin);
    if (found !== undefined) yield found;
  }
}

/** Undefined for other blocks. Adds new interfaces to `interfaces`. */
function readBlock(
  type: number,
  content: Buffer,
  little: boolean,
  interfaces: Interface[],
): Captured | 'damaged' | undefined {
  const fields = new Fields(content, little);
  switch (type) {
    case BLOCK.section: {
      const text = content.length < 16 ? undefined : optionsIn(content, 16, little).get(OPTION.comment);
      return text && { kind: 'comment', text: text.toString() };
    }
    case BLOCK.interface: {
      if (content.length < 8) return 'damaged';
      interfaces.push({
        ...{ link: fields.uint16(0), most: fields.uint32(4) },
        ...readInterface(optionsIn(content, 8, little), little),
      });
      return undefined;
    }
    case BLOCK.secrets: {
      if (content.length < 8 || fields.uint32(4) > content.length - 8) return 'damaged';
      if (fields.uint32(0) !== KEY_LOG) return undefined;
      return { kind: 'keys', keyLog: content.toString('latin1', 8, 8 + fields.uint32(4)) };
    }
    case BLOCK.simplePacket:
      return readSimplePacket(content, fields, interfaces[0]);
    case BLOCK.packet:
    case BLOCK.enhancedPacket: {
      if (content.length < 20) return 'damaged';
      const from = interfaces[type === BLOCK.packet ? fields.uint16(0) : fields.uint32(0)];
      const [kept, whole] = [fields.uint32(12), fields.uint32(16)];
      if (from === undefined || kept > content.length - 20) return 'damaged';
      const units = (BigInt(fields.uint32(4)) << 32n) | BigInt(fields.uint32(8));
      return {
        ...{ kind: 'packet', at: timeOf(units, from), link: from.link, through: from.name, isCut: kept < whole },
        bytes: content.subarray(20, 20 + kept),
        comment: optionsIn(content, 20 + padded(kept), little)
          .get(OPTION.comment)
          ?.toString(),
      };
    }
    default:
      return undefined;
  }
}

/** A packet of the first interface, without a time. */
function readSimplePacket(content: Buffer, fields: Fields, from: Interface | undefined): Captured | 'damaged' {
  if (content.length < 4 || from === undefined) return 'damaged';
  const whole = fields.uint32(0);
  const kept = Math.min(whole, from.most || whole);
  if (kept > content.length - 4) return 'damaged';
  return {
    ...{ kind: 'packet', at: undefined, link: from.link, through: from.name, isCut: kept < whole },
    ...{ bytes: content.subarray(4, 4 + kept), comment: undefined },
  };
}

function readInterface(
  options: ReadonlyMap<number, Buffer>,
  little: boolean,
): Pick<Interface, 'name' | 'resolution' | 'offset'> {
  const exponent = options.get(OPTION.timeResolution)?.[0] ?? 6;
  const offset = options.get(OPTION.timeOffset);
  return {
    name: options.get(OPTION.interfaceName)?.toString(),
    resolution: exponent & 0x80 ? 1n << BigInt(exponent & 0x7f) : BigInt(`1${'0'.repeat(exponent)}`),
    offset: offset?.length === 8 ? new Fields(offset, little).int64(0) : 0n,
  };
}

function timeOf(units: bigint, { resolution, offset }: Interface): UnixMillis | undefined {
  const micros = ((units % resolution) * 1_000_000n) / resolution;
  const at = Number(units / resolution + offset) * 1000 + Number(micros) / 1000;
  return isCalendarTime(at) ? at : undefined;
}

/** The first option of each code. */
function optionsIn(content: Buffer, from: number, little: boolean): ReadonlyMap<number, Buffer> {
  const options = new Map<number, Buffer>();
  const fields = new Fields(content, little);
  for (let at = from; at + 4 <= content.length; ) {
    const [code, length] = [fields.uint16(at), fields.uint16(at + 2)];
    if (code === OPTION.end || at + 4 + length > content.length) break;
    if (!options.has(code)) options.set(code, content.subarray(at + 4, at + 4 + length));
    at += 4 + padded(length);
  }
  return options;
}

function* readRecords(bytes: Pieces, perMilli: number, little: boolean): Generator<Captured> {
  // The upper bits may describe a frame check sequence.
  const link = new Fields(bytes.take(24), little).uint32(20) & 0xffff;
  for (;;) {
    const begin = bytes.position;
    const head = bytes.takeOrEnd(16);
    if (head === undefined) return;
    const fields = new Fields(head, little);
    const [kept, whole] = [fields.uint32(8), fields.uint32(12)];
    // Without a byte, the record is a hole in the file, not a packet.
    if (kept > LONGEST || whole === 0) throw bytes.damaged(begin);
    const at = fields.uint32(0) * 1000 + fields.uint32(4) / perMilli;
    const content = bytes.take(kept);
    yield { kind: 'packet', at, link, bytes: content, isCut: kept < whole, comment: undefined, through: undefined };
  }
}

const PIECE = 65_536;

/** The path may also be a datagram that the user has typed. */
const NO_FILE = 'the file does not exist, and the text is not a datagram in hex digits or base64';

function openPieces(path: string): Pieces {
  let file: number;
  try {
    // Without the second flag, opening a named pipe would wait for its writer.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new UsageError('cannot-read', `"${path}" cannot be read: ${fileReason(error, NO_FILE)}`);
  }
  if (fstatSync(file).isFile()) return new Pieces(file);
  closeSync(file);
  throw new UsageError('cannot-read', `"${path}" cannot be read: it is not a regular file`);
}

/** The bytes of a file, in order. */
class Pieces {
  readonly #file: number;
  #buffer = Buffer.alloc(0);
  #position = 0;

  constructor(file: number) {
    this.#file = file;
  }

  /** Bytes taken so far. */
  get position(): number {
    return this.#position;
  }

  /** The next bytes, which are not taken; fewer at the end of the file. */
  peek(length: number): Buffer {
    while (this.#buffer.length < length) {
      const piece = Buffer.allocUnsafe(Math.max(PIECE, length));
      const read = readSync(this.#file, piece);
      if (read === 0) break;
      this.#buffer = Buffer.concat([this.#buffer, piece.subarray(0, read)]);
    }
    return this.#buffer.subarray(0, length);
  }

  /** @throws BrokenCapture if the file ends before */
  take(length: number): Buffer {
    const taken = this.peek(length);
    if (taken.length < length)
      throw new BrokenCapture(`the file ends in the middle of a packet, at byte ${this.#position + taken.length}`);
    this.#buffer = this.#buffer.subarray(length);
    this.#position += length;
    return taken;
  }

  /** Undefined at the end of the file. */
  takeOrEnd(length: number): Buffer | undefined {
    return this.peek(length).length === 0 ? undefined : this.take(length);
  }

  damaged(at: number): BrokenCapture {
    return new BrokenCapture(`the file is damaged at byte ${at}`);
  }

  close(): void {
    closeSync(this.#file);
  }
}
