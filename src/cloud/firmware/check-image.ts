/**
 * Recognises files that are no firmware images, and images that are not whole, before a device downloads them for an hour. An
 * image of another bootloader is only bytes: it cannot be checked.
 */
import { isBuildImage, readImage } from '../../protocol/firmware-image.js';

/** First bytes of an image for MCUboot, the bootloader of the real devices, and the places of two sizes in its header. */
const MCUBOOT = Buffer.of(0x3d, 0xb8, 0xf3, 0x96);
const HEADER_BYTES = 32;
const [HEADER_SIZE, IMAGE_SIZE] = [8, 12];

/** First bytes of files that are often taken for images. */
const OTHERS: readonly (readonly [begin: string, what: string])[] = [
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x7fELF', 'an ELF file'],
  ['\x1f\x8b', 'a gzip archive'],
  ['%PDF', 'a PDF document'],
];
/** A text has only printable characters: so many of its first bytes are looked at, and so many are shown. */
const [LOOKED_AT, SHOWN] = [256, 16];

/** What is wrong with a file, as the end of a sentence; undefined if it may be an image. */
export function findFlaw(file: Buffer): string | undefined {
  if (isBuildImage(file)) return readImage(file) ? undefined : 'is damaged: its checksum is wrong, or it is cut';
  if (file.subarray(0, MCUBOOT.length).equals(MCUBOOT)) return findCut(file);
  const begin = file.toString('latin1', 0, LOOKED_AT);
  const other = OTHERS.find(([magic]) => begin.startsWith(magic))?.[1];
  const isText = /^[\t\n\r\x20-\x7e]*$/.test(begin);
  const what = other ?? (isText ? `a text that begins with ${JSON.stringify(begin.slice(0, SHOWN))}` : undefined);
  return what && `is ${what}, not a firmware image`;
}

function findCut(image: Buffer): string | undefined {
  if (image.length < HEADER_BYTES) return undefined;
  const size = image.readUInt16LE(HEADER_SIZE) + image.readUInt32LE(IMAGE_SIZE);
  return image.length < size ? `is cut: it has ${image.length} of at least ${size} bytes` : undefined;
}
