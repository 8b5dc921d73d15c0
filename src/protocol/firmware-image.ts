/**
 * Firmware images of virtual devices: a header of text lines, an empty line, then filler. Real images are opaque to
 * everybody but the bootloader; ours say in plain text what a device has to know of them.
 *
 *     GHOSTFLEET-FIRMWARE 1
 *     bundle: com.hardwario.chester.app.clime
 *     name: CHESTER Clime
 *     version: v3.6.0
 *     sha256: (of the filler, 64 hex digits)
 */
import { createHash, type Hash } from 'node:crypto';

/** What a device runs, or would run. */
export interface Build {
  readonly bundle: string;
  readonly name: string;
  readonly version: string;
}

const MAGIC = 'GHOSTFLEET-FIRMWARE 1';
const LONGEST_HEADER = 512;
const HEADER_END = '\n\n';

/**
 * Makes an image of `size` bytes.
 * @throws RangeError when the header alone is longer
 */
export function writeImage(build: Build, size: number): Uint8Array {
  // The length of the header does not depend on the digest in it.
  const length = size - header(build, '0'.repeat(64)).length;
  if (length < 0) throw new RangeError(`an image of ${size} bytes is shorter than its own header`);
  const filler = Uint8Array.from({ length }, (_, i) => i % 256);
  return Buffer.concat([header(build, createHash('sha256').update(filler).digest('hex')), filler]);
}

/** What a whole image says of itself; undefined when it is none of ours, or damaged. */
export function readImage(image: Uint8Array): Build | undefined {
  const reader = new ImageReader();
  reader.write(image);
  return reader.finish();
}

/** Reads an image that comes in parts, without keeping it. */
export class ImageReader {
  #head = '';
  #filler: Hash | undefined;

  write(part: Uint8Array): void {
    if (this.#filler) this.#filler.update(part);
    else this.#readHead(part);
  }

  /** See {@link readImage}. */
  finish(): Build | undefined {
    const lines = this.#head.split('\n');
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const [bundle, name, version] = [field('bundle'), field('name'), field('version')];
    if (lines[0] !== MAGIC || this.#filler?.digest('hex') !== field('sha256')) return undefined;
    if (bundle === undefined || name === undefined || version === undefined) return undefined;
    return { bundle, name, version };
  }

  #readHead(part: Uint8Array): void {
    if (this.#head.length > LONGEST_HEADER) return;
    const before = this.#head.length;
    // A character a byte, so that places in the text are places in the image.
    this.#head += Buffer.from(part.buffer, part.byteOffset, Math.min(part.length, LONGEST_HEADER + 1)).toString(
      'latin1',
    );
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
