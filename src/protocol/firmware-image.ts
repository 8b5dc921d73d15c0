/**
 * Firmware images of virtual devices: a header of text lines, an empty line, then filler. Only a bootloader understands real
 * images; the header of these images contains, as plain text, the facts that a virtual device needs.
 *
 *     GHOSTFLEET-FIRMWARE 1
 *     bundle: com.hardwario.chester.app.clime
 *     name: CHESTER Clime
 *     version: v3.6.0
 *     sha256: (of the filler, 64 hex digits)
 */
import { createHash, type Hash } from 'node:crypto';

/** Identity of a firmware build. */
export interface Build {
  readonly bundle: string;
  readonly name: string;
  readonly version: string;
}

const MAGIC = 'GHOSTFLEET-FIRMWARE 1';
const LONGEST_HEADER = 512;
const HEADER_END = '\n\n';
/** The end of a header must appear within this number of bytes. */
const HEADER_WINDOW = LONGEST_HEADER + HEADER_END.length;

/**
 * Creates an image of `size` bytes.
 * @throws RangeError when the header is longer than `size`
 */
export function writeImage(build: Build, size: number): Uint8Array {
  // The digest has a fixed length, so a placeholder gives the length of the header.
  const length = size - header(build, '0'.repeat(64)).length;
  if (length < 0) throw new RangeError(`an image of ${size} bytes is shorter than its own header`);
  const filler = Uint8Array.from({ length }, (_, i) => i % 256);
  return Buffer.concat([header(build, createHash('sha256').update(filler).digest('hex')), filler]);
}

/** Whether a file begins like an image of this format; it may be damaged. */
export function isBuildImage(file: Uint8Array): boolean {
  return Buffer.from(file.buffer, file.byteOffset, Math.min(file.length, MAGIC.length)).toString('latin1') === MAGIC;
}

/** The build of a complete image; undefined when it is not an image of this format, or damaged. */
export function readImage(image: Uint8Array): Build | undefined {
  const reader = new ImageReader();
  reader.write(image);
  return reader.finish();
}

/** Reads an image part by part, without storing it. */
export class ImageReader {
  #head = '';
  #filler: Hash | undefined;

  write(part: Uint8Array): void {
    if (this.#filler) this.#filler.update(part);
    else this.#readHead(part);
  }

  /** Call it after the last part. Returns the same as {@link readImage}. */
  finish(): Build | undefined {
    const lines = this.#head.split('\n');
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const [bundle, name, version] = [field('bundle'), field('name'), field('version')];
    if (lines[0] !== MAGIC || this.#filler?.digest('hex') !== field('sha256')) return undefined;
    if (bundle === undefined || name === undefined || version === undefined) return undefined;
    return { bundle, name, version };
  }

  #readHead(part: Uint8Array): void {
    if (this.#head.length >= HEADER_WINDOW) return;
    const before = this.#head.length;
    // Latin-1 has one character per byte, so positions in the text are positions in the image.
    this.#head += Buffer.from(part.buffer, part.byteOffset, Math.min(part.length, HEADER_WINDOW)).toString('latin1');
    const end = this.#head.indexOf(HEADER_END);
    if (end < 0 || end > LONGEST_HEADER) return;
    this.#head = this.#head.slice(0, end);
    this.#filler = createHash('sha256').update(part.subarray(end + HEADER_END.length - before));
  }
}

function header({ bundle, name, version }: Build, sha256: string): Buffer {
  const lines = [MAGIC, `bundle: ${bundle}`, `name: ${name}`, `version: ${version}`, `sha256: ${sha256}`];
  return Buffer.from(lines.join('\n') + HEADER_END, 'latin1');
}
