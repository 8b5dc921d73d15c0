/** UPLOAD_FIRMWARE and DOWNLOAD_FIRMWARE: an image in chunks, requested by the device (wire W-57, W-58). */
import { CborWriter } from '../cbor.js';
import { MessageError } from './error.js';
import { Fields, mapIn, present } from './fields.js';
import { ID_BYTES } from './shell.js';

export interface UploadFirmware {
  readonly kind: 'upload-firmware';
  /** Always `app`. */
  readonly target: string;
  /** `download`, `next`, `swap`, `error`, `ack`, in some firmware `confirmed`. */
  readonly type: string;
  /** 16 bytes. */
  readonly updateId?: Uint8Array;
  /** Bytes accepted so far; 0 is the same as absent. */
  readonly offset?: number;
  /** Maximum length of a chunk that the device accepts. */
  readonly maxLength?: number;
  /** Identifies the requested image. */
  readonly firmware?: string;
  readonly error?: string;
}

export interface DownloadFirmware {
  readonly kind: 'download-firmware';
  /** `app`. */
  readonly target: string;
  /** `chunk`. A device parses other types, but ignores them. */
  readonly type: string;
  /** 16 bytes. */
  readonly updateId: Uint8Array;
  readonly offset: number;
  readonly data: Uint8Array;
  /** Size of the whole image in bytes. */
  readonly size: number;
}

const LONGEST_TARGET = 7;
const LONGEST_TYPE = 9;

export function writeUploadFirmware(message: UploadFirmware): Uint8Array {
  const writer = new CborWriter();
  const text = (key: number, value: string | undefined): void => {
    if (!value) return;
    writer.key(key);
    writer.text(value);
  };
  const uint = (key: number, value: number | undefined): void => {
    if (!value) return;
    writer.key(key);
    writer.uint(value);
  };
  writer.beginMap();
  text(0, message.target);
  text(1, message.type);
  if (message.updateId !== undefined) {
    writer.key(2);
    writer.bytes(message.updateId);
  }
  uint(3, message.offset);
  uint(4, message.maxLength);
  text(5, message.firmware);
  text(6, message.error);
  writer.endMap();
  return writer.finish();
}

export function readUploadFirmware(value: Uint8Array): UploadFirmware {
  const fields = Fields.loose(mapIn(value, 'UPLOAD_FIRMWARE'));
  return present<UploadFirmware>({
    kind: 'upload-firmware',
    target: fields.text(0) ?? '',
    type: fields.text(1) ?? '',
    updateId: fields.bytes(2),
    offset: fields.uint(3),
    maxLength: fields.uint(4),
    firmware: fields.text(5),
    error: fields.text(6),
  });
}

export function writeDownloadFirmware(message: DownloadFirmware): Uint8Array {
  const writer = new CborWriter();
  writer.mapOf(message.offset === 0 ? 6 : 7);
  writer.key(0);
  writer.text(message.target);
  writer.key(1);
  writer.text(message.type);
  writer.key(2);
  writer.bytes(message.updateId);
  if (message.offset !== 0) {
    writer.key(3);
    writer.uint(message.offset);
  }
  writer.key(4);
  writer.uint(message.data.length);
  writer.key(5);
  writer.bytes(message.data);
  writer.key(6);
  writer.uint(message.size);
  return writer.finish();
}

export function readDownloadFirmware(value: Uint8Array): DownloadFirmware {
  const fields = Fields.strict(mapIn(value, 'DOWNLOAD_FIRMWARE'), [0, 1, 2, 3, 4, 5, 6], 'DOWNLOAD_FIRMWARE');
  const message: DownloadFirmware = {
    kind: 'download-firmware',
    target: fields.text(0) ?? '',
    type: fields.text(1) ?? '',
    updateId: fields.bytes(2) ?? new Uint8Array(0),
    offset: fields.uint(3) ?? 0,
    data: fields.bytes(5) ?? new Uint8Array(0),
    size: fields.uint(6) ?? 0,
  };
  const reject = (why: string): never => {
    throw new MessageError('malformed', `DOWNLOAD_FIRMWARE ${why}`);
  };
  if (message.target.length > LONGEST_TARGET) reject(`has a target of more than ${LONGEST_TARGET} characters`);
  if (message.type.length > LONGEST_TYPE) reject(`has a type of more than ${LONGEST_TYPE} characters`);
  if (message.updateId.length !== ID_BYTES) reject(`has an id of ${message.updateId.length} bytes, not ${ID_BYTES}`);
  const length = fields.uint(4) ?? 0;
  if (message.data.length !== length) reject(`announces ${length} bytes and has ${message.data.length}`);
  if (message.size === 0) reject('does not state the size of the image');
  return message;
}
