/**
 * Writes what goes over the wire into a capture file that Wireshark and `ghostfleet inspect` read (docs/WIRE.md). The file
 * contains datagrams, names of devices, ids of downlinks, and the keys of DTLS connections; never claim tokens or keys of
 * devices.
 */
import { statSync } from 'node:fs';
import { AppendedFile } from '../kernel/appended-file.js';
import { isoTime } from '../kernel/calendar.js';
import { GhostfleetError, UsageError } from '../kernel/errors.js';
import { readBeginning } from '../kernel/file-beginning.js';
import { cannotWrite } from '../kernel/system-errors.js';
import type { UnixMillis } from '../kernel/time.js';
import { CONTENT } from '../protocol/dtls/record.js';
import type { PacketFormat } from '../protocol/flap/envelope.js';
import type { TraceEvent } from '../trace/events.js';
import type { Endpoint } from './addresses.js';
import { ipPacket } from './ip-packet.js';
import { BLOCK, interfaceBlock, packetBlock, secretsBlock, sectionBlock } from './pcapng.js';

/** Formats of datagrams in the order of their interfaces in the file. */
export const FORMATS: readonly PacketFormat[] = ['base64', 'raw', 'dtls'];

/** Bytes of the largest datagram without message data. Records of DTLS have a connection ID only on the way up. */
const EMPTY: Readonly<Record<PacketFormat, Readonly<Record<'up' | 'down', number>>>> = {
  base64: { up: 20, down: 20 },
  raw: { up: 14, down: 14 },
  dtls: { up: 36, down: 31 },
};

/** Packets are collected up to this number of bytes, unless the capture is live. */
const BATCH = 65_536;

interface CapturedDatagram {
  readonly at: UnixMillis;
  readonly way: 'up' | 'down';
  readonly format: PacketFormat;
  /** Of the device; undefined if it is unknown. */
  readonly serial: number | undefined;
  readonly device: Endpoint;
  readonly cloud: Endpoint;
  readonly bytes: Uint8Array;
}

interface CaptureOptions {
  /** What is captured, such as `ghostfleet run scenarios/demo.yaml`; in the comment of the file. */
  readonly about: string;
  /** Whether each packet is written at once, so that the file is whole at any time. */
  readonly live: boolean;
}

export class Capture {
  readonly #file: AppendedFile;
  readonly #about: string;
  readonly #live: boolean;
  #blocks: Uint8Array[] = [];
  #size = 0;
  #nameOf: (serial: number) => string | undefined = () => undefined;
  #failed: (reason: GhostfleetError) => void = () => {};
  #isLost = false;
  /** The downlink that the cloud has offered last, by serial number. */
  readonly #offered = new Map<number, string>();
  /** Devices whose next datagram acknowledges a fragment of the downlink. */
  readonly #answering = new Set<number>();

  /** Creates the file, in place of an earlier capture. @throws UsageError when it cannot be written, or has other content */
  constructor(path: string, { about, live }: CaptureOptions) {
    if (hasOtherContent(path)) {
      throw new UsageError(
        'foreign-files',
        `"${path}" has other content than a capture, and would be replaced`,
        'choose another name',
      );
    }
    this.#file = new AppendedFile(path, `the capture "${path}"`);
    this.#about = about;
    this.#live = live;
  }

  /**
   * Writes the head of the file; call it before the first datagram.
   * @param start calendar time at which the times of a run count from 0; undefined outside of a run
   * @param nameOf the name of a device; undefined if it is unknown
   * @param failed called once if the file cannot be written. Nothing is recorded from then on
   */
  begin(
    start: UnixMillis | undefined,
    nameOf: (serial: number) => string | undefined,
    failed: (reason: GhostfleetError) => void,
  ): void {
    this.#nameOf = nameOf;
    this.#failed = failed;
    const from = start === undefined ? '' : `; ${TIMES_FROM} ${isoTime(start)}`;
    this.#add(sectionBlock('ghostfleet', this.#about + from));
    for (const format of FORMATS) this.#add(interfaceBlock(INTERFACE + format));
  }

  /** Notes which downlink is on its way to which device. */
  take(event: TraceEvent): void {
    if (event.kind === 'downlink.offered') this.#offered.set(event.serial, event.downlink);
  }

  datagram({ at, way, format, serial, device, cloud, bytes }: CapturedDatagram): void {
    const [from, to] = way === 'up' ? [device, cloud] : [cloud, device];
    const comment = serial === undefined ? '' : this.#describe(serial, way, format, bytes);
    this.#add(packetBlock(FORMATS.indexOf(format), Math.round(at * 1000), ipPacket(from, to, bytes), comment));
  }

  /** The keys of a DTLS connection, for the packets after them. */
  keys(clientRandom: Uint8Array, master: Uint8Array): void {
    const [random, secret] = [clientRandom, master].map((bytes) => Buffer.from(bytes).toString('hex'));
    this.#add(secretsBlock(`CLIENT_RANDOM ${random} ${secret}\n`));
  }

  /**
   * Writes the rest and closes the file.
   * @returns whether everything was written; false if `failed` was called
   * @throws UsageError if the rest cannot be written
   */
  close(): boolean {
    if (this.#isLost) return false;
    this.#failed = () => {};
    this.#flush();
    this.#file.close();
    return true;
  }

  /** Closes the file after a failure that has another message. Does nothing after {@link close}. */
  abandon(): void {
    try {
      this.close();
    } catch {
      // The failure that ended the command is more important than the end of the capture.
    }
  }

  /** The name of the device, and the downlink of which the datagram is, or acknowledges, a fragment. */
  #describe(serial: number, way: 'up' | 'down', format: PacketFormat, bytes: Uint8Array): string {
    const name = this.#nameOf(serial) ?? String(serial);
    const downlink = this.#downlinkOf(serial, way, format, bytes);
    return downlink === undefined ? name : `${name}, downlink ${downlink}`;
  }

  #downlinkOf(serial: number, way: 'up' | 'down', format: PacketFormat, bytes: Uint8Array): string | undefined {
    if (format === 'dtls' && bytes[0] !== CONTENT.cid && bytes[0] !== CONTENT.applicationData) return undefined;
    const hasData = bytes.length > EMPTY[format][way];
    const answers = this.#answering.delete(serial);
    if (way === 'up') return answers && !hasData ? this.#offered.get(serial) : undefined;
    const downlink = hasData ? this.#offered.get(serial) : undefined;
    if (downlink !== undefined) this.#answering.add(serial);
    return downlink;
  }

  #add(bytes: Uint8Array): void {
    if (this.#isLost) return;
    this.#blocks.push(bytes);
    this.#size += bytes.length;
    if (this.#live || this.#size >= BATCH) this.#flush();
  }

  #flush(): void {
    const blocks = Buffer.concat(this.#blocks);
    this.#blocks = [];
    this.#size = 0;
    try {
      this.#file.write(blocks);
    } catch (error) {
      this.#isLost = true;
      if (!(error instanceof GhostfleetError)) throw error;
      this.#failed(error);
    }
  }
}

/** Before the format in the name of an interface, and before the time in the comment of a file; the reader knows both. */
export const INTERFACE = 'flap-';
export const TIMES_FROM = 'times count from';

/** Whether the path is a file with other content than a capture. Pipes are not read. @throws UsageError if it cannot be read */
function hasOtherContent(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || found.size === 0) return false;
    const beginning = readBeginning(path, 4);
    return beginning.length < 4 || beginning.readUInt32LE() !== BLOCK.section;
  } catch (error) {
    throw cannotWrite(`the capture "${path}"`, error);
  }
}
