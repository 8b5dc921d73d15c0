/** UPLOAD_CONFIG and DOWNLOAD_CONFIG: configuration as lines of text (wire W-52). */
import { type CborValue, CborWriter } from '../cbor.js';
import { type Hash, toHex } from '../hashes.js';
import { MessageError } from './error.js';
import { cborIn, isText } from './fields.js';

export interface UploadConfig {
  readonly kind: 'upload-config';
  /** The device's hash of the output of `config show`, which it may cut: so it may not fit `lines` (wire W-53). */
  readonly hash: Hash;
  readonly lines: readonly string[];
}

export interface DownloadConfig {
  readonly kind: 'download-config';
  /** Each at most {@link LONGEST_LINE} bytes. */
  readonly lines: readonly string[];
}

/** Maximum bytes of a line. A device rejects the whole message when a config line or shell command is longer. */
const LONGEST_LINE = 255;

/** The only defined compression: none. */
const UNCOMPRESSED = 0;
const HASH_BYTES = 8;

/** The value of the message, without the hash at its beginning. */
export function writeUploadConfig({ lines }: UploadConfig): Uint8Array {
  const writer = new CborWriter();
  writer.raw(Uint8Array.of(UNCOMPRESSED));
  writer.beginArray();
  for (const line of lines) writer.text(line);
  writer.endArray();
  return writer.finish();
}

export function readUploadConfig(value: Uint8Array): UploadConfig {
  const hash = toHex(value.subarray(0, HASH_BYTES));
  const lines = readLines(value.subarray(HASH_BYTES), 'UPLOAD_CONFIG');
  return { kind: 'upload-config', hash, lines };
}

export function writeDownloadConfig({ lines }: DownloadConfig): Uint8Array {
  const writer = new CborWriter();
  writer.raw(Uint8Array.of(UNCOMPRESSED));
  writeLines(writer, lines);
  return writer.finish();
}

export function readDownloadConfig(value: Uint8Array): DownloadConfig {
  // The firmware requires at least 4 bytes with the type byte. An empty list of definite length has only 3.
  if (value.length < 3) throw new MessageError('malformed', `DOWNLOAD_CONFIG has only ${value.length} bytes`);
  const lines = readLines(value, 'DOWNLOAD_CONFIG');
  rejectLongLines(lines, 'DOWNLOAD_CONFIG');
  return { kind: 'download-config', lines };
}

/** Writes texts as an array of definite length. */
export function writeLines(writer: CborWriter, lines: readonly string[]): void {
  writer.arrayOf(lines.length);
  for (const line of lines) writer.text(line);
}

/** @throws MessageError unless all items are texts */
export function textsOf(items: CborValue, message: string): readonly string[] {
  if (Array.isArray(items) && items.every(isText)) return items;
  throw new MessageError('malformed', `the lines of ${message} are not an array of texts`);
}

/** Rejects lines that exceed the buffer of a device. @throws MessageError */
export function rejectLongLines(lines: readonly string[], message: string): void {
  for (const line of lines) {
    const length = Buffer.byteLength(line);
    if (length > LONGEST_LINE) {
      throw new MessageError(
        'malformed',
        `${message} has a line of ${length} bytes; at most ${LONGEST_LINE} are possible`,
      );
    }
  }
}

/** Reads the compression byte, then the lines. */
function readLines(value: Uint8Array, message: string): readonly string[] {
  const compression = value[0];
  if (compression === undefined) throw new MessageError('malformed', `${message} ends before its lines`);
  if (compression !== UNCOMPRESSED) {
    throw new MessageError('malformed', `${message} has the unknown compression "${compression}"`);
  }
  return textsOf(cborIn(value.subarray(1), message), message);
}
