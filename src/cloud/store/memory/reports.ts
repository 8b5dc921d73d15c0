/**
 * The reports in the memory store. A day of 100,000 devices has 4.8 million; they never change, and few are ever read. So they
 * are bytes in pages: garbage collections do not visit them, and the bodies of a full page are compressed. The blocks are
 * shared buffers, because V8 starts a full garbage collection whenever unshared buffers have grown by 64 MB.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Codec } from '../../../protocol/codec.js';
import { decodeBody, type JsonObject } from '../../../protocol/decode.js';
import { EncodedBody } from '../encoded-body.js';
import type { DeviceRow, Id, MessageRow } from '../store.js';

type ReportRow = MessageRow & { readonly body: EncodedBody };

/** Whether a row is that of a report that can be kept as bytes: as the service makes them from data of a device over FLAP. */
export function isReport(row: MessageRow): row is ReportRow {
  const { id, type, direction, body, codecHash, raw, fingerprint } = row;
  return (
    body instanceof EncodedBody &&
    type === 'data' &&
    direction === 'up' &&
    codecHash === body.codec.hash &&
    raw === null &&
    UUID.test(id) &&
    (fingerprint === null || (FINGERPRINT.test(fingerprint) && fingerprint !== NONE))
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FINGERPRINT = /^[0-9a-f]{16}$/;
/** Stands for the fingerprint of a report without one. */
const NONE = '0000000000000000';

/** The entry of a device. */
interface Sender {
  readonly id: Id;
  readonly row: Pick<DeviceRow, 'spaceId'>;
}

/** Reports of a page. More compress little better, and a read unpacks all of them. */
const REPORTS = 64;
/** Bytes of a report beside its body: id (16), time of creation (8), fingerprint (8), end of the body in its page (4). */
const HEAD = 36;
const [CREATED_AT, FINGERPRINT_AT, END] = [16, 24, 32];

interface Page<Device> {
  readonly number: number;
  readonly heads: Buffer;
  readonly devices: Device[];
  readonly codecs: Codec[];
  /** The compressed bodies; undefined until the page is full. */
  bodies: Uint8Array | undefined;
  /** Reports that are not deleted. */
  left: number;
}

/** Number of pages that stay unpacked after a read. */
const MOST_UNPACKED = 128;

/** Takes 3 µs for a report, and halves it. Deflate, and brotli with a higher quality, take more than twice the time. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 18 } };

export class Reports<Device extends Sender> {
  readonly #pages = new Map<number, Page<Device>>();
  #newest: Page<Device> | undefined;
  /** The report that was added last: each commit compares its id several times. */
  #last: ReportEntry<Device> | undefined;
  /** The bodies of the newest page. */
  #bodies = Buffer.alloc(0);
  /** Bodies of pages that were read last, the oldest first. */
  readonly #unpacked = new Map<Page<Device>, Buffer>();

  /** Copies a report. */
  add({ id, createdAt, body, fingerprint }: ReportRow, device: Device): ReportEntry<Device> {
    const page = this.#openPage();
    const index = page.devices.length;
    const begin = endOf(page, index - 1);
    const end = begin + body.bytes.length;
    if (end > this.#bodies.length) this.#bodies = Buffer.concat([this.#bodies], Math.max(4096, 2 * end));
    this.#bodies.set(body.bytes, begin);
    const at = index * HEAD;
    page.heads.write(id.replaceAll('-', ''), at, 'hex');
    page.heads.writeDoubleLE(createdAt, at + CREATED_AT);
    page.heads.write(fingerprint ?? NONE, at + FINGERPRINT_AT, 'hex');
    page.heads.writeUInt32LE(end, at + END);
    page.devices.push(device);
    page.codecs.push(body.codec);
    page.left++;
    this.#last = new ReportEntry(this, page.number * REPORTS + index, page, id);
    return this.#last;
  }

  /** Frees a page whose reports are all deleted. */
  delete(number: number): void {
    const page = this.#pageOf(number);
    page.left--;
    if (page.left === 0 && page !== this.#newest) this.#free(page);
  }

  entry(number: number): ReportEntry<Device> {
    return number === this.#last?.number ? this.#last : new ReportEntry(this, number, this.#pageOf(number));
  }

  readBody(number: number): JsonObject {
    const page = this.#pageOf(number);
    const index = number % REPORTS;
    const bytes = this.#unpack(page).subarray(endOf(page, index - 1), endOf(page, index));
    return decodeBody(page.codecs[index] as Codec, bytes);
  }

  #pageOf(number: number): Page<Device> {
    const page = this.#pages.get(Math.floor(number / REPORTS));
    if (page === undefined) throw new Error(`unknown report ${number}`);
    return page;
  }

  #openPage(): Page<Device> {
    const newest = this.#newest;
    if (newest && newest.devices.length < REPORTS) return newest;
    if (newest?.left === 0) this.#free(newest);
    else if (newest) newest.bodies = share(brotliCompressSync(this.#unpack(newest), COMPRESSION));
    const number = newest === undefined ? 0 : newest.number + 1;
    const heads = Buffer.from(new SharedArrayBuffer(REPORTS * HEAD));
    this.#newest = { number, heads, devices: [], codecs: [], bodies: undefined, left: 0 };
    this.#pages.set(number, this.#newest);
    return this.#newest;
  }

  #unpack(page: Page<Device>): Buffer {
    if (page.bodies === undefined) return this.#bodies.subarray(0, endOf(page, page.devices.length - 1));
    const known = this.#unpacked.get(page);
    if (known) return known;
    const bodies = brotliDecompressSync(page.bodies);
    const [oldest] = this.#unpacked.keys();
    if (oldest && this.#unpacked.size === MOST_UNPACKED) this.#unpacked.delete(oldest);
    this.#unpacked.set(page, bodies);
    return bodies;
  }

  #free(page: Page<Device>): void {
    this.#pages.delete(page.number);
    this.#unpacked.delete(page);
  }
}

/** Where the body of a report ends in the bodies of its page; 0 for the index -1. */
function endOf({ heads }: Page<unknown>, index: number): number {
  return index < 0 ? 0 : heads.readUInt32LE(index * HEAD + END);
}

function share(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** A view of a report. */
export class ReportEntry<Device extends Sender> {
  readonly number: number;
  readonly #reports: Reports<Device>;
  readonly #page: Page<Device>;
  readonly #index: number;
  #id: Id | undefined;

  constructor(reports: Reports<Device>, number: number, page: Page<Device>, id?: Id) {
    this.number = number;
    this.#reports = reports;
    this.#page = page;
    this.#index = number % REPORTS;
    this.#id = id;
  }

  get id(): Id {
    this.#id ??= this.#readId();
    return this.#id;
  }

  #readId(): Id {
    const digits = this.#hex(0, CREATED_AT);
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
  }

  get device(): Device {
    return this.#page.devices[this.#index] as Device;
  }

  get fingerprint(): string | null {
    const digits = this.#hex(FINGERPRINT_AT, END);
    return digits === NONE ? null : digits;
  }

  get row(): Omit<MessageRow, 'body'> {
    return {
      id: this.id,
      spaceId: this.device.row.spaceId,
      deviceId: this.device.id,
      createdAt: this.#page.heads.readDoubleLE(this.#index * HEAD + CREATED_AT),
      type: 'data',
      direction: 'up',
      codecHash: (this.#page.codecs[this.#index] as Codec).hash,
      raw: null,
      fingerprint: this.fingerprint,
      downState: null,
      downStateAt: null,
      downScheduledAt: null,
      downAttempt: 0,
      downAnsweredAt: null,
    };
  }

  readBody(): JsonObject {
    return this.#reports.readBody(this.number);
  }

  #hex(from: number, to: number): string {
    const at = this.#index * HEAD;
    return this.#page.heads.toString('hex', at + from, at + to);
  }
}
